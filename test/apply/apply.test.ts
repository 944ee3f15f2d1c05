/** Server-side apply and tracking against Kubernetes' own field managers. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { kinds } from '../../kinds/index.ts';
import { type KindDefinition, storageVersion } from '../../machinery/api/kind.ts';
import type { JsonObject, KubeObject } from '../../machinery/api/object.ts';
import type { JsonSchema } from '../../machinery/api/schema.ts';
import { pathText } from '../../machinery/apply/element.ts';
import { decodeFields, encodeFields, pathsOf } from '../../machinery/apply/field-set.ts';
import { crdOf } from '../../machinery/server/crds.ts';
import { metadataSchema } from '../../machinery/server/metadata-schema.ts';
import { objectOf as anyObjectOf } from '../arbitrary.ts';
import { generated, generatedFields, generatedScale } from './generate.ts';
import { type Case, hub, objectOf, type Result, run, type Step } from './sequence.ts';
import { program, upstream, upstreamFields } from './upstream.ts';
import { caseOf, writeCases } from './write-cases.ts';

const seed = Number(process.env.CAPSTAN_SEED ?? Date.now() % 1_000_000);
const count = Number(process.env.CAPSTAN_CASES ?? 3000);
const seeds = (most: number) => Array.from({ length: most }, (_, i) => seed + i);

beforeAll(() => void program());

const sortedLines = (text: string): string => text.split('\n').toSorted().join('\n');
const faultIn = ({ error = '' }: Result): string => sortedLines(error.replace(/^(failed [^:]+: )+/, ''));

/** Upstream names conversions by their place in its code, and one undeclared field ends its walk over a Go map. */
const withoutChance = (ours: Result, theirs: Result): Result => {
  const isUndeclared = [ours, theirs].every(({ error }) => error?.includes('field not declared in schema'));
  const isConversion = ours.error?.startsWith('failed to convert to ') && faultIn(ours) === faultIn(theirs);
  return isUndeclared || isConversion ? theirs : ours;
};

const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

/**
 * A misfit is a server's error upstream. The order of misfits, of causes, and of entries of one
 * time is that of a Go map.
 */
const comparable = ({ error, code, causes, entries, ...rest }: Result): Result => ({
  ...rest,
  ...(error !== undefined && { error: code === 409 ? error : sortedLines(error) }),
  ...(code === 409 && { code }),
  ...(causes && { causes: causes.toSorted() }),
  ...(Array.isArray(entries) && { entries: entries.map((some) => some?.toSorted(byText) ?? null) }),
});

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** How many steps were compared; fails at the first one that differs. */
const compare = async (cases: readonly Case[]): Promise<number> => {
  const expected = upstream(cases);
  let steps = 0;
  for (const [i, one] of cases.entries()) {
    const ours = await run(one);
    for (const [j, result] of ours.entries()) {
      const theirs = expected[i]![j] ?? expected[i]![0]!;
      const own = withoutChance(plain(result) as Result, theirs);
      expect(comparable(own), `case ${i} step ${j}`).toEqual(comparable(theirs));
      steps++;
    }
  }
  return steps;
};

it('chosen sequences', async () => {
  expect(await compare(writeCases.map(caseOf))).toBeGreaterThan(writeCases.length);
});

it(`${count} generated sequences from seed ${seed}`, async () => {
  const parts = seeds(count).filter((one) => (one - seed) % 500 === 0);
  for (const from of parts) {
    const cases = await Promise.all(seeds(500).map((_, i) => generated(from + i)));
    await compare(cases);
  }
});

it('owners of scales', async () => {
  await compare(seeds(1000).map(generatedScale));
});

it('the order, the texts and the faults of FieldsV1', () => {
  const texts = seeds(5000).map(generatedFields);
  for (const [i, theirs] of upstreamFields(texts).entries()) {
    const read = () => decodeFields(JSON.parse(texts[i]!));
    if (theirs.error) expect(read, texts[i]).toThrow();
    else
      expect([JSON.stringify(encodeFields(read())), pathsOf(read()).map(pathText).join('\n')], texts[i]).toEqual(
        theirs.entries,
      );
  }
});

interface Definition {
  versions: { schema: { openAPIV3Schema: JsonSchema } }[];
}
const schemaOf = (kind: KindDefinition): JsonSchema => {
  const version = storageVersion(kind);
  const { versions } = crdOf(kind, 0).spec as Definition;
  if (kind.custom) return versions[kind.versions.indexOf(version)]!.schema.openAPIV3Schema;
  const own = { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: metadataSchema } as const;
  return { ...version.schema, properties: { ...version.schema.properties, ...own } };
};

describe('objects of our kinds', () => {
  it.each(kinds.map((kind) => [kind.kind, kind] as const))('%s', async (_, kind) => {
    const versions = { [hub]: { schema: schemaOf(kind) } };
    const samples = fc.sample(anyObjectOf(kind, storageVersion(kind)), { numRuns: 40, seed: 53 });
    const contentOf = ({ apiVersion: _a, kind: _k, metadata: _m, ...content }: KubeObject) => content as JsonObject;
    const step = (sample: KubeObject, i: number): Step => ({
      operation: i % 2 === 0 ? 'apply' : 'update',
      version: hub,
      manager: `m${i % 3}`,
      force: i > 1,
      now: `2001-01-01T00:00:${String(i).padStart(2, '0')}Z`,
      object: plain(objectOf(hub, contentOf(sample), i % 2 === 0 ? {} : { uid: 'it' })) as KubeObject,
      ...(i === 0 && { versions }),
    });
    const cases = Array.from({ length: 10 }, (_unused, i) => ({
      custom: kind.custom,
      steps: samples.slice(i * 4, i * 4 + 4).map(step),
    }));
    await compare(cases);
  });
});

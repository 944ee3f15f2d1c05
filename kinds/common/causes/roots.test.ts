import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Complaint, Graph } from './graph.ts';
import { keyOf, rootsOf } from './roots.ts';
import type { Level } from './rule.ts';

interface Drawn {
  below: number[];
  level: Level;
  stays: boolean;
  isTelling: boolean;
}

/** Complaints that explain each other as drawn, and how often each was asked what explains it. */
const complaintsOf = (drawn: readonly Drawn[]) => {
  const asked = drawn.map(() => 0);
  const complaints: Complaint[] = drawn.map(({ below, level, stays, isTelling }, at) => ({
    object: { apiVersion: 'v1', kind: 'Toy', metadata: { name: `t${at}` } } as KubeObject,
    type: 'Ready',
    reason: 'Because',
    message: `t${at}`,
    level,
    rule: {
      stays,
      isTelling,
      by: () => {
        asked[at] = (asked[at] ?? 0) + 1;
        return below.map((one) => complaints[one]!);
      },
    },
  }));
  return { complaints, asked };
};
const graph = {} as Graph;
const names = (found: readonly { complaint: Complaint }[]) => found.map(({ complaint }) => complaint.message);

const drawnOf = (size: number, below: (at: number) => fc.Arbitrary<number[]>): fc.Arbitrary<Drawn[]> =>
  fc.tuple(
    ...Array.from({ length: size }, (_, at) =>
      fc.record({
        below: below(at),
        level: fc.constantFrom<Level>('hold', 'fault', 'wait'),
        stays: fc.boolean(),
        isTelling: fc.boolean(),
      }),
    ),
  );
const sizes = fc.integer({ min: 1, max: 12 });
const anyGraph = sizes.chain((size) => drawnOf(size, () => fc.array(fc.nat(size - 1), { maxLength: 6 })));
const withoutCycles = sizes.chain((size) =>
  drawnOf(size, (at) =>
    at === size - 1 ? fc.constant([]) : fc.array(fc.integer({ min: at + 1, max: size - 1 }), { maxLength: 6 }),
  ),
);

/** What the definition says, path by path. */
const byDefinition = (complaint: Complaint): Complaint[] => {
  const reached = (complaint.rule?.by?.(complaint.object, graph) ?? []).flatMap(byDefinition);
  const found = complaint.rule?.isTelling && reached.every(({ level }) => level === 'wait') ? [] : reached;
  return [...new Set([...found, ...(found.length === 0 || complaint.rule?.stays ? [complaint] : [])])];
};

describe('roots', () => {
  it('are those that the definition gives, in its order, where nothing explains itself', () => {
    fc.assert(
      fc.property(withoutCycles, (drawn) => {
        const { complaints } = complaintsOf(drawn);
        const [first] = complaints as [Complaint];
        expect(names(rootsOf([[first]], graph)[0]!)).toEqual(byDefinition(first).map(({ message }) => message));
      }),
    );
  });

  it('ask each complaint once, explain every one, and are each once in a result', () => {
    fc.assert(
      fc.property(anyGraph, (drawn) => {
        const { complaints, asked } = complaintsOf(drawn);
        const all = rootsOf(
          complaints.map((one) => [one]),
          graph,
        ).flat();
        expect(asked).toEqual(drawn.map(() => 1));
        expect(new Set(names(all)).size).toBe(all.length);
        for (const one of complaints) expect(rootsOf([[one]], graph)[0]).not.toEqual([]);
      }),
    );
  });

  it('have paths along which each complaint explains the one before', () => {
    fc.assert(
      fc.property(anyGraph, (drawn) => {
        const { complaints } = complaintsOf(drawn);
        const [first] = complaints as [Complaint];
        for (const { complaint, path } of rootsOf([[first]], graph)[0]!) {
          const [from, ...rest] = [...path, complaint];
          expect(from).toBe(first);
          rest.reduce((above, one) => {
            expect(above.rule?.by?.(above.object, graph).map(keyOf)).toContain(keyOf(one));
            return one;
          }, from!);
        }
      }),
    );
  });

  const plain = { level: 'wait', stays: false, isTelling: false } as const;
  const size = 400;
  it.each([
    { what: 'all of which explain each other', below: () => Array.from({ length: size }, (_, at) => at), roots: 1 },
    { what: 'in a chain of forks that meet again', below: (at: number) => [at + 1, at + 1, at + 2], roots: 1 },
    { what: 'in a ring', below: (at: number) => [(at + 1) % size], roots: 1 },
  ])('come at once of hundreds of complaints $what', ({ below, roots }) => {
    const { complaints, asked } = complaintsOf(
      Array.from({ length: size }, (_, at) => ({ ...plain, below: below(at).filter((one) => one < size) })),
    );
    expect(rootsOf([complaints], graph)[0]).toHaveLength(roots);
    expect(asked).toEqual(complaints.map(() => 1));
  });

  it('come of chains that are longer than the stack', () => {
    const length = 20_000;
    const { complaints } = complaintsOf(
      Array.from({ length }, (_, at) => ({ ...plain, below: at + 1 < length ? [at + 1] : [] })),
    );
    const [root, ...more] = rootsOf([complaints.slice(0, 1)], graph)[0]!;
    expect(more).toEqual([]);
    expect(root?.path).toHaveLength(length - 1);
  });
});

/** Writes manifests of older versions of Cluster API and its AWS provider in today's versions. */
import type { Document } from 'yaml';
import { kindsOnDemand } from '../../kinds/on-demand.ts';
import { definitionOf } from '../../machinery/api/kind.ts';
import type { JsonSchema } from '../../machinery/api/schema.ts';
import { acrossObjects } from './across.ts';
import { type Change, Changes } from './changes.ts';
import { addManager } from './cloud-controller-manager.ts';
import { updateComponents } from './components.ts';
import { uniteControlPlanes } from './control-planes.ts';
import { fitDocument } from './fit.ts';
import { forControlPlanes } from './former-labels.ts';
import { groups, type Input, knownVersion, type Manifest, neverWas, today } from './manifest.ts';
import { toToday } from './newer.ts';
import { asMap, at, contentOf, fieldIn, removeAt, scalar, textAt } from './nodes.ts';
import { fromOlder } from './older.ts';
import { patchedBy } from './patched.ts';
import { askForValues } from './placeholders.ts';
import { documentOf, type Part, partsOf, printed } from './stream.ts';

export interface Converted {
  /** In the order of the sources. */
  texts: string[];
  changes: Change[];
}

const serverSet = [
  'creationTimestamp',
  'deletionTimestamp',
  'generation',
  'managedFields',
  'resourceVersion',
  'selfLink',
  'uid',
];
const exportedAnnotations = ['kubectl.kubernetes.io/last-applied-configuration', 'cluster.x-k8s.io/conversion-data'];

/** What a server wrote into an object that was exported from it. */
const withoutExport = ({ node, changes }: Manifest): void => {
  const gone = (path: string[], why: string) => {
    if (removeAt(node, path)) changes.add('changed', path.join('.'), why);
  };
  gone(['status'], 'the controllers write it');
  for (const field of serverSet) gone(['metadata', field], 'the server writes it');
  for (const name of exportedAnnotations)
    if (removeAt(node, ['metadata', 'annotations', name]))
      changes.add('note', 'metadata.annotations', `${name} repeats the object in another version`);
};

const manifestOf = ({ document }: Part): Manifest | undefined => {
  const node = asMap(document?.contents);
  const [apiVersion, kind] = [textAt(node, 'apiVersion') ?? '', textAt(node, 'kind') ?? ''];
  const version = knownVersion(apiVersion, kind);
  if (!node || !version) return undefined;
  const name = textAt(node, 'metadata', 'name') ?? textAt(node, 'metadata', 'generateName') ?? '';
  return {
    kind,
    name,
    namespace: textAt(node, 'metadata', 'namespace') ?? '',
    version,
    document: document as Document,
    node,
    given: JSON.stringify(contentOf(node)),
    changes: new Changes(`${kind}/${name}`),
  };
};

const neverOf = ({ document }: Part): Change[] => {
  const [apiVersion, kind, name] = [['apiVersion'], ['kind'], ['metadata', 'name']].map(
    (path) => textAt(document?.contents, ...path) ?? '',
  ) as [string, string, string];
  const why = neverWas(apiVersion, kind);
  return why === undefined
    ? []
    : [{ level: 'error', object: `${kind}/${name}`, path: 'apiVersion', why, from: apiVersion }];
};

const setVersion = ({ kind, node, changes }: Manifest): void => {
  const [from, to] = [textAt(node, 'apiVersion')!, `${groups[kind]!}/${today}`];
  if (from === to) return;
  const there = fieldIn(node, 'apiVersion')!;
  there.value = scalar(to);
  changes.add('changed', 'apiVersion', 'the version of today', { from, to });
};

/** The schemas of the stored versions, of kinds that are served. */
const schemasOf = async (wanted: ReadonlySet<string>): Promise<Map<string, JsonSchema>> => {
  const found = await Promise.all(
    kindsOnDemand
      .filter(({ group, kind }) => wanted.has(kind) && groups[kind] === group)
      .map(
        async (one) => [one.kind, (await definitionOf(one)).versions.find(({ storage }) => storage)!.schema] as const,
      ),
  );
  return new Map(found);
};

const fitToSchema = (manifest: Manifest, schema: JsonSchema | undefined): void => {
  const { kind, node, changes } = manifest;
  if (!schema)
    changes.add('note', 'kind', `${kind} is not served by Capstan: its fields are not compared with a schema`);
  if (schema) fitDocument(schema, node, changes);
};

/** Otherwise the text stays as it is, byte for byte. */
const isChanged = ({ node, given, changes }: Manifest): boolean =>
  changes.list.some(({ level }) => level === 'changed') || JSON.stringify(contentOf(node)) !== given;

const otherOf = ({ document, text }: Part) => ({
  kind: textAt(document?.contents, 'kind') ?? '',
  name: textAt(document?.contents, 'metadata', 'name') ?? '',
  text,
});

/** A file and its text. */
export interface Source {
  name: string;
  text: string;
}

const faultOf = (fault: string, { name }: Source, index: number): Change => ({
  level: 'error',
  object: `${name}, document ${index + 1}`,
  path: '',
  why: fault,
});

export const joined = (texts: readonly string[]): string =>
  texts
    .filter((text) => text !== '')
    .map((text) => text.replace(/\n*$/, '\n'))
    .join('---\n');

/** Converts manifests together: what goes from one object to another needs both. */
export const convert = async (sources: readonly Source[]): Promise<Converted> => {
  const faults: Change[] = [];
  const parts = sources.flatMap((source) =>
    partsOf(source.text).flatMap((part, i) => {
      if (part.fault === undefined) {
        faults.push(...neverOf(part));
        return [{ source, part, manifest: manifestOf(part) }];
      }
      faults.push(faultOf(part.fault, source, i));
      return [];
    }),
  );
  const manifests = parts.flatMap(({ manifest }) => manifest ?? []);
  const others = parts.filter(({ manifest }) => !manifest).map(({ part }) => otherOf(part));
  const input: Input = { manifests, others, added: [] };
  for (const manifest of manifests) {
    setVersion(manifest);
    withoutExport(manifest);
    fromOlder(manifest);
    toToday(manifest);
  }
  acrossObjects(input);
  uniteControlPlanes(input);
  input.manifests = manifests.filter(({ isGone }) => !isGone);
  addManager(input, updateComponents(input));
  const schemas = await schemasOf(new Set(input.manifests.map(({ kind }) => kind)));
  const isPatched = patchedBy(input.manifests);
  for (const manifest of input.manifests) {
    fitToSchema(manifest, schemas.get(manifest.kind));
    for (const field of ['metadata', 'spec'])
      askForValues(at(manifest.node, field), manifest.changes, field, (path) => isPatched(manifest, path));
  }
  const ofOthers: Change[] = [];
  const textsOf = ({ part, manifest }: (typeof parts)[number]): string[] => {
    if (!manifest) {
      const { text, changes } = forControlPlanes(otherOf(part), input.manifests);
      ofOthers.push(...changes);
      return [text];
    }
    if (manifest.isGone) return [];
    const added = input.added.filter(({ after }) => after === manifest);
    return [
      isChanged(manifest) ? printed(manifest.document, part.text) : part.text,
      ...added.map(({ object }) => printed(documentOf(object), part.text)),
    ];
  };
  const texts = sources.map((source) => joined(parts.filter((one) => one.source === source).flatMap(textsOf)));
  return { texts, changes: [...faults, ...manifests.flatMap(({ changes }) => changes.list), ...ofOthers] };
};

/** Requests in unusual forms: media types, tables, unusual queries, field selectors. */
import { kinds } from '../../../../kinds/index.ts';
import { apiVersionOf } from '../../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { watchFor } from '../../clients/events.ts';
import { configMapInProtobuf } from '../../clients/protobuf.ts';
import { bodyOf, configMaps, placeOf, type Session } from './session.ts';
import { begun, collectionOf } from './writes.ts';

const json = 'application/json';
const inMeta = (as: string, version: string) => `${json};as=${as};v=${version};g=meta.k8s.io`;
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** A ConfigMap in unusual but valid JSON. */
const oddly = (name: string) =>
  Buffer.from(
    `\t{ "apiVersion": "v1",\r\n "\\u006bind": "ConfigMap", "metadata": {"name": "${name}", "generation": 1.0e0},
    "immutable" : false, "data": {"word": "\\u0066ir\\u0073t", "odd": "\\ud83d\\ude00 \\"\\\\\\/\\b\\n"}, "binaryData": null } `,
  );
const asYaml = (name: string) =>
  Buffer.from(
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\nimmutable: false\ndata:\n  word: first\n  odd: "😀 \\"\\\\/\\b\\n"\n`,
  );
const inProtobuf = (name: string) => configMapInProtobuf({ name }, { word: 'first', odd: '😀 "\\/\b\n' });

const writings: readonly (readonly [contentType: string, write: (name: string) => Uint8Array])[] = [
  [json, oddly],
  ['application/yaml', asYaml],
  ['application/vnd.kubernetes.protobuf', inProtobuf],
];

/** Queries of a collection. `EARLIER` is a resourceVersion at which the collection differed. */
const questions: readonly (readonly [query: string, code: number])[] = [
  ['resourceVersion=EARLIER&resourceVersionMatch=Exact', 410],
  ['resourceVersion=EARLIER&resourceVersionMatch=NotOlderThan', 200],
  ['resourceVersion=EARLIER&resourceVersionMatch=Newest', 422],
  ['resourceVersion=0&resourceVersionMatch=Exact', 422],
  ['resourceVersionMatch=NotOlderThan', 422],
  ['sendInitialEvents=true', 422],
  ['watch=true&timeoutSeconds=1&sendInitialEvents=true', 422],
  ['watch=true&timeoutSeconds=1&resourceVersionMatch=NotOlderThan&resourceVersion=EARLIER', 422],
  ['watch=false&timeoutSeconds=1', 200],
  ['watch=0&timeoutSeconds=1', 200],
  ['resourceVersion=word', 400],
  ['limit=word', 400],
  ['continue=word', 400],
  ['labelSelector=a+in', 400],
  ['fieldSelector=data.word%3Dfirst', 400],
];

/** A watch may begin with the list of what there is, which a mark ends. */
const watchFromList = async ({ expect, world }: Session, collection: string, { metadata }: KubeObject) => {
  const query = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
  const path = `${collection}?watch=true&timeoutSeconds=1&${query}`;
  const { events, isEnded } = await watchFor(world, path, 30_000);
  const isMark = ({ type, object }: (typeof events)[number]) =>
    type === 'BOOKMARK' && object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true';
  const mark = events.findIndex(isMark);
  if (mark < 0 && (!isEnded || world.isDisturbed)) return;
  expect('the marks after the list', events.filter(isMark).length, 1);
  const listed = events.slice(0, mark);
  expect('what precedes the mark', listed.filter(({ type }) => type !== 'ADDED').length, 0);
  expect(
    `whether ${metadata.name} is listed`,
    listed.some(({ object }) => object.metadata.uid === metadata.uid),
    true,
  );
};

export const forms = {
  'write in other formats': async (session: Session) => {
    const { ask, draw, expect } = session;
    const [contentType, write] = draw.pick(writings);
    const name = session.newName();
    const place = placeOf(configMaps, name);
    await ask('POST', collectionOf(place), 201, write(name), contentType);
    const { metadata, data, ...rest } = (await ask('GET', place, 200)) as KubeObject & { data?: unknown };
    const { word, odd, ...others } = data as Record<string, string>;
    expect(`the data of ${name}`, `${word} ${odd}${Object.keys(others)}`, 'first 😀 "\\/\b\n');
    const own = ['creationTimestamp', 'generation', 'managedFields', 'name', 'namespace', 'resourceVersion', 'uid'];
    const more = Object.keys(metadata).filter((key) => !own.includes(key));
    expect(`the unexpected fields of ${name}`, more.join(), '');
    const { immutable = false, binaryData } = rest as { immutable?: boolean; binaryData?: unknown };
    expect(`whether ${name} is immutable or has binaryData`, immutable || binaryData !== undefined, false);
    for (const bad of [
      '{"a": tru}',
      '{"a": 1,}',
      '{"a": "\u0001"}',
      `{"a": '1'}`,
      '{"a": 01}',
      '{} {}',
      '{"a"',
      '"\\x"',
    ])
      await ask('POST', collectionOf(place), 400, Buffer.from(bad));
    await ask('POST', collectionOf(place), 415, write(name), 'text/plain');
    await ask('POST', collectionOf(place), 400, Buffer.from('k8s'), 'application/vnd.kubernetes.protobuf');
  },
  'query in unusual ways': async (session: Session) => {
    const { ask } = session;
    const { sort, first, place } = await begun(session);
    await session.make(sort, { name: session.newName() });
    const collection = collectionOf(place);
    for (const [query, code] of questions)
      await ask('GET', `${collection}?${query.replace('EARLIER', first.metadata.resourceVersion!)}`, code);
    await watchFromList(session, collection, first);
    await ask('GET', place, 406, undefined, 'text/html');
    await ask('GET', collection.replace(/[^/]+$/, 'nothing'), 404);
    await ask('POST', place, 405, bodyOf(sort, { name: first.metadata.name }));
    // Without a resourceVersion the update is unconditional, where that is allowed.
    const unconditional = { ...first, metadata: { ...first.metadata, resourceVersion: '' } };
    await ask('PUT', place, sort.isCustom ? 422 : 200, unconditional);
    await ask('PATCH', place, 415, sort.of('second'), json);
    await ask('DELETE', place, 422, { propagationPolicy: 'Sideways' });
  },
  'read metadata only': async (session: Session) => {
    const { ask, draw, expect } = session;
    const { place, first } = await begun(session);
    const [version, other] = draw.chance(0.5) ? (['v1', 'v1beta1'] as const) : (['v1beta1', 'v1'] as const);
    const apiVersion = `meta.k8s.io/${version}`;
    // The first acceptable media type wins.
    const preferring = (as: string) => [inMeta(as, version), inMeta(as, other), json].join();
    const table = (await ask('GET', place, 200, undefined, preferring('Table'))) as unknown as {
      rows: { cells: unknown[]; object: KubeObject }[];
    } & KubeObject;
    expect('the form of a table', `${table.kind} ${table.apiVersion}`, `Table ${apiVersion}`);
    expect('the first cell', table.rows[0]?.cells[0], first.metadata.name);
    const row = table.rows[0]?.object;
    expect('the object of a row', `${row?.kind} ${row?.apiVersion}`, `PartialObjectMetadata ${apiVersion}`);
    const part = await ask('GET', place, 200, undefined, preferring('PartialObjectMetadata'));
    expect('fields of metadata alone', Object.keys(part).sort().join(), 'apiVersion,kind,metadata');
    expect('the form of metadata alone', `${part.kind} ${part.apiVersion}`, `PartialObjectMetadata ${apiVersion}`);
    expect('metadata alone', JSON.stringify(part.metadata), JSON.stringify((await ask('GET', place, 200)).metadata));
    const lists = preferring('PartialObjectMetadataList');
    const { items } = (await ask('GET', collectionOf(place), 200, undefined, lists)) as unknown as {
      items: KubeObject[];
    };
    const found = items.find(({ metadata }) => metadata.uid === first.metadata.uid);
    const should = part.apiVersion === found?.apiVersion ? 'apiVersion,kind,metadata' : 'metadata';
    expect(
      `the listed metadata of ${first.metadata.name}`,
      Object.keys(found ?? {})
        .sort()
        .join(),
      should,
    );
  },
  'watch objects that enter and leave a selector': async (session: Session) => {
    const { ask, clock, draw, expect, world } = session;
    const namespace = session.newName();
    await ask('POST', '/api/v1/namespaces', 201, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    });
    const collection = `/api/v1/namespaces/${namespace}/events`;
    const involvedObject = { apiVersion: 'v1', kind: 'Namespace', name: namespace, namespace };
    const report = (name: string, type: string) => ({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name },
      involvedObject,
      reason: 'Seen',
      type,
    });
    await ask('POST', collection, 201, report('first', 'Warning'));
    await ask('POST', collection, 201, report('second', 'Normal'));
    const query = 'watch=true&fieldSelector=type%3DWarning&timeoutSeconds=60';
    const watching = watchFor(world, `${collection}?${query}`, 90_000);
    await sleep(clock, 5000);
    const change = async (name: string, type: string) => {
      await ask('PATCH', `${collection}/${name}`, 200, { type });
      await sleep(clock, draw.spread(10, 3000));
    };
    await change('second', 'Warning');
    await change('first', 'Normal');
    await ask('PATCH', `${collection}/second`, 200, { reason: 'Lost' });
    await ask('DELETE', `${collection}/first`, 200);
    const { events, isEnded } = await watching;
    const known = new Set<string>();
    for (const { type, object } of events) {
      const { name } = object.metadata;
      if (type === 'BOOKMARK' || type === 'ERROR') continue;
      expect(`whether ${name} was known before its event ${type}`, known.has(name), type !== 'ADDED');
      if (type === 'DELETED') known.delete(name);
      else known.add(name);
      const { type: severity } = object as unknown as { type: string };
      if (type !== 'DELETED') expect(`the type of the selected ${name}`, severity, 'Warning');
    }
    if (isEnded && !world.isDisturbed) expect('the selected objects', [...known].join(), 'second');
  },
  'read the kinds': async (session: Session) => {
    const { ask, draw, expect } = session;
    const kind = draw.pick(kinds.filter((one) => one.custom && one.served !== false));
    const { spec } = (await ask('GET', `${definitions}/${kind.plural}.${kind.group}`, 200)) as KubeObject<{
      names: { kind: string; plural: string; shortNames?: string[] };
      scope: string;
      versions: { name: string; storage: boolean; additionalPrinterColumns?: { name: string; priority?: number }[] }[];
    }>;
    expect(`the names of ${kind.kind}`, `${spec?.names.kind} ${spec?.names.plural}`, `${kind.kind} ${kind.plural}`);
    expect(`the scope of ${kind.kind}`, spec?.scope, kind.namespaced ? 'Namespaced' : 'Cluster');
    for (const version of kind.versions) {
      const served = spec?.versions.find(({ name }) => name === version.name);
      expect(`whether ${kind.kind} is stored as ${version.name}`, served?.storage, version.storage);
      const columns = (all: readonly { name: string; priority?: number | undefined }[] = []) =>
        all.map(({ name, priority = 0 }) => `${name} ${priority}`).join();
      expect(`columns of ${kind.kind}`, columns(served?.additionalPrinterColumns), columns(version.columns));
      const { resources } = (await ask('GET', `/apis/${apiVersionOf(kind.group, version.name)}`, 200)) as unknown as {
        resources: { name: string; kind: string; namespaced: boolean }[];
      };
      const found = resources.find(({ name }) => name === kind.plural);
      expect(
        `${kind.plural} of ${version.name}`,
        `${found?.kind} ${found?.namespaced}`,
        `${kind.kind} ${kind.namespaced}`,
      );
    }
  },
};

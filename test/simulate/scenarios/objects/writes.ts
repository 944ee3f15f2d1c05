/** The answers to clients that write single objects. */
import { createHash } from 'node:crypto';
import { kinds } from '../../../../kinds/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { pathOf } from '../../clients/client.ts';
import { bodyOf, configMaps, type Desk, placeOf, sorts, templates } from './session.ts';

export const collectionOf = (place: string) => place.slice(0, place.lastIndexOf('/'));
export const begun = async (desk: Desk) => {
  const sort = desk.draw.pick(sorts);
  const name = desk.newName();
  const place = placeOf(sort, name);
  const first = await desk.make(sort, { name });
  desk.expect(`the word of ${name}`, sort.wordIn(first), 'first');
  desk.expect(`the generation of ${name}`, first.metadata.generation, sort.isCustom ? 1 : undefined);
  return { sort, name, place, first };
};
export const revision = ({ metadata: { uid, resourceVersion } }: KubeObject) => `${uid} ${resourceVersion}`;
/** Milliseconds. A watch that was disconnected no longer than this may resume. */
const watched = 6 * 60 * 60_000;
/** Incompressible text, so that the object exceeds one item of the table. */
export const noise = (seed: string): string => {
  const words = [createHash('sha512').update(seed).digest()];
  while (words.length < 7000) words.push(createHash('sha512').update(words.at(-1)!).digest());
  return Buffer.concat(words).toString('base64');
};
const precondition = (preconditions: object) => ({ kind: 'DeleteOptions', apiVersion: 'v1', preconditions });

export const writes = {
  'create twice': async (desk: Desk) => {
    const { sort, name, place, first } = await begun(desk);
    await desk.ask('POST', collectionOf(place), 409, bodyOf(sort, { name }, 'second'));
    desk.expect(`${name} after its second creation`, revision(await desk.ask('GET', place, 200)), revision(first));
  },
  'generate a name': async (desk: Desk) => {
    const { draw, expect } = desk;
    const sort = draw.pick(sorts);
    // The longest label value.
    const longest = 63;
    const generateName = `${desk.newName()}-${'x'.repeat(draw.whole(0, 2) * 40)}`;
    const collection = collectionOf(placeOf(sort, generateName));
    const { metadata } = await desk.ask('POST', collection, 201, bodyOf(sort, { generateName }));
    const { name } = metadata;
    const begin = generateName.slice(0, longest - 5);
    expect(`${name} for ${generateName}`, name.slice(0, -5), begin);
    expect(`the word of ${name}`, sort.wordIn(await desk.ask('GET', placeOf(sort, name), 200)), 'first');
  },
  'update a former state': async (desk: Desk) => {
    const { sort, name, place, first } = await begun(desk);
    await desk.ask('PUT', place, 200, { ...first, ...sort.of('second') });
    const second = await desk.ask('GET', place, 200);
    desk.expect(`the word of ${name}`, sort.wordIn(second), 'second');
    desk.expect(`the generation of ${name}`, second.metadata.generation, sort.isCustom ? 2 : undefined);
    desk.expect(
      `the creationTimestamp of ${name}`,
      second.metadata.creationTimestamp,
      first.metadata.creationTimestamp,
    );
    await desk.ask('PUT', place, 409, { ...first, ...sort.of('third') });
    const { resourceVersion, ...unversioned } = first.metadata;
    const { uid } = unversioned;
    await desk.ask('DELETE', place, 409, precondition({ resourceVersion }));
    await desk.ask('DELETE', place, 409, precondition({ uid, resourceVersion }));
    await desk.ask('DELETE', place, 409, precondition({ uid: uid!.replace(/^.{4}/, 'beef') }));
    desk.expect(`${name} after the refused requests`, revision(await desk.ask('GET', place, 200)), revision(second));
    // Without a resourceVersion an update replaces any state, except for custom resources.
    const blind = { ...first, ...sort.of('third'), metadata: unversioned };
    await desk.ask('PUT', place, sort.isCustom ? 422 : 200, blind);
    const third = await desk.ask('GET', place, 200);
    desk.expect(
      `the word of ${name}, after an unconditional update`,
      sort.wordIn(third),
      sort.isCustom ? 'second' : 'third',
    );
    await desk.ask('DELETE', place, 200, precondition({ uid }));
    await desk.ask('GET', place, 404);
    await desk.make(sort, { name });
    await desk.ask('DELETE', place, 409, precondition({ uid }));
    await desk.ask('GET', place, 200);
  },
  'patch labels and data': async (desk: Desk) => {
    const { sort, name, place, first } = await begun(desk);
    await desk.ask('PATCH', place, 200, sort.of('first'));
    desk.expect(`${name} after nothing`, revision(await desk.ask('GET', place, 200)), revision(first));
    await desk.ask('PATCH', place, 200, { metadata: { labels: { of: 'user' } } });
    const labelled = await desk.ask('GET', place, 200);
    desk.expect(`the label of ${name}`, labelled.metadata.labels?.of, 'user');
    desk.expect(`the generation of ${name}`, labelled.metadata.generation, first.metadata.generation);
    await desk.ask('PATCH', place, 200, sort.of('second'));
    const second = await desk.ask('GET', place, 200);
    desk.expect(`the generation of ${name}`, second.metadata.generation, sort.isCustom ? 2 : undefined);
    const removal = [{ op: 'remove', path: '/metadata/labels/of' }];
    await desk.ask('PATCH', place, 200, removal, 'application/json-patch+json').catch((error: unknown) => {
      // An attempt with a lost answer may have removed it already.
      if (desk.world.mirror.get<KubeObject>(sort.kind, 'default', name)?.metadata.labels?.of) throw error;
    });
    const last = await desk.ask('GET', place, 200);
    desk.expect(`the label of ${name}`, last.metadata.labels?.of, undefined);
    desk.expect(`the word of ${name}`, sort.wordIn(last), 'second');
  },
  'run dry': async (desk: Desk) => {
    const { sort, name, place, first } = await begun(desk);
    const dry = '?dryRun=All';
    const absent = desk.newName();
    await desk.ask('POST', `${collectionOf(place)}${dry}`, 201, bodyOf(sort, { name: absent }));
    await desk.ask('GET', placeOf(sort, absent), 404);
    for (const [method, body] of [
      ['PUT', { ...first, ...sort.of('second') }],
      ['PATCH', sort.of('second')],
    ] as const)
      desk.expect(
        `the dry run of ${method} on ${name}`,
        sort.wordIn(await desk.ask(method, `${place}${dry}`, 200, body)),
        'second',
      );
    const { uid, resourceVersion } = first.metadata;
    const asBody = (options: object) => ({ kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'], ...options });
    for (const [query, body] of [
      [dry, undefined],
      [`${dry}&propagationPolicy=${desk.draw.pick(['Background', 'Foreground', 'Orphan'])}`, undefined],
      [`${dry}&gracePeriodSeconds=0`, undefined],
      ['', asBody({ propagationPolicy: desk.draw.pick(['Background', 'Foreground', 'Orphan']) })],
      ['', asBody({ preconditions: { uid, resourceVersion } })],
    ] as const)
      await desk.ask('DELETE', `${place}${query}`, 200, body);
    desk.expect(`${name} after the dry runs`, revision(await desk.ask('GET', place, 200)), revision(first));
  },
  'hold an object in deletion': async (desk: Desk) => {
    const { sort, name, place, first } = await begun(desk);
    const finalizers = ['example.com/a', 'example.com/b'];
    await desk.ask('PATCH', place, 200, { metadata: { finalizers } });
    await desk.ask('DELETE', place, 200);
    const going = await desk.ask('GET', place, 200);
    desk.expect(`the deletionTimestamp of ${name}`, going.metadata.deletionTimestamp !== undefined, true);
    // Times are whole seconds.
    await sleep(desk.clock, desk.draw.spread(2000, 60_000));
    await desk.ask('DELETE', place, 200);
    desk.expect(`${name}, deleted twice`, revision(await desk.ask('GET', place, 200)), revision(going));
    await desk.ask('PATCH', place, 422, { metadata: { finalizers: [...finalizers, 'example.com/c'] } });
    await desk.ask('PATCH', place, 200, { metadata: { labels: { late: 'yes' } } });
    await desk.ask('PATCH', place, 200, { metadata: { finalizers: finalizers.slice(1) } });
    const held = await desk.ask('GET', place, 200);
    desk.expect(`the deletionTimestamp of ${name}`, held.metadata.deletionTimestamp, going.metadata.deletionTimestamp);
    // A repeated attempt finds no object.
    const { code } = await desk.client.request('PATCH', place, { metadata: { finalizers: null } });
    desk.expect(`letting ${name} go`, code === 200 || code === 404, true);
    await desk.ask('GET', place, 404);
    const next = await desk.make(sort, { name });
    desk.expect(`whether ${name} has a new uid`, next.metadata.uid !== first.metadata.uid, true);
  },
  'write reserved fields': async (desk: Desk) => {
    const name = desk.newName();
    const place = `${pathOf('Cluster')}/${name}`;
    const annotations = { 'capstan.dev/target': 'Nothing', 'capstan.dev/retry': 'once' };
    const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSCluster', name };
    const cluster = {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Cluster',
      spec: { paused: true, infrastructureRef },
    };
    await desk.ask('POST', collectionOf(place), 201, { ...cluster, metadata: { name, annotations } });
    const patch = { metadata: { annotations, labels: { of: 'user' } }, status: { phase: 'Failed' } };
    await desk.ask('PATCH', place, 200, patch);
    const { metadata, status } = await desk.ask('GET', place, 200);
    desk.expect(`the target of ${name}`, metadata.annotations?.['capstan.dev/target'], undefined);
    desk.expect(`the retry annotation of ${name}`, metadata.annotations?.['capstan.dev/retry'], 'once');
    desk.expect(`the phase of ${name}`, (status as { phase?: string } | undefined)?.phase === 'Failed', false);
    await desk.ask('PATCH', `${place}/status`, 200, { spec: { paused: false } });
    const after = await desk.ask('GET', place, 200);
    desk.expect(`whether ${name} is paused`, (after.spec as { paused?: boolean }).paused, true);
    desk.expect(`the generation of ${name}`, after.metadata.generation, 1);
    // An update changes only what the client may write.
    const { resourceVersion } = metadata;
    await desk.ask('PATCH', place, 200, { metadata: { labels: { of: 'others' } } });
    await desk.ask('PATCH', `${place}/status`, 409, { metadata: { resourceVersion }, status: { phase: 'Failed' } });
    await desk.ask('PUT', `${place}/status`, 409, { ...after, metadata: { ...after.metadata, resourceVersion } });
    await desk.ask('PATCH', place, 200, { spec: { paused: false } });
    await desk.ask('DELETE', place, 200);
    await desk.eventually(`the end of ${name}`, () => !desk.world.mirror.get('Cluster', 'default', name));
  },
  'protect a cluster': async (desk: Desk) => {
    const name = desk.newName();
    const place = `${pathOf('Cluster')}/${name}`;
    const annotations = { 'capstan.dev/protected': 'true' };
    const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSCluster', name };
    const spec = { paused: true, infrastructureRef };
    const cluster = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', metadata: { name, annotations }, spec };
    await desk.ask('POST', collectionOf(place), 201, cluster);
    for (const query of ['', '?propagationPolicy=Foreground', '?dryRun=All'])
      await desk.ask('DELETE', `${place}${query}`, 403);
    const { metadata } = await desk.ask('GET', place, 200);
    desk.expect(`the deletionTimestamp of the protected ${name}`, metadata.deletionTimestamp, undefined);
    const keys = `${pathOf('Secret')}/${name}-ca`;
    await desk.ask('POST', collectionOf(keys), 201, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `${name}-ca` },
    });
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'absent', uid: 'absent' };
    await desk.ask('PATCH', keys, 403, { metadata: { ownerReferences: [owner] } });
    await desk.ask('DELETE', keys, 403);
    const lifted = { 'capstan.dev/protected': desk.draw.pick([null, 'false']) };
    await desk.ask('PATCH', place, 200, { metadata: { annotations: lifted }, spec: { paused: false } });
    await desk.ask('DELETE', keys, 200);
    await desk.ask('DELETE', place, 200);
    await desk.eventually(`the end of ${name}`, () => !desk.world.mirror.get('Cluster', 'default', name));
  },
  'write in an old version': async (desk: Desk) => {
    const sort = templates;
    const name = desk.newName();
    const old = `${pathOf(sort.kind, 'bootstrap.cluster.x-k8s.io/v1beta1')}/${name}`;
    const nodeRegistration = { kubeletExtraArgs: { 'node-labels': 'of=user' } };
    const spec = { template: { spec: { format: 'cloud-config', joinConfiguration: { nodeRegistration } } } };
    const body = { apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta1', kind: sort.kind, metadata: { name }, spec };
    await desk.ask('POST', collectionOf(old), 201, body);
    const first = await desk.ask('GET', placeOf(sort, name), 200);
    const asOld = await desk.ask('GET', old, 200);
    desk.expect(`the version of ${name}`, asOld.apiVersion, body.apiVersion);
    const labels = JSON.stringify(asOld.spec);
    desk.expect(`what ${name} keeps`, labels.includes('"node-labels":"of=user"'), true);
    await desk.ask('PUT', old, 200, asOld);
    desk.expect(
      `${name}, written back as read`,
      revision(await desk.ask('GET', placeOf(sort, name), 200)),
      revision(first),
    );
  },
  'write a large object': async (desk: Desk) => {
    const { kind, apiVersion } = configMaps;
    const name = desk.newName();
    const isDense = desk.draw.chance(0.5);
    const word = isDense ? noise(name) : 'lorem ipsum '.repeat(desk.draw.whole(1, 60_000));
    const made = await desk.make(configMaps, { name }, word);
    await desk.world.mirror.seen();
    const parts = desk.world.mirror.partsOf(made);
    desk.expect(`whether ${name} is stored in parts`, parts.length > 0, isDense);
    // Otherwise a part would expire with the log, a day later.
    const ends = parts.filter(({ ttl }) => ttl !== undefined).length;
    desk.expect(`parts of ${name} that expire`, ends, 0);
    await sleep(desk.clock, desk.draw.spread(100, 60_000));
    const place = `${pathOf(kind, apiVersion)}/${name}`;
    const found = await desk.ask('GET', place, 200);
    desk.expect(`the length of ${name}`, String(configMaps.wordIn(found)).length, word.length);
    if (desk.draw.chance(0.5)) await desk.ask('PATCH', place, 200, configMaps.of('little'));
    else await desk.ask('DELETE', place, 200);
    await desk.world.mirror.seen();
    const left = desk.world.mirror.partsOf(made);
    const kept = left.filter(({ ttl }) => ttl === undefined).length;
    desk.expect(`parts of former states of ${name} that never expire`, kept, 0);
    // A resumed watch still needs them.
    const early = left.filter(({ ttl }) => (ttl as number) * 1000 < desk.clock.now() + watched).length;
    desk.expect(`parts of former states of ${name} that expire too early`, early, 0);
  },
  'generate names': async (desk: Desk) => {
    const sort = desk.draw.pick(sorts);
    const made = new Set<string>();
    for (let times = 0; times < 3; times++) {
      const place = collectionOf(placeOf(sort, 'x'));
      const { metadata } = await desk.ask('POST', place, 201, bodyOf(sort, { generateName: 'made-' }));
      desk.expect('the prefix of a generated name', metadata.name.slice(0, 5), 'made-');
      made.add(metadata.name);
    }
    desk.expect('the number of generated names', made.size, 3);
  },
  'list all kinds': async (desk: Desk) => {
    // Events are served in two API groups and stored in one.
    const served = kinds.filter((kind) => kind.served !== false && kind.kind !== 'Event');
    for (const { kind } of served) await desk.client.list(kind, undefined, desk.draw.pick([0, 1, 3]));
  },
};

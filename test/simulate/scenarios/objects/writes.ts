/** The answers to clients that write single objects. */
import { createHash } from 'node:crypto';
import { kinds } from '../../../../kinds/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { pathOf } from '../../clients/client.ts';
import { bodyOf, configMaps, placeOf, type Session, sorts, templates } from './session.ts';

export const collectionOf = (place: string) => place.slice(0, place.lastIndexOf('/'));
export const begun = async (session: Session) => {
  const sort = session.draw.pick(sorts);
  const name = session.newName();
  const place = placeOf(sort, name);
  const first = await session.make(sort, { name });
  session.expect(`the word of ${name}`, sort.wordIn(first), 'first');
  session.expect(`the generation of ${name}`, first.metadata.generation, sort.isCustom ? 1 : undefined);
  return { sort, name, place, first };
};
export const revision = ({ metadata: { uid, resourceVersion } }: KubeObject) => `${uid} ${resourceVersion}`;
/** Milliseconds. A watch that was disconnected no longer than this may resume. */
const watched = 6 * 60 * 60_000;
/** Incompressible text, so that the object exceeds one item of the table. */
export const noise = (seed: string): string => {
  const blocks = [createHash('sha512').update(seed).digest()];
  while (blocks.length < 7000) blocks.push(createHash('sha512').update(blocks.at(-1)!).digest());
  return Buffer.concat(blocks).toString('base64');
};
const precondition = (preconditions: object) => ({ kind: 'DeleteOptions', apiVersion: 'v1', preconditions });

export const writes = {
  'create twice': async (session: Session) => {
    const { sort, name, place, first } = await begun(session);
    await session.ask('POST', collectionOf(place), 409, bodyOf(sort, { name }, 'second'));
    session.expect(
      `${name} after its second creation`,
      revision(await session.ask('GET', place, 200)),
      revision(first),
    );
  },
  'generate a name': async (session: Session) => {
    const { draw, expect } = session;
    const sort = draw.pick(sorts);
    // The longest label value.
    const longest = 63;
    const generateName = `${session.newName()}-${'x'.repeat(draw.whole(0, 2) * 40)}`;
    const collection = collectionOf(placeOf(sort, generateName));
    const { metadata } = await session.ask('POST', collection, 201, bodyOf(sort, { generateName }));
    const { name } = metadata;
    const begin = generateName.slice(0, longest - 5);
    expect(`${name} for ${generateName}`, name.slice(0, -5), begin);
    expect(`the word of ${name}`, sort.wordIn(await session.ask('GET', placeOf(sort, name), 200)), 'first');
  },
  'update a former state': async (session: Session) => {
    const { sort, name, place, first } = await begun(session);
    await session.ask('PUT', place, 200, { ...first, ...sort.of('second') });
    const second = await session.ask('GET', place, 200);
    session.expect(`the word of ${name}`, sort.wordIn(second), 'second');
    session.expect(`the generation of ${name}`, second.metadata.generation, sort.isCustom ? 2 : undefined);
    session.expect(
      `the creationTimestamp of ${name}`,
      second.metadata.creationTimestamp,
      first.metadata.creationTimestamp,
    );
    await session.ask('PUT', place, 409, { ...first, ...sort.of('third') });
    const { resourceVersion, ...unversioned } = first.metadata;
    const { uid } = unversioned;
    await session.ask('DELETE', place, 409, precondition({ resourceVersion }));
    await session.ask('DELETE', place, 409, precondition({ uid, resourceVersion }));
    await session.ask('DELETE', place, 409, precondition({ uid: uid!.replace(/^.{4}/, 'beef') }));
    session.expect(
      `${name} after the refused requests`,
      revision(await session.ask('GET', place, 200)),
      revision(second),
    );
    // Without a resourceVersion an update replaces any state, except for custom resources.
    const blind = { ...first, ...sort.of('third'), metadata: unversioned };
    await session.ask('PUT', place, sort.isCustom ? 422 : 200, blind);
    const third = await session.ask('GET', place, 200);
    session.expect(
      `the word of ${name}, after an unconditional update`,
      sort.wordIn(third),
      sort.isCustom ? 'second' : 'third',
    );
    await session.ask('DELETE', place, 200, precondition({ uid }));
    await session.ask('GET', place, 404);
    await session.make(sort, { name });
    await session.ask('DELETE', place, 409, precondition({ uid }));
    await session.ask('GET', place, 200);
  },
  'patch labels and data': async (session: Session) => {
    const { sort, name, place, first } = await begun(session);
    await session.ask('PATCH', place, 200, sort.of('first'));
    session.expect(`${name} after nothing`, revision(await session.ask('GET', place, 200)), revision(first));
    await session.ask('PATCH', place, 200, { metadata: { labels: { of: 'user' } } });
    const labelled = await session.ask('GET', place, 200);
    session.expect(`the label of ${name}`, labelled.metadata.labels?.of, 'user');
    session.expect(`the generation of ${name}`, labelled.metadata.generation, first.metadata.generation);
    await session.ask('PATCH', place, 200, sort.of('second'));
    const second = await session.ask('GET', place, 200);
    session.expect(`the generation of ${name}`, second.metadata.generation, sort.isCustom ? 2 : undefined);
    const removal = [{ op: 'remove', path: '/metadata/labels/of' }];
    await session.ask('PATCH', place, 200, removal, 'application/json-patch+json').catch((error: unknown) => {
      // An attempt with a lost answer may have removed it already.
      if (session.world.mirror.get<KubeObject>(sort.kind, 'default', name)?.metadata.labels?.of) throw error;
    });
    const last = await session.ask('GET', place, 200);
    session.expect(`the label of ${name}`, last.metadata.labels?.of, undefined);
    session.expect(`the word of ${name}`, sort.wordIn(last), 'second');
  },
  'run dry': async (session: Session) => {
    const { sort, name, place, first } = await begun(session);
    const dry = '?dryRun=All';
    const absent = session.newName();
    await session.ask('POST', `${collectionOf(place)}${dry}`, 201, bodyOf(sort, { name: absent }));
    await session.ask('GET', placeOf(sort, absent), 404);
    for (const [method, body] of [
      ['PUT', { ...first, ...sort.of('second') }],
      ['PATCH', sort.of('second')],
    ] as const)
      session.expect(
        `the dry run of ${method} on ${name}`,
        sort.wordIn(await session.ask(method, `${place}${dry}`, 200, body)),
        'second',
      );
    const { uid, resourceVersion } = first.metadata;
    const asBody = (options: object) => ({ kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'], ...options });
    for (const [query, body] of [
      [dry, undefined],
      [`${dry}&propagationPolicy=${session.draw.pick(['Background', 'Foreground', 'Orphan'])}`, undefined],
      [`${dry}&gracePeriodSeconds=0`, undefined],
      ['', asBody({ propagationPolicy: session.draw.pick(['Background', 'Foreground', 'Orphan']) })],
      ['', asBody({ preconditions: { uid, resourceVersion } })],
    ] as const)
      await session.ask('DELETE', `${place}${query}`, 200, body);
    session.expect(`${name} after the dry runs`, revision(await session.ask('GET', place, 200)), revision(first));
  },
  'hold an object in deletion': async (session: Session) => {
    const { sort, name, place, first } = await begun(session);
    const finalizers = ['example.com/a', 'example.com/b'];
    await session.ask('PATCH', place, 200, { metadata: { finalizers } });
    await session.ask('DELETE', place, 200);
    const going = await session.ask('GET', place, 200);
    session.expect(`the deletionTimestamp of ${name}`, going.metadata.deletionTimestamp !== undefined, true);
    // Times are whole seconds.
    await sleep(session.clock, session.draw.spread(2000, 60_000));
    await session.ask('DELETE', place, 200);
    session.expect(`${name}, deleted twice`, revision(await session.ask('GET', place, 200)), revision(going));
    await session.ask('PATCH', place, 422, { metadata: { finalizers: [...finalizers, 'example.com/c'] } });
    await session.ask('PATCH', place, 200, { metadata: { labels: { late: 'yes' } } });
    await session.ask('PATCH', place, 200, { metadata: { finalizers: finalizers.slice(1) } });
    const held = await session.ask('GET', place, 200);
    session.expect(
      `the deletionTimestamp of ${name}`,
      held.metadata.deletionTimestamp,
      going.metadata.deletionTimestamp,
    );
    // A repeated attempt finds no object.
    const { code } = await session.client.request('PATCH', place, { metadata: { finalizers: null } });
    session.expect(`letting ${name} go`, code === 200 || code === 404, true);
    await session.ask('GET', place, 404);
    const next = await session.make(sort, { name });
    session.expect(`whether ${name} has a new uid`, next.metadata.uid !== first.metadata.uid, true);
  },
  'write reserved fields': async (session: Session) => {
    const name = session.newName();
    const place = `${pathOf('Cluster')}/${name}`;
    const annotations = { 'capstan.dev/target': 'Nothing', 'capstan.dev/retry': 'once' };
    const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSCluster', name };
    const cluster = {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Cluster',
      spec: { paused: true, infrastructureRef },
    };
    await session.ask('POST', collectionOf(place), 201, { ...cluster, metadata: { name, annotations } });
    const patch = { metadata: { annotations, labels: { of: 'user' } }, status: { phase: 'Failed' } };
    await session.ask('PATCH', place, 200, patch);
    const { metadata, status } = await session.ask('GET', place, 200);
    session.expect(`the target of ${name}`, metadata.annotations?.['capstan.dev/target'], undefined);
    session.expect(`the retry annotation of ${name}`, metadata.annotations?.['capstan.dev/retry'], 'once');
    session.expect(`the phase of ${name}`, (status as { phase?: string } | undefined)?.phase === 'Failed', false);
    await session.ask('PATCH', `${place}/status`, 200, { spec: { paused: false } });
    const after = await session.ask('GET', place, 200);
    session.expect(`whether ${name} is paused`, (after.spec as { paused?: boolean }).paused, true);
    session.expect(`the generation of ${name}`, after.metadata.generation, 1);
    // An update changes only what the client may write.
    const { resourceVersion } = metadata;
    await session.ask('PATCH', place, 200, { metadata: { labels: { of: 'others' } } });
    await session.ask('PATCH', `${place}/status`, 409, { metadata: { resourceVersion }, status: { phase: 'Failed' } });
    await session.ask('PUT', `${place}/status`, 409, { ...after, metadata: { ...after.metadata, resourceVersion } });
    await session.ask('PATCH', place, 200, { spec: { paused: false } });
    await session.ask('DELETE', place, 200);
    await session.eventually(`the end of ${name}`, () => !session.world.mirror.get('Cluster', 'default', name));
  },
  'protect a cluster': async (session: Session) => {
    const name = session.newName();
    const place = `${pathOf('Cluster')}/${name}`;
    const annotations = { 'capstan.dev/protected': 'true' };
    const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSCluster', name };
    const spec = { paused: true, infrastructureRef };
    const cluster = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', metadata: { name, annotations }, spec };
    await session.ask('POST', collectionOf(place), 201, cluster);
    for (const query of ['', '?propagationPolicy=Foreground', '?dryRun=All'])
      await session.ask('DELETE', `${place}${query}`, 403);
    const { metadata } = await session.ask('GET', place, 200);
    session.expect(`the deletionTimestamp of the protected ${name}`, metadata.deletionTimestamp, undefined);
    const keys = `${pathOf('Secret')}/${name}-ca`;
    await session.ask('POST', collectionOf(keys), 201, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `${name}-ca` },
    });
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'absent', uid: 'absent' };
    await session.ask('PATCH', keys, 403, { metadata: { ownerReferences: [owner] } });
    await session.ask('DELETE', keys, 403);
    const lifted = { 'capstan.dev/protected': session.draw.pick([null, 'false']) };
    await session.ask('PATCH', place, 200, { metadata: { annotations: lifted }, spec: { paused: false } });
    await session.ask('DELETE', keys, 200);
    await session.ask('DELETE', place, 200);
    await session.eventually(`the end of ${name}`, () => !session.world.mirror.get('Cluster', 'default', name));
  },
  'write in an old version': async (session: Session) => {
    const sort = templates;
    const name = session.newName();
    const old = `${pathOf(sort.kind, 'bootstrap.cluster.x-k8s.io/v1beta1')}/${name}`;
    const nodeRegistration = { kubeletExtraArgs: { 'node-labels': 'of=user' } };
    const spec = { template: { spec: { format: 'cloud-config', joinConfiguration: { nodeRegistration } } } };
    const body = { apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta1', kind: sort.kind, metadata: { name }, spec };
    await session.ask('POST', collectionOf(old), 201, body);
    const first = await session.ask('GET', placeOf(sort, name), 200);
    const asOld = await session.ask('GET', old, 200);
    session.expect(`the version of ${name}`, asOld.apiVersion, body.apiVersion);
    const labels = JSON.stringify(asOld.spec);
    session.expect(`what ${name} keeps`, labels.includes('"node-labels":"of=user"'), true);
    await session.ask('PUT', old, 200, asOld);
    session.expect(
      `${name}, written back as read`,
      revision(await session.ask('GET', placeOf(sort, name), 200)),
      revision(first),
    );
  },
  'write a large object': async (session: Session) => {
    const { kind, apiVersion } = configMaps;
    const name = session.newName();
    const isDense = session.draw.chance(0.5);
    const word = isDense ? noise(name) : 'lorem ipsum '.repeat(session.draw.whole(1, 60_000));
    const made = await session.make(configMaps, { name }, word);
    await session.world.mirror.seen();
    const parts = session.world.mirror.partsOf(made);
    session.expect(`whether ${name} is stored in parts`, parts.length > 0, isDense);
    // Otherwise a part would expire with the log, a day later.
    const ends = parts.filter(({ ttl }) => ttl !== undefined).length;
    session.expect(`parts of ${name} that expire`, ends, 0);
    await sleep(session.clock, session.draw.spread(100, 60_000));
    const place = `${pathOf(kind, apiVersion)}/${name}`;
    const found = await session.ask('GET', place, 200);
    session.expect(`the length of ${name}`, String(configMaps.wordIn(found)).length, word.length);
    if (session.draw.chance(0.5)) await session.ask('PATCH', place, 200, configMaps.of('little'));
    else await session.ask('DELETE', place, 200);
    await session.world.mirror.seen();
    const left = session.world.mirror.partsOf(made);
    const kept = left.filter(({ ttl }) => ttl === undefined).length;
    session.expect(`parts of former states of ${name} that never expire`, kept, 0);
    // A resumed watch still needs them.
    const early = left.filter(({ ttl }) => (ttl as number) * 1000 < session.clock.now() + watched).length;
    session.expect(`parts of former states of ${name} that expire too early`, early, 0);
  },
  'generate names': async (session: Session) => {
    const sort = session.draw.pick(sorts);
    const made = new Set<string>();
    for (let times = 0; times < 3; times++) {
      const place = collectionOf(placeOf(sort, 'x'));
      const { metadata } = await session.ask('POST', place, 201, bodyOf(sort, { generateName: 'made-' }));
      session.expect('the prefix of a generated name', metadata.name.slice(0, 5), 'made-');
      made.add(metadata.name);
    }
    session.expect('the number of generated names', made.size, 3);
  },
  'list all kinds': async (session: Session) => {
    // Events are served in two API groups and stored in one.
    const served = kinds.filter((kind) => kind.served !== false && kind.kind !== 'Event');
    for (const { kind } of served) await session.client.list(kind, undefined, session.draw.pick([0, 1, 3]));
  },
};

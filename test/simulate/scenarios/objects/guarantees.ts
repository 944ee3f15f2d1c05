/** Preconditions are checked, invalid objects are refused, and a pause is respected. */
import type { Installation } from '../../../../kinds/capstan/installation/index.ts';
import type { Condition, KubeObject } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { pathOf } from '../../clients/client.ts';
import { watchFor } from '../../clients/events.ts';
import { bodyOf, configMaps, placeOf, type Session, templates } from './session.ts';
import { begun, collectionOf, revision } from './writes.ts';

const jsonPatch = 'application/json-patch+json';
const cluster = 'cluster.x-k8s.io/v1beta2';
const region = 'eu-central-1';
const minute = 60_000;
/** Milliseconds. A watch may resume for six hours. */
const forgotten = 6.5 * 60 * 60_000;
/**
 * A scan a day later finds what was not listed before, and counts it as lost only when it is
 * missing again.
 */
const doubtful = 25 * 60 * 60_000;
/** The second scan follows ten minutes later. */
const seenAgain = 15 * 60_000;
const pausedBy = 'cluster.x-k8s.io/paused';

const deploymentOf = (name: string, annotations: Record<string, string>) => {
  const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSMachineTemplate', name };
  const machine = { clusterName: name, version: 'v1.35.0', bootstrap: { dataSecretName: name }, infrastructureRef };
  return {
    apiVersion: cluster,
    kind: 'MachineDeployment',
    metadata: { name, annotations },
    spec: { clusterName: name, replicas: 2, selector: { matchLabels: {} }, template: { spec: machine } },
  };
};

export const promises = {
  'update with a precondition': async (session: Session) => {
    const { sort, name, place, first } = await begun(session);
    await session.ask('PATCH', place, 200, sort.of('second'));
    const second = await session.ask('GET', place, 200);
    const { resourceVersion, uid } = first.metadata;
    await session.ask('PATCH', place, 409, { ...sort.of('third'), metadata: { resourceVersion } });
    await session.ask('PUT', place, 409, { ...first, ...sort.of('third') });
    const another = { ...second.metadata, uid: uid!.replace(/^.{4}/, 'beef') };
    await session.ask('PUT', place, 409, { ...second, ...sort.of('third'), metadata: another });
    const change = { op: 'add', path: '/metadata/labels', value: { of: 'user' } };
    for (const [path, value] of [
      ['/metadata/resourceVersion', resourceVersion],
      ['/metadata/uid', uid!.replace(/^.{4}/, 'beef')],
    ])
      await session.ask('PATCH', place, 422, [{ op: 'test', path, value }, change], jsonPatch);
    session.expect(
      `${name} after the refused requests`,
      revision(await session.ask('GET', place, 200)),
      revision(second),
    );
    await session.ask('PATCH', place, 200, [{ op: 'test', path: '/metadata/uid', value: uid }, change], jsonPatch);
    const { metadata } = await session.ask('GET', place, 200);
    session.expect(`the label of ${name}`, metadata.labels?.of, 'user');
  },
  'create a set of missing objects': async (session: Session) => {
    const { ask, clock, draw, newName } = session;
    const name = newName();
    const collection = pathOf('ClusterResourceSet');
    await ask('POST', collection, 201, {
      apiVersion: 'addons.cluster.x-k8s.io/v1beta2',
      kind: 'ClusterResourceSet',
      metadata: { name },
      spec: { clusterSelector: { matchLabels: { of: name } }, resources: [{ kind: 'ConfigMap', name }] },
    });
    await sleep(clock, draw.spread(minute, 40 * minute));
    await ask('DELETE', `${collection}/${name}`, 200);
  },
  'write invalid objects': async (session: Session) => {
    const { sort, name, place, first } = await begun(session);
    const collection = collectionOf(place);
    const absent = session.newName();
    const body = bodyOf(sort, { name: absent });
    const owner = { apiVersion: sort.apiVersion, kind: sort.kind, name, uid: first.metadata.uid, controller: true };
    const twice = [owner, { ...owner, uid: owner.uid!.replace(/^.{4}/, 'beef') }];
    const wrong: readonly (readonly [method: string, path: string, code: number, body: unknown])[] = [
      ['POST', collection, 422, bodyOf(sort, { name: 'Not_a_Name' })],
      ['POST', collection, 422, bodyOf(sort, { name: absent, labels: { of: 'no label!' } })],
      ['POST', collection, 400, bodyOf(sort, { name: absent, namespace: 'elsewhere' })],
      ['POST', collection.replace('/default/', '/nowhere/'), 404, body],
      ['DELETE', '/api/v1/namespaces/default', 403, undefined],
      ['POST', `${collection}?fieldValidation=Strict`, 400, { ...body, unheard: 'of' }],
      ['PATCH', place, 422, { metadata: { labels: { of: 'no label!' } } }],
      ['PATCH', place, 422, { metadata: { labels: { 'no/such/label': 'yes' } } }],
      ['PATCH', place, 422, { metadata: { finalizers: ['no good'] } }],
      ['PATCH', place, 422, { metadata: { ownerReferences: twice } }],
      ['PATCH', place, 400, { metadata: { name: absent } }],
      ['PUT', place, 400, { ...first, metadata: { ...first.metadata, name: absent } }],
    ];
    for (const one of wrong) await session.ask(...one);
    await session.ask('GET', placeOf(sort, absent), 404);
    session.expect(
      `${name} after the refused requests`,
      revision(await session.ask('GET', place, 200)),
      revision(first),
    );
    await session.ask('POST', collection, 201, { ...body, unheard: 'of' });
    const made = await session.ask('GET', placeOf(sort, absent), 200);
    session.expect(`the unknown field of ${absent}`, 'unheard' in made, false);
  },
  'pause and scale': async (session: Session) => {
    const { draw, world, ask, expect } = session;
    const name = session.newName();
    const [place, of] = [`${pathOf('Cluster')}/${name}`, `${pathOf('MachineDeployment')}/${name}`];
    const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSCluster', name };
    const isOfCluster = draw.chance(0.3);
    // The annotation counts with any value.
    const annotations: Record<string, string> = isOfCluster ? {} : { [pausedBy]: draw.pick(['', 'true', 'false']) };
    const spec = { paused: isOfCluster, infrastructureRef };
    await ask('POST', collectionOf(place), 201, { apiVersion: cluster, kind: 'Cluster', metadata: { name }, spec });
    await ask('POST', collectionOf(of), 201, deploymentOf(name, annotations));
    const saysPaused = (status: string) => () =>
      (
        world.mirror.get<KubeObject>('MachineDeployment', 'default', name)?.status as
          | { conditions?: Condition[] }
          | undefined
      )?.conditions?.some((one) => one.type === 'Paused' && one.status === status) ?? false;
    await session.eventually(`that ${name} reports its pause`, saysPaused('True'));
    const scale = `${of}/scale`;
    const scaled = async () => (await ask('GET', scale, 200)) as unknown as { spec: object; status: object };
    const first = await ask('GET', scale, 200);
    await ask('PATCH', scale, 200, { spec: { replicas: 3 } });
    await ask('PUT', scale, 409, { ...first, spec: { replicas: 4 } });
    const thought = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name }, spec: { replicas: 5 } };
    for (const method of ['PATCH', 'PUT']) await ask(method, `${scale}?dryRun=All`, 200, thought);
    expect(`the scale of ${name}`, JSON.stringify((await scaled()).spec), JSON.stringify({ replicas: 3 }));
    expect(`replicas of ${name}`, ((await ask('GET', of, 200)).spec as { replicas?: number }).replicas, 3);
    const { replicas } = (await scaled()).status as { replicas?: number };
    expect(`replicas in the status of the paused ${name}`, replicas, 0);
    const owned = ['MachineSet', 'Machine'].flatMap((kind) => world.mirror.all(kind));
    expect(`objects created for the paused ${name}`, owned.map(({ metadata }) => metadata.name).join(), '');
    if (isOfCluster) await ask('PATCH', place, 200, { spec: { paused: false } });
    else await ask('PATCH', of, 200, { metadata: { annotations: { [pausedBy]: null } } });
    await session.eventually(`that ${name} reports the end of its pause`, saysPaused('False'));
    await ask('DELETE', of, 200);
    await ask('DELETE', place, 200);
    const left = () => ['Cluster', 'MachineDeployment'].some((kind) => world.mirror.get(kind, 'default', name));
    await session.eventually(`the end of ${name}`, () => !left());
  },
  'watch from the beginning': async (session: Session) => {
    const { draw, ask, world, expect } = session;
    const sort = draw.pick([configMaps, templates]);
    const namespace = session.newName();
    await ask('POST', '/api/v1/namespaces', 201, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    });
    const labels = { seen: 'yes' };
    await session.make(sort, { name: 'seen', namespace, labels });
    await session.make(sort, { name: 'unseen', namespace });
    await session.make(sort, { name: session.newName(), labels });
    const query = 'watch=true&labelSelector=seen=yes&timeoutSeconds=60';
    const watching = watchFor(world, `${collectionOf(placeOf(sort, 'x', namespace))}?${query}`, 90_000);
    await session.make(sort, { name: session.newName(), labels });
    const { events, isEnded } = await watching;
    const is = events
      .filter(({ type }) => type !== 'ERROR')
      .map(({ type, object }) => `${type} ${object.metadata.name}`);
    if (isEnded || is.length > 0) expect(`the events of a watch of ${namespace}`, is.join(', '), 'ADDED seen');
  },
  'watch from an expired version': async (session: Session) => {
    const { draw, ask, world, clock, expect } = session;
    const sort = draw.pick([configMaps, templates]);
    const collection = collectionOf(placeOf(sort, 'x'));
    const { metadata } = await ask('GET', collection, 200);
    await session.make(sort, { name: session.newName() });
    await sleep(clock, forgotten);
    const query = `watch=true&resourceVersion=${metadata.resourceVersion}&timeoutSeconds=60`;
    const { events, isEnded } = await watchFor(world, `${collection}?${query}`, 90_000);
    const is = events.map(({ type, object }) => `${type} ${object.code}`).join(', ');
    // A watch without an event would pretend that nothing has changed.
    if (isEnded) expect('the event of a watch with an expired resourceVersion', is, 'ERROR 410');
  },
  'leave an orphaned address': async (session: Session) => {
    const { draw, world, ask, clock } = session;
    const { account, mirror } = world;
    // A worker that was frozen since before the creation would report existing objects as lost.
    await sleep(clock, 60 * 60_000);
    const clusterUid = `0${draw.whole(1e6, 9e6)}-beef-4bad-8bad-beefbeefbeef`;
    const Tags = [
      { Key: 'capstan.dev/installation', Value: 'here' },
      { Key: 'capstan.dev/cluster-uid', Value: clusterUid },
    ];
    const address = { Domain: 'vpc' as const, TagSpecifications: [{ ResourceType: 'elastic-ip' as const, Tags }] };
    const { AllocationId } = await account.call(region, 'AllocateAddress', address);
    // The end of a cluster triggers a scan for orphans.
    const comeAndGo = async () => {
      const name = session.newName();
      const infrastructures = pathOf('AWSCluster');
      const apiVersion = 'infrastructure.cluster.x-k8s.io/v1beta2';
      await ask('POST', infrastructures, 201, { apiVersion, kind: 'AWSCluster', metadata: { name }, spec: { region } });
      await ask('DELETE', `${infrastructures}/${name}`, 200);
    };
    await comeAndGo();
    const reports = (of: (status: NonNullable<Installation['status']>) => boolean | undefined) =>
      mirror.all<Installation>('Installation').some(({ status }) => status && of(status));
    const isReported = () => reports(({ orphans }) => orphans?.some(({ id }) => id === AllocationId));
    const isMissing = () => reports(({ missing }) => missing?.some(({ uid }) => uid === clusterUid));
    await session.eventually(`that ${clusterUid} is missing`, () => isMissing() || isReported(), doubtful);
    await session.eventually(`that ${AllocationId} is reported as an orphan`, isReported, seenAgain);
    const { id } = account.faults.add({ action: 'GetResources', code: 'AccessDeniedException' });
    await comeAndGo();
    await session.meanwhile(`that ${AllocationId} stays reported while scans are denied`, isReported);
    account.faults.clear(id);
    await account.call(region, 'ReleaseAddress', { AllocationId });
    await session.eventually(`that the report of the deleted ${AllocationId} ends`, () => !isReported(), doubtful);
  },
};

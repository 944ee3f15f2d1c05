/** What users request besides replicas and versions, and what they may rely on. */

import type { Machine } from '../../../kinds/core/machine/index.ts';
import type { MachineSet } from '../../../kinds/core/machine-set/index.ts';
import { kinds } from '../../../kinds/index.ts';
import { apiVersionOf } from '../../../machinery/api/kind.ts';
import type { Condition, KubeObject } from '../../../machinery/api/object.ts';
import { sleep } from '../../../machinery/ports.ts';
import { pathOf } from '../clients/client.ts';
import { pausable } from '../invariants/conditions/aggregation.ts';
import { cleanupHook } from '../invariants/control-plane/quorum.ts';
import { revision } from '../invariants/relations.ts';
import { Violation } from '../invariants/rule.ts';
import { controlPlanesOf, deployment, type Scene, workersOf } from './context.ts';
import { comes, patience, promptly } from './progress.ts';

const minute = 60_000;
/** Of who waits until a cluster is Available. */
const hope = 2 * 60 * minute;

interface Seen {
  observedGeneration?: number;
  conditions?: Condition[];
}
const isTrue = ({ world }: Scene, kind: string, name: string, type: string): boolean =>
  ((world.mirror.get(kind, 'default', name)?.status ?? {}) as Seen).conditions?.some(
    (one) => one.type === type && one.status === 'True',
  ) ?? false;

export const staying = (scene: Scene): Machine[] =>
  workersOf(scene).filter(({ metadata }) => !metadata.deletionTimestamp);

/** What is changed in place replaces nothing. */
export const changeInPlace = async (scene: Scene, template: object, annotations: object = {}) => {
  const { client, draw, settled, world } = scene;
  const find = () => world.mirror.get<KubeObject>('MachineDeployment', 'default', deployment(scene));
  await settled(30);
  const known = find();
  // What was changed before, and is not seen yet, may replace them.
  if ((known?.status as Seen | undefined)?.observedGeneration !== known?.metadata.generation) return;
  // A set that somebody has just deleted is made anew, and revisions are counted by those that are there.
  if (world.mirror.all('MachineSet').some(({ metadata }) => metadata.deletionTimestamp)) return;
  const before = known?.metadata.annotations?.[revision];
  const { code, body } = await client.patch('MachineDeployment', deployment(scene), {
    metadata: { annotations },
    spec: { template },
  });
  if (code >= 300) throw new Error(`a change in place is refused: ${body.message}`);
  await sleep(scene.clock, draw.spread(1000, 20 * minute));
  const after = find();
  if (before !== undefined && after && after.metadata.annotations?.[revision] !== before)
    throw new Violation(
      'in place',
      `${JSON.stringify(template)} makes revision ${after.metadata.annotations?.[revision]}`,
    );
};

export const labelWorkers = async (scene: Scene) => {
  const { draw } = scene;
  const write = (value: string | null) => {
    const labels = {
      'node.cluster.x-k8s.io/of': value,
      'example.com/of': value,
      'part.node.cluster.x-k8s.io/of': value,
      'example.com.node-restriction.kubernetes.io/of': value,
    };
    const annotations = { 'example.com/said': value };
    const spec = { deletion: { nodeDrainTimeoutSeconds: draw.whole(1, 9) * 600 } };
    return changeInPlace(scene, { metadata: { labels, annotations }, spec }, { 'example.com/told': value });
  };
  await write('one');
  if (draw.chance(0.7)) await write(draw.pick(['other', null]));
};

/** A hook: whoever wrote it has something to do before the machine goes. */
export const holdMachine = async (scene: Scene) => {
  const { client, clock, draw, world } = scene;
  const masters = controlPlanesOf(scene).filter(({ metadata }) => !metadata.deletionTimestamp);
  // Of one alone etcd would go with it.
  const spare = masters.length === 3 && draw.chance(0.6) ? masters : staying(scene);
  const machines = spare.filter(({ status }) => status?.nodeRef);
  if (machines.length === 0) return;
  const { metadata, status } = draw.pick(machines);
  const stage = spare === masters ? 'terminate' : draw.pick(['drain', 'terminate']);
  const hook = `pre-${stage}.delete.hook.machine.cluster.x-k8s.io/somebody`;
  const held = await client.patch('Machine', metadata.name, { metadata: { annotations: { [hook]: 'waits' } } });
  // Its set was faster.
  if (held.code >= 300 || held.body.metadata.deletionTimestamp) return;
  let isLetGo = false;
  world.mirror.onCommit(({ object, before, writer }) => {
    if (!object && before?.metadata.uid === metadata.uid && writer === undefined) isLetGo = true;
  });
  await client.remove('Machine', metadata.name);
  await sleep(clock, draw.spread(10_000, 40 * minute));
  // Somebody has lost patience with it, and taken its finalizer off.
  if (isLetGo) return;
  const found = world.mirror.get<Machine>('Machine', 'default', metadata.name);
  if (found?.metadata.uid !== metadata.uid)
    throw new Violation('hooks', `${metadata.name} is gone although ${hook} holds it`);
  if (stage === 'drain')
    for (const cluster of world.guests.clusters.all())
      for (const node of await cluster.list<KubeObject<{ unschedulable?: boolean }>>('nodes'))
        if (node.metadata.name === status?.nodeRef?.name && node.spec?.unschedulable)
          throw new Violation('hooks', `${metadata.name} is drained although ${hook} holds it`);
  // Its hosts' kubelet needs its own API server, which needs its own member of etcd.
  const { deletionTimestamp, annotations } = found!.metadata;
  if (spare === masters && deletionTimestamp && annotations?.[cleanupHook] === undefined)
    throw new Violation('hooks', `${metadata.name} has left etcd although ${hook} holds it`);
  await client.patch('Machine', metadata.name, { metadata: { annotations: { [hook]: null } } });
};

/** One fewer, and it is said which. */
export const chooseWhoGoes = async (scene: Scene) => {
  const { client, draw, settled, wish, world } = scene;
  if (wish.workers < 2) {
    wish.workers = 2;
    await client.scale('MachineDeployment', deployment(scene), 2);
  }
  await settled(60);
  const machines = staying(scene);
  const nameOfSet = ({ metadata }: KubeObject) => metadata.labels?.['cluster.x-k8s.io/set-name'];
  if (machines.length < 2 || new Set(machines.map(nameOfSet)).size > 1) return;
  // Another one may go by what was decided before.
  const set = world.mirror.get<MachineSet>('MachineSet', 'default', nameOfSet(machines[0]!) ?? '');
  if (set?.spec?.replicas !== machines.length) return;
  const chosen = draw.pick(machines).metadata;
  await client.patch('Machine', chosen.name, {
    metadata: { annotations: { 'cluster.x-k8s.io/delete-machine': 'yes' } },
  });
  let isOn = true;
  world.mirror.onCommit(({ object, before, writer }) => {
    if (!isOn || object?.kind !== 'Machine' || writer !== 'machine-set') return;
    if (!object.metadata.deletionTimestamp || before?.metadata.deletionTimestamp) return;
    if (!machines.some(({ metadata }) => metadata.uid === object.metadata.uid)) return;
    isOn = false;
    if (object.metadata.uid !== chosen.uid)
      throw new Violation('who goes', `${object.metadata.name}, and not ${chosen.name}, which somebody chose`);
  });
  wish.workers = machines.length - 1;
  await client.scale('MachineDeployment', deployment(scene), wish.workers);
  await settled(60);
  isOn = false;
};

/** Two more, one after the other, and then as many as before: who goes is told by how old they are. */
export const sayWhoGoesFirst = async (scene: Scene) => {
  const { client, clock, draw, settled, wish } = scene;
  await settled(60);
  const order = draw.pick(['Oldest', 'Newest', 'Oldest']);
  const machineNaming = { template: `{{ .machineSet.name }}-${order.toLowerCase()}-{{ .random }}` };
  const spec = { deletion: { order }, ...(draw.chance(0.5) && { machineNaming }) };
  await client.patch('MachineDeployment', deployment(scene), { spec });
  const before = wish.workers;
  for (const more of [1, 2]) {
    wish.workers = before + more;
    await client.scale('MachineDeployment', deployment(scene), wish.workers);
    await settled(60);
  }
  // Half a day after each other they are as different in age as half an hour after each other.
  await sleep(clock, draw.chance(0.3) ? 12 * 60 * minute : draw.spread(10 * minute, 90 * minute));
  wish.workers = before;
  await client.scale('MachineDeployment', deployment(scene), before);
  await settled(60);
};

/** Of one ConfigMap, for every cluster that the examples make. */
const setOf = (name: string, strategy: string, of = 'external'): KubeObject => ({
  apiVersion: 'addons.cluster.x-k8s.io/v1beta2',
  kind: 'ClusterResourceSet',
  metadata: { name, namespace: 'default' },
  spec: {
    clusterSelector: { matchLabels: { 'cloud-controller-manager': of } },
    resources: [{ kind: 'ConfigMap', name }],
    strategy,
  },
});

const wordsOf = async ({ world }: Scene, name: string): Promise<string | undefined> => {
  for (const cluster of world.guests.clusters.all())
    for (const { metadata, data } of await cluster.list('configmaps'))
      if (metadata.name === name) return (data as Record<string, string>).word;
  return undefined;
};

/** What a set has besides from now on comes as well, and the rest stays as it is. */
const putMoreBeside = async (scene: Scene, name: string) => {
  const { client } = scene;
  const more = `${name}-more`;
  const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: more, namespace: 'kube-system' } };
  const data = { 'it.json': JSON.stringify({ ...manifest, data: { word: 'more' } }) };
  await client.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: more, namespace: 'default' }, data });
  const resources = [name, more].map((one) => ({ kind: 'ConfigMap', name: one }));
  await client.patch('ClusterResourceSet', name, { spec: { resources } });
  const isThere = async () => (await wordsOf(scene, more)) === 'more';
  const most = () => (scene.world.isHeldUp ? patience : promptly);
  await comes(scene, `${more} in the cluster`, isThere, 'Available', most);
};

/** What is put into clusters from outside, once, or whenever it changes. */
export const putIntoCluster = async (scene: Scene) => {
  const { client, clock, draw, wish } = scene;
  // Before or behind those that the examples have.
  const name = `${draw.pick(['a', 'extra', 'zz'])}-${draw.whole(1, 1_000_000)}`;
  const strategy = draw.pick(['ApplyOnce', 'Reconcile']);
  const manifest = (word: string) => ({
    'it.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  namespace: kube-system\ndata:\n  word: ${word}\n`,
  });
  const isBinary = draw.chance(0.3);
  const isListed = draw.chance(0.3);
  /** As the last of a list, which is no object of its own. */
  const listed = (word: string) => {
    const one = (of: string) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: of, namespace: 'kube-system' },
    });
    const items = [one(`${name}-before`), { ...one(name), data: { word } }];
    return { 'it.yaml': JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) };
  };
  /** The same bytes, said in one field or in the other. */
  const said = (word: string) => {
    const data = isListed ? listed(word) : manifest(word);
    if (!isBinary) return { data };
    return { binaryData: { 'it.yaml': Buffer.from(data['it.yaml']).toString('base64') } };
  };
  const metadata = { name, namespace: 'default' };
  await client.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata, ...said('first') });
  // For clusters of another kind, of which there are none.
  const stranger = `${name}-elsewhere`;
  const others = { 'it.yaml': manifest('first')['it.yaml'].replaceAll(name, stranger) };
  await client.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...metadata, name: stranger }, data: others });
  await client.apply(setOf(stranger, strategy, 'internal'));
  // Of what no cluster knows any more the rest comes all the same.
  const outdated = `${name}-outdated`;
  const isOutdated = draw.chance(0.3);
  const policy = { apiVersion: 'policy/v1beta1', kind: 'PodSecurityPolicy', metadata: { name } };
  const ofPolicy = { metadata: { ...metadata, name: outdated }, data: { 'it.json': JSON.stringify(policy) } };
  if (isOutdated) await client.apply({ apiVersion: 'v1', kind: 'ConfigMap', ...ofPolicy });
  const resources = [outdated, name].map((one) => ({ kind: 'ConfigMap', name: one }));
  const spec = setOf(name, strategy).spec!;
  await client.apply({ ...setOf(name, strategy), spec: isOutdated ? { ...spec, resources } : spec });
  /** False when the cluster is not Available for long: it waits for a person, who waits no longer for it. */
  const until = async (word: string): Promise<boolean> => {
    let [served, silent] = [0, 0];
    while ((await wordsOf(scene, name)) !== word) {
      if (isTrue(scene, 'Cluster', wish.name, 'Available')) [served, silent] = [served + minute, 0];
      else silent += minute;
      if (silent > hope) return false;
      if (served > (scene.world.isHeldUp ? patience : promptly))
        throw new Violation('put into clusters', `${name} (${strategy}) is ${await wordsOf(scene, name)}, not ${word}`);
      await sleep(clock, minute);
    }
    return true;
  };
  // Nobody may read what is in a Secret of any type only because he may write sets.
  const hidden = `${name}-hidden`;
  await client.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...metadata, name: hidden },
    type: draw.pick(['Opaque', 'example.com/other']),
    stringData: { 'it.yaml': manifest('first')['it.yaml'].replaceAll(name, hidden) },
  } as KubeObject);
  const ofHidden = { ...setOf(hidden, strategy).spec!, resources: [{ kind: 'Secret', name: hidden }] };
  await client.apply({ ...setOf(hidden, strategy), spec: ofHidden });
  const isFirst = await until('first');
  if (isOutdated) await client.patch('ClusterResourceSet', name, { spec: { resources: resources.slice(1) } });
  await sleep(clock, minute);
  for (const one of [stranger, hidden])
    if (await wordsOf(scene, one))
      throw new Violation('put into clusters', `${one}, which is not for it, is in this one`);
  await client.remove('ClusterResourceSet', hidden);
  if (!isFirst) return;
  // It is noted a moment after that it was applied.
  await scene.settled(30);
  if (!isTrue(scene, 'ClusterResourceSet', name, 'ResourcesApplied')) return;
  if (draw.chance(0.5)) await putMoreBeside(scene, name);
  await client.patch('ConfigMap', name, said('second'));
  if (strategy === 'Reconcile') {
    await until('second');
  } else {
    // Who applies the same once more finds it there, and leaves it as it is.
    const again = `${name}-again`;
    await client.apply({ ...setOf(again, strategy), spec: setOf(name, strategy).spec! });
    const before = new Set(scene.world.guests.clusters.all());
    await sleep(clock, draw.spread(minute, 90 * minute));
    // One that did not come up in time has been torn down with all that was in it.
    if (!scene.world.guests.clusters.all().some((cluster) => before.has(cluster))) return;
    const word = await wordsOf(scene, name);
    if (word !== 'first') throw new Violation('put into clusters', `${name}, which is applied once, is ${word}`);
    // Until then what it applies is the other one's alone, and goes with it.
    if (!isTrue(scene, 'ClusterResourceSet', again, 'ResourcesApplied')) return;
  }
  if (draw.chance(0.5)) await client.remove('ClusterResourceSet', name);
};

/** Puts pods on workers, of which none may leave perhaps, and does something about a machine with some of them. */
export const busyWith = async (
  scene: Scene,
  mayLeave: boolean,
  act: (machine: Machine | undefined) => Promise<unknown>,
): Promise<void> => {
  const { client, clock, draw, world } = scene;
  const name = mayLeave ? 'busy' : 'indispensable';
  const labels = { app: name };
  const container = { name: 'sleep', image: 'registry.k8s.io/pause:3.10' };
  const metadata = { name, namespace: 'default' };
  const pods = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: {
      replicas: 3,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  };
  const alone = { app: 'alone', 'cluster.x-k8s.io/drain': 'skip' };
  // Whoever drains leaves these where they are.
  const others = {
    ...pods,
    metadata: { ...metadata, name: 'alone' },
    spec: {
      ...pods.spec,
      selector: { matchLabels: alone },
      template: { metadata: { labels: alone }, spec: { containers: [container] } },
    },
  };
  const budget = (name: string, minAvailable: number, matchLabels: object = labels) => {
    const spec = { minAvailable, selector: { matchLabels } };
    const object = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { ...metadata, name }, spec };
    return { [`budget-${name}.yaml`]: JSON.stringify(object) };
  };
  // Pods with two budgets can be evicted by nobody, whatever the budgets say.
  const second = `${name}-too`;
  const hasSecond = !mayLeave && draw.chance(0.4);
  const data = {
    'pods.yaml': JSON.stringify(pods),
    'others.yaml': JSON.stringify(others),
    ...budget(name, mayLeave ? 0 : 3),
    ...(hasSecond && budget(second, 3)),
  };
  await client.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
  await client.apply(setOf(name, 'Reconcile'));
  const busy = async (): Promise<Machine | undefined> => {
    for (const cluster of world.guests.clusters.all())
      for (const { metadata: pod, spec } of await cluster.list<KubeObject<{ nodeName?: string }>>('pods')) {
        const machine = staying(scene).find(({ status }) => status?.nodeRef && status.nodeRef.name === spec?.nodeName);
        if (pod.name.startsWith(name) && machine) return machine;
      }
    return undefined;
  };
  const limit = clock.now() + 30 * minute;
  while (!(await busy()) && clock.now() < limit) await sleep(clock, minute / 2);
  await sleep(clock, draw.spread(minute, 20 * minute));
  await act(await busy());
  // Whoever asks for something else later waits for nobody.
  const none = { ...budget(name, 0), ...(hasSecond && budget(second, 0, { app: 'nobody' })) };
  if (!mayLeave) await client.patch('ConfigMap', name, { data: none });
};

/** Work that whoever drains waits for, on one machine, in a few parts after each other. */
const workOn = (machine: Machine, drain: string): KubeObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: `work-on-${machine.metadata.name}`, namespace: 'default' },
  spec: {
    completions: 8,
    template: {
      metadata: { labels: { 'cluster.x-k8s.io/drain': drain } },
      spec: {
        nodeSelector: { 'kubernetes.io/hostname': machine.status?.nodeRef?.name },
        restartPolicy: 'Never',
        containers: [{ name: 'work', image: 'registry.k8s.io/pause:3.10' }],
      },
    },
  },
});

/** It is waited for as well, and ends otherwise than it should. */
const inVain = ({ metadata, status }: Machine, drain: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `in-vain-on-${metadata.name}`, namespace: 'default', labels: { 'cluster.x-k8s.io/drain': drain } },
  spec: {
    nodeName: status?.nodeRef?.name,
    restartPolicy: 'Never',
    containers: [{ name: 'work', image: 'registry.k8s.io/busybox:1.27', command: ['false'] }],
  },
});

/** A machine goes on which pods run: they are asked to leave before it ends, or end by themselves. */
export const deleteBusyMachine = async (scene: Scene) => {
  // For ever, as without it.
  if (scene.draw.chance(0.4)) await changeInPlace(scene, { spec: { deletion: { nodeDrainTimeoutSeconds: 0 } } });
  await busyWith(scene, true, async (machine) => {
    if (!machine) return;
    const { client, clock, draw, world } = scene;
    const node = machine.status?.nodeRef?.name;
    for (const cluster of world.guests.clusters.all())
      if ((await cluster.list('nodes')).some(({ metadata }) => metadata.name === node)) {
        const drain = draw.pick(['wait-completed', 'WaitCompleted']);
        await cluster.create(workOn(machine, drain));
        if (draw.chance(0.5)) await cluster.create(inVain(machine, drain));
      }
    await sleep(clock, draw.spread(10_000, 30_000));
    await client.remove('Machine', machine.metadata.name);
  });
};

const withConditions = [...pausable, 'AWSCluster', 'AWSMachine', 'ClusterResourceSet'] as const;

/** What somebody finds out about a cluster and its machines is said beside what their controllers say. */
const sayBeside = async ({ client, draw, world, clock }: Scene) => {
  for (const kind of withConditions) {
    const there = world.mirror.all(kind);
    if (there.length === 0) continue;
    const { name, namespace } = draw.pick(there).metadata;
    const path = `${pathOf(kind, undefined, namespace)}/${name}/status`;
    const { code, body } = await client.request('GET', path);
    if (code !== 200) continue;
    const { conditions = [], ...status } = (body.status ?? {}) as { conditions?: Condition[] };
    const lastTransitionTime = `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
    const found = { type: 'example.com/Audited', status: 'True', reason: 'Audited', message: '', lastTransitionTime };
    // Somebody else may be faster.
    await client.request('PUT', path, { ...body, status: { ...status, conditions: [...conditions, found] } });
  }
};

/** What is noted for controllers alone stays, whoever takes all notes off. */
const takeNotesOff = async ({ client, draw, world }: Scene) => {
  for (const kind of ['Cluster', 'AWSCluster', 'AWSMachine', 'Machine', 'KubeadmConfig']) {
    const there = world.mirror.all(kind);
    if (there.length === 0) continue;
    const { name, namespace, annotations = {} } = draw.pick(there).metadata;
    const path = `${pathOf(kind, undefined, namespace)}/${name}`;
    const own = Object.keys(annotations).filter((key) =>
      /^capstan\.dev\/(operation|target|was-|filled|launch|pending|cluster-uid)/.test(key),
    );
    const none = Object.fromEntries(own.map((key) => [key, null]));
    await client.request('PATCH', path, { metadata: { annotations: none } });
    const { code, body } = await client.request('GET', path);
    if (code !== 200) continue;
    const kept = Object.entries(body.metadata.annotations ?? {}).filter(([key]) => !own.includes(key));
    // Somebody else may be faster.
    await client.request('PUT', path, {
      ...body,
      metadata: { ...body.metadata, annotations: Object.fromEntries(kept) },
    });
  }
};

/** Whoever writes what he read changes nothing, in whatever version he reads. */
export const writeAsRead = async (scene: Scene) => {
  const { client, draw, world } = scene;
  await sayBeside(scene);
  await takeNotesOff(scene);
  const several = kinds.filter(({ versions, served }) => served !== false && versions.length > 1);
  for (let times = 0; times < 8; times++) {
    const { kind, group, versions } = draw.pick(several);
    const version = draw.pick(versions.filter(({ served }) => served));
    const there = world.mirror.all(kind);
    if (there.length === 0) continue;
    const { name, namespace } = draw.pick(there).metadata;
    const path = `${pathOf(kind, apiVersionOf(group, version.name), namespace)}/${name}`;
    const read = await client.request('GET', path);
    if (read.code !== 200) continue;
    const written = await client.request('PUT', path, read.body);
    // Somebody else was faster.
    if (written.code === 409 || written.code === 404) continue;
    if (written.code !== 200)
      throw new Violation('as read', `${path}, written as it was read, is answered ${written.body.message}`);
    const [before, after] = [read.body.metadata.generation, written.body.metadata.generation];
    if (before !== after) throw new Violation('as read', `${path}, written as it was read, is of generation ${after}`);
  }
};

/** What has been reached, as it was said before. */
const inOldWords = {
  Cluster: { controlPlaneReady: 'controlPlaneInitialized', infrastructureReady: 'infrastructureProvisioned' },
  Machine: { bootstrapReady: 'bootstrapDataSecretCreated', infrastructureReady: 'infrastructureProvisioned' },
  KubeadmControlPlane: { initialized: 'controlPlaneInitialized' },
};

export const readEverything = async ({ client, draw, world }: Scene) => {
  // Events are listed under two groups, and kept under one.
  for (const { kind, served } of kinds)
    if (served !== false && kind !== 'Event') await client.list(kind, undefined, draw.pick([0, 1, 3]));
  for (const [kind, words] of Object.entries(inOldWords))
    for (const { metadata, apiVersion = '' } of world.mirror.all(kind)) {
      const read = async (version: string) =>
        (await client.request('GET', `${pathOf(kind, version, metadata.namespace)}/${metadata.name}`)).body;
      const [now, old] = [await read(apiVersion), await read(apiVersion.replace('v1beta2', 'v1beta1'))];
      if (now.metadata?.resourceVersion !== old.metadata?.resourceVersion) continue;
      const { initialization = {} } = (now.status ?? {}) as { initialization?: Record<string, boolean> };
      const said = (old.status ?? {}) as Record<string, boolean>;
      for (const [word, fact] of Object.entries(words))
        if ((said[word] ?? false) !== (initialization[fact] ?? false))
          throw new Violation('as read', `${kind} ${metadata.name} says ${word} ${said[word]} in its old version`);
    }
};

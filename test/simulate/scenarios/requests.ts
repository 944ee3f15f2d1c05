/** Requests other than replicas and versions, and what users may expect of them. */

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
import { controlPlanesOf, deployment, type ScenarioContext, workersOf } from './context.ts';
import { comes, promptly, resyncTimeout } from './progress.ts';

const minute = 60_000;
/** How long a user waits for a cluster to become Available. */
const hope = 2 * 60 * minute;

interface Seen {
  observedGeneration?: number;
  conditions?: Condition[];
}
const isTrue = ({ world }: ScenarioContext, kind: string, name: string, type: string): boolean =>
  ((world.mirror.get(kind, 'default', name)?.status ?? {}) as Seen).conditions?.some(
    (one) => one.type === type && one.status === 'True',
  ) ?? false;

export const staying = (context: ScenarioContext): Machine[] =>
  workersOf(context).filter(({ metadata }) => !metadata.deletionTimestamp);

/** An in-place change must not replace any machine. */
export const changeInPlace = async (context: ScenarioContext, template: object, annotations: object = {}) => {
  const { client, draw, settled, world } = context;
  const find = () => world.mirror.get<KubeObject>('MachineDeployment', 'default', deployment(context));
  await settled(30);
  const known = find();
  // An earlier change that is not observed yet may replace machines.
  if ((known?.status as Seen | undefined)?.observedGeneration !== known?.metadata.generation) return;
  // The deployment recreates a deleted set, and counts revisions by the existing sets.
  if (world.mirror.all('MachineSet').some(({ metadata }) => metadata.deletionTimestamp)) return;
  const before = known?.metadata.annotations?.[revision];
  const { code, body } = await client.patch('MachineDeployment', deployment(context), {
    metadata: { annotations },
    spec: { template },
  });
  if (code >= 300) throw new Error(`a change in place is refused: ${body.message}`);
  await sleep(context.clock, draw.spread(1000, 20 * minute));
  const after = find();
  if (before !== undefined && after && after.metadata.annotations?.[revision] !== before)
    throw new Violation(
      'in place',
      `${JSON.stringify(template)} creates revision ${after.metadata.annotations?.[revision]}`,
    );
};

export const labelWorkers = async (context: ScenarioContext) => {
  const { draw } = context;
  const write = (value: string | null) => {
    const labels = {
      'node.cluster.x-k8s.io/of': value,
      'example.com/of': value,
      'part.node.cluster.x-k8s.io/of': value,
      'example.com.node-restriction.kubernetes.io/of': value,
    };
    const annotations = { 'example.com/said': value };
    const spec = { deletion: { nodeDrainTimeoutSeconds: draw.whole(1, 9) * 600 } };
    return changeInPlace(context, { metadata: { labels, annotations }, spec }, { 'example.com/told': value });
  };
  await write('one');
  if (draw.chance(0.7)) await write(draw.pick(['other', null]));
};

/** A user's hook blocks the deletion of a machine. */
export const holdMachine = async (context: ScenarioContext) => {
  const { client, clock, draw, world } = context;
  const masters = controlPlanesOf(context).filter(({ metadata }) => !metadata.deletionTimestamp);
  // A single machine would take etcd with it.
  const candidates = masters.length === 3 && draw.chance(0.6) ? masters : staying(context);
  const machines = candidates.filter(({ status }) => status?.nodeRef);
  if (machines.length === 0) return;
  const { metadata, status } = draw.pick(machines);
  const stage = candidates === masters ? 'terminate' : draw.pick(['drain', 'terminate']);
  const hook = `pre-${stage}.delete.hook.machine.cluster.x-k8s.io/user`;
  const held = await client.patch('Machine', metadata.name, { metadata: { annotations: { [hook]: 'waits' } } });
  // The set deleted the machine first.
  if (held.code >= 300 || held.body.metadata.deletionTimestamp) return;
  let isLetGo = false;
  world.mirror.onCommit(({ object, before, writer }) => {
    if (!object && before?.metadata.uid === metadata.uid && writer === undefined) isLetGo = true;
  });
  await client.remove('Machine', metadata.name);
  await sleep(clock, draw.spread(10_000, 40 * minute));
  // A user removed the finalizer.
  if (isLetGo) return;
  const found = world.mirror.get<Machine>('Machine', 'default', metadata.name);
  if (found?.metadata.uid !== metadata.uid) throw new Violation('hooks', `${metadata.name} is gone despite ${hook}`);
  if (stage === 'drain')
    for (const cluster of world.guests.clusters.all())
      for (const node of await cluster.list<KubeObject<{ unschedulable?: boolean }>>('nodes'))
        if (node.metadata.name === status?.nodeRef?.name && node.spec?.unschedulable)
          throw new Violation('hooks', `${metadata.name} is drained despite ${hook}`);
  // The kubelet of the host needs the local API server, which needs the local etcd member.
  const { deletionTimestamp, annotations } = found!.metadata;
  if (candidates === masters && deletionTimestamp && annotations?.[cleanupHook] === undefined)
    throw new Violation('hooks', `${metadata.name} has left etcd despite ${hook}`);
  await client.patch('Machine', metadata.name, { metadata: { annotations: { [hook]: null } } });
};

/** Scales down by one, with the delete-machine annotation on one machine. */
export const chooseMachineToDelete = async (context: ScenarioContext) => {
  const { client, draw, settled, desired, world } = context;
  if (desired.workers < 2) {
    desired.workers = 2;
    await client.scale('MachineDeployment', deployment(context), 2);
  }
  await settled(60);
  const machines = staying(context);
  const nameOfSet = ({ metadata }: KubeObject) => metadata.labels?.['cluster.x-k8s.io/set-name'];
  if (machines.length < 2 || new Set(machines.map(nameOfSet)).size > 1) return;
  // An earlier request may still delete another machine.
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
      throw new Violation('who goes', `${object.metadata.name} is deleted before the annotated ${chosen.name}`);
  });
  desired.workers = machines.length - 1;
  await client.scale('MachineDeployment', deployment(context), desired.workers);
  await settled(60);
  isOn = false;
};

/**
 * Adds two machines one after the other, and then scales down. Their age decides which ones are
 * deleted.
 */
export const setDeletionOrder = async (context: ScenarioContext) => {
  const { client, clock, draw, settled, desired } = context;
  await settled(60);
  const order = draw.pick(['Oldest', 'Newest', 'Oldest']);
  const machineNaming = { template: `{{ .machineSet.name }}-${order.toLowerCase()}-{{ .random }}` };
  const spec = { deletion: { order }, ...(draw.chance(0.5) && { machineNaming }) };
  await client.patch('MachineDeployment', deployment(context), { spec });
  const before = desired.workers;
  for (const more of [1, 2]) {
    desired.workers = before + more;
    await client.scale('MachineDeployment', deployment(context), desired.workers);
    await settled(60);
  }
  // Age differences of hours and of minutes must have the same effect.
  await sleep(clock, draw.chance(0.3) ? 12 * 60 * minute : draw.spread(10 * minute, 90 * minute));
  desired.workers = before;
  await client.scale('MachineDeployment', deployment(context), before);
  await settled(60);
};

/** A ClusterResourceSet of one ConfigMap for all clusters of the examples. */
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

const textOf = async ({ world }: ScenarioContext, name: string): Promise<string | undefined> => {
  for (const cluster of world.guests.clusters.all())
    for (const { metadata, data } of await cluster.list('configmaps'))
      if (metadata.name === name) return (data as Record<string, string>).word;
  return undefined;
};

/** A resource added to a set is applied, and the others stay as they are. */
const addResourceToSet = async (context: ScenarioContext, name: string) => {
  const { client } = context;
  const more = `${name}-more`;
  const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: more, namespace: 'kube-system' } };
  const data = { 'it.json': JSON.stringify({ ...manifest, data: { word: 'more' } }) };
  await client.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: more, namespace: 'default' }, data });
  const resources = [name, more].map((one) => ({ kind: 'ConfigMap', name: one }));
  await client.patch('ClusterResourceSet', name, { spec: { resources } });
  const isThere = async () => (await textOf(context, more)) === 'more';
  const most = () => (context.world.isHeldUp ? resyncTimeout : promptly);
  await comes(context, `${more} in the cluster`, isThere, 'Available', most);
};

/** Applies resources to clusters through a ClusterResourceSet, once or on each change. */
export const applyResourceSet = async (context: ScenarioContext) => {
  const { client, clock, draw, desired } = context;
  // Sorts before or after the names in the examples.
  const name = `${draw.pick(['a', 'extra', 'zz'])}-${draw.whole(1, 1_000_000)}`;
  const strategy = draw.pick(['ApplyOnce', 'Reconcile']);
  const manifest = (word: string) => ({
    'it.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  namespace: kube-system\ndata:\n  word: ${word}\n`,
  });
  const isBinary = draw.chance(0.3);
  const isListed = draw.chance(0.3);
  /** The last item of a List. */
  const listed = (word: string) => {
    const one = (of: string) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: of, namespace: 'kube-system' },
    });
    const items = [one(`${name}-before`), { ...one(name), data: { word } }];
    return { 'it.yaml': JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) };
  };
  /** The same bytes in `data` or `binaryData`. */
  const contentOf = (word: string) => {
    const data = isListed ? listed(word) : manifest(word);
    if (!isBinary) return { data };
    return { binaryData: { 'it.yaml': Buffer.from(data['it.yaml']).toString('base64') } };
  };
  const metadata = { name, namespace: 'default' };
  await client.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata, ...contentOf('first') });
  // A set for other clusters, which do not exist.
  const elsewhere = `${name}-elsewhere`;
  const others = { 'it.yaml': manifest('first')['it.yaml'].replaceAll(name, elsewhere) };
  await client.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...metadata, name: elsewhere }, data: others });
  await client.apply(setOf(elsewhere, strategy, 'internal'));
  // A resource that no cluster supports must not block the others.
  const outdated = `${name}-outdated`;
  const isOutdated = draw.chance(0.3);
  const policy = { apiVersion: 'policy/v1beta1', kind: 'PodSecurityPolicy', metadata: { name } };
  const ofPolicy = { metadata: { ...metadata, name: outdated }, data: { 'it.json': JSON.stringify(policy) } };
  if (isOutdated) await client.apply({ apiVersion: 'v1', kind: 'ConfigMap', ...ofPolicy });
  const resources = [outdated, name].map((one) => ({ kind: 'ConfigMap', name: one }));
  const spec = setOf(name, strategy).spec!;
  await client.apply({ ...setOf(name, strategy), spec: isOutdated ? { ...spec, resources } : spec });
  /** False when the cluster stays unavailable for too long. */
  const until = async (word: string): Promise<boolean> => {
    let [served, silent] = [0, 0];
    while ((await textOf(context, name)) !== word) {
      if (isTrue(context, 'Cluster', desired.name, 'Available')) [served, silent] = [served + minute, 0];
      else silent += minute;
      if (silent > hope) return false;
      if (served > (context.world.isHeldUp ? resyncTimeout : promptly))
        throw new Violation(
          'put into clusters',
          `${name} (${strategy}) is ${await textOf(context, name)}, not ${word}`,
        );
      await sleep(clock, minute);
    }
    return true;
  };
  // The right to write sets must not give access to Secrets of any type.
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
  for (const one of [elsewhere, hidden])
    if (await textOf(context, one))
      throw new Violation('put into clusters', `${one}, which must not be applied to this cluster, exists in it`);
  await client.remove('ClusterResourceSet', hidden);
  if (!isFirst) return;
  // The status is written just after the resources are applied.
  await context.settled(30);
  if (!isTrue(context, 'ClusterResourceSet', name, 'ResourcesApplied')) return;
  if (draw.chance(0.5)) await addResourceToSet(context, name);
  await client.patch('ConfigMap', name, contentOf('second'));
  if (strategy === 'Reconcile') {
    await until('second');
  } else {
    // A second set with the same resource finds it existing, and leaves it unchanged.
    const again = `${name}-again`;
    await client.apply({ ...setOf(again, strategy), spec: setOf(name, strategy).spec! });
    const before = new Set(context.world.guests.clusters.all());
    await sleep(clock, draw.spread(minute, 90 * minute));
    // A creation that missed its deadline was torn down with its cluster.
    if (!context.world.guests.clusters.all().some((cluster) => before.has(cluster))) return;
    const word = await textOf(context, name);
    if (word !== 'first') throw new Violation('put into clusters', `${name}, which must be applied once, is ${word}`);
    // Until then only the first set has applied the resource, which is deleted with it.
    if (!isTrue(context, 'ClusterResourceSet', again, 'ResourcesApplied')) return;
  }
  if (draw.chance(0.5)) await client.remove('ClusterResourceSet', name);
};

/**
 * Runs pods on workers, which a budget may make impossible to evict, and acts on a machine with
 * some of them.
 */
export const busyWith = async (
  context: ScenarioContext,
  mayLeave: boolean,
  act: (machine: Machine | undefined) => Promise<unknown>,
): Promise<void> => {
  const { client, clock, draw, world } = context;
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
  const skipped = { app: 'alone', 'cluster.x-k8s.io/drain': 'skip' };
  // A drain skips these pods.
  const others = {
    ...pods,
    metadata: { ...metadata, name: 'alone' },
    spec: {
      ...pods.spec,
      selector: { matchLabels: skipped },
      template: { metadata: { labels: skipped }, spec: { containers: [container] } },
    },
  };
  const budget = (name: string, minAvailable: number, matchLabels: object = labels) => {
    const spec = { minAvailable, selector: { matchLabels } };
    const object = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { ...metadata, name }, spec };
    return { [`budget-${name}.yaml`]: JSON.stringify(object) };
  };
  // A pod with two budgets cannot be evicted, whatever the budgets allow.
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
        const machine = staying(context).find(
          ({ status }) => status?.nodeRef && status.nodeRef.name === spec?.nodeName,
        );
        if (pod.name.startsWith(name) && machine) return machine;
      }
    return undefined;
  };
  const limit = clock.now() + 30 * minute;
  while (!(await busy()) && clock.now() < limit) await sleep(clock, minute / 2);
  await sleep(clock, draw.spread(minute, 20 * minute));
  await act(await busy());
  // Later requests must not wait for these pods.
  const none = { ...budget(name, 0), ...(hasSecond && budget(second, 0, { app: 'none' })) };
  if (!mayLeave) await client.patch('ConfigMap', name, { data: none });
};

/** A Job on one machine, in several runs after each other, that a drain waits for. */
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

/** A pod that a drain also waits for, and that fails. */
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

/** Deletes a machine with running pods. They are evicted before it ends, or complete. */
export const deleteBusyMachine = async (context: ScenarioContext) => {
  // A drain timeout of 0 means no timeout, as does none.
  if (context.draw.chance(0.4)) await changeInPlace(context, { spec: { deletion: { nodeDrainTimeoutSeconds: 0 } } });
  await busyWith(context, true, async (machine) => {
    if (!machine) return;
    const { client, clock, draw, world } = context;
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

/** A user adds a condition to a cluster or its machines, which controllers must keep. */
const sayBeside = async ({ client, draw, world, clock }: ScenarioContext) => {
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
    // Another writer may be faster.
    await client.request('PUT', path, { ...body, status: { ...status, conditions: [...conditions, found] } });
  }
};

/** A user removes all annotations. Those that are reserved for controllers stay. */
const takeNotesOff = async ({ client, draw, world }: ScenarioContext) => {
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
    // Another writer may be faster.
    await client.request('PUT', path, {
      ...body,
      metadata: { ...body.metadata, annotations: Object.fromEntries(kept) },
    });
  }
};

/** Writing back what was read changes nothing, in any version. */
export const writeBack = async (context: ScenarioContext) => {
  const { client, draw, world } = context;
  await sayBeside(context);
  await takeNotesOff(context);
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
    // Another writer was faster.
    if (written.code === 409 || written.code === 404) continue;
    if (written.code !== 200)
      throw new Violation('as read', `${path}, written back as read, is answered ${written.body.message}`);
    const [before, after] = [read.body.metadata.generation, written.body.metadata.generation];
    if (before !== after) throw new Violation('as read', `${path}, written back as read, has generation ${after}`);
  }
};

/** Fields of v1beta1 that report progress. */
const v1beta1Fields = {
  Cluster: { controlPlaneReady: 'controlPlaneInitialized', infrastructureReady: 'infrastructureProvisioned' },
  Machine: { bootstrapReady: 'bootstrapDataSecretCreated', infrastructureReady: 'infrastructureProvisioned' },
  KubeadmControlPlane: { initialized: 'controlPlaneInitialized' },
};

export const readEverything = async ({ client, draw, world }: ScenarioContext) => {
  // Events are served in two API groups and stored in one.
  for (const { kind, served } of kinds)
    if (served !== false && kind !== 'Event') await client.list(kind, undefined, draw.pick([0, 1, 3]));
  for (const [kind, fields] of Object.entries(v1beta1Fields))
    for (const { metadata, apiVersion = '' } of world.mirror.all(kind)) {
      const read = async (version: string) =>
        (await client.request('GET', `${pathOf(kind, version, metadata.namespace)}/${metadata.name}`)).body;
      const [now, old] = [await read(apiVersion), await read(apiVersion.replace('v1beta2', 'v1beta1'))];
      if (now.metadata?.resourceVersion !== old.metadata?.resourceVersion) continue;
      const { initialization = {} } = (now.status ?? {}) as { initialization?: Record<string, boolean> };
      const contentOf = (old.status ?? {}) as Record<string, boolean>;
      for (const [word, fact] of Object.entries(fields))
        if ((contentOf[word] ?? false) !== (initialization[fact] ?? false))
          throw new Violation('as read', `${kind} ${metadata.name} has ${word} ${contentOf[word]} in v1beta1`);
    }
};

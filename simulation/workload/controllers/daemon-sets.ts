import { memoizeFrozen } from '../../../machinery/api/memoize.ts';
import { equal } from '../../../machinery/api/merge.ts';
import type { JsonObject, KubeObject } from '../../../machinery/api/object.ts';
import {
  controllerOf,
  type DaemonSetObject,
  isPodReady,
  type NodeObject,
  type PodObject,
  type PodTemplate,
  resolve,
  type Toleration,
} from '../objects.ts';
import { type ClusterController, hash, type Plan, safeText, type World } from '../world.ts';
import { matchesNode, repelling } from './node-filters.ts';
import { isFinished, ownedBy, ownerReference, podOf } from './pods-of.ts';

const hashLabel = 'controller-revision-hash';
const revisions = 'controllerrevisions.apps';

/** The tolerations of every daemon pod besides its template's. */
const tolerations = ({ spec }: PodTemplate): Toleration[] => {
  const of = (key: string, effect: string): Toleration => ({ key, operator: 'Exists', effect });
  const extra = [
    of('node.kubernetes.io/not-ready', 'NoExecute'),
    of('node.kubernetes.io/unreachable', 'NoExecute'),
    of('node.kubernetes.io/disk-pressure', 'NoSchedule'),
    of('node.kubernetes.io/memory-pressure', 'NoSchedule'),
    of('node.kubernetes.io/pid-pressure', 'NoSchedule'),
    of('node.kubernetes.io/unschedulable', 'NoSchedule'),
    ...(spec?.hostNetwork ? [of('node.kubernetes.io/network-unavailable', 'NoSchedule')] : []),
  ];
  return [
    ...(spec?.tolerations ?? []),
    ...extra.filter((t) => !(spec?.tolerations ?? []).some((own) => equal(own, t))),
  ];
};

/** The node in the pod's affinity, which is its target before it is bound. */
const targetOf = ({ spec }: PodObject): string =>
  spec?.nodeName ??
  spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms?.[0]?.matchFields?.[0]
    ?.values?.[0] ??
  '';

const daemonPod = (set: DaemonSetObject, node: string, revision: string, suffix: string): PodObject => {
  const { template } = set.spec!;
  const pod = podOf(set, `${set.metadata.name}-${suffix}`, template, { [hashLabel]: revision });
  const affinity = {
    ...pod.spec?.affinity,
    nodeAffinity: {
      ...pod.spec?.affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }],
      },
    },
  };
  return { ...pod, spec: { ...pod.spec, affinity, tolerations: tolerations(template) } };
};

const keepRevision = (set: DaemonSetObject, digest: string, world: World, plan: Plan): void => {
  const own = ownedBy(set, world.list<KubeObject>(revisions));
  const name = `${set.metadata.name}-${digest}`;
  if (own.some((revision) => revision.metadata.name === name)) return;
  plan.create(revisions, {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name,
      namespace: set.metadata.namespace ?? '',
      labels: { ...set.spec!.template.metadata?.labels, [hashLabel]: digest },
      ownerReferences: [ownerReference(set)],
    },
    data: { spec: { template: { $patch: 'replace', ...set.spec!.template } as JsonObject } },
    revision: 1 + Math.max(0, ...own.map((revision) => Number(revision.revision ?? 0))),
  });
};

const update = (
  set: DaemonSetObject,
  pods: PodObject[],
  digest: string,
  desired: number,
  world: World,
  plan: Plan,
): void => {
  const { type = 'RollingUpdate', rollingUpdate } = set.spec?.updateStrategy ?? {};
  if (type !== 'RollingUpdate') return;
  const allowed = Math.max(1, resolve(rollingUpdate?.maxUnavailable ?? 1, desired, 'up'));
  const old = pods.filter((pod) => pod.metadata.labels?.[hashLabel] !== digest && !pod.metadata.deletionTimestamp);
  let room = allowed - (desired - pods.filter((pod) => isPodReady(pod) && !pod.metadata.deletionTimestamp).length);
  for (const pod of old) {
    if (isPodReady(pod) && room-- <= 0) continue;
    plan.terminate(pod, world.now);
  }
};

/**
 * A template, and for each state of a Node whether the pods may stay there and may be placed there.
 */
interface Known {
  digest: string;
  placeOn(node: NodeObject): { mayRun: boolean; isWanted: boolean };
}

const knownOf = memoizeFrozen((template: PodTemplate): Known => {
  const probe = { spec: { ...template.spec, tolerations: tolerations(template) } };
  const placeOn = memoizeFrozen((node: NodeObject) => {
    const mayRun = matchesNode(probe, node) && !repelling(probe, node, ['NoExecute']);
    return { mayRun, isWanted: mayRun && !repelling(probe, node) };
  });
  return { digest: safeText(hash(JSON.stringify(template))), placeOn };
});

const reconcile = (set: DaemonSetObject, nodes: NodeObject[], own: PodObject[], world: World, plan: Plan): void => {
  const { digest, placeOn } = knownOf(set.spec!.template);
  keepRevision(set, digest, world, plan);
  const wanted = nodes.filter((node) => placeOn(node).isWanted);
  const byNode = Map.groupBy(own, targetOf);
  for (const node of wanted) {
    const here = byNode.get(node.metadata.name) ?? [];
    if (here.length === 0) plan.create('pods', daemonPod(set, node.metadata.name, digest, world.suffix()));
    for (const [index, pod] of here.entries()) if (index > 0 || isFinished(pod)) plan.terminate(pod, world.now);
  }
  const allowed = new Set(nodes.filter((node) => placeOn(node).mayRun).map((node) => node.metadata.name));
  for (const pod of own) if (!allowed.has(targetOf(pod))) plan.terminate(pod, world.now);
  update(set, own, digest, wanted.length, world, plan);
  const names = new Set(wanted.map((node) => node.metadata.name));
  const placed = own.filter((pod) => names.has(targetOf(pod)) && !pod.metadata.deletionTimestamp);
  const ready = placed.filter(isPodReady).length;
  const status = {
    currentNumberScheduled: placed.length,
    numberMisscheduled: own.filter((pod) => !names.has(targetOf(pod)) && !pod.metadata.deletionTimestamp).length,
    desiredNumberScheduled: wanted.length,
    numberReady: ready,
    observedGeneration: set.metadata.generation,
    updatedNumberScheduled: placed.filter((pod) => pod.metadata.labels?.[hashLabel] === digest).length,
    ...(ready > 0 && { numberAvailable: ready }),
    ...(wanted.length > ready && { numberUnavailable: wanted.length - ready }),
  };
  if (!equal(status, set.status)) plan.update('daemonsets.apps', { ...set, status });
};

export const daemonSets: ClusterController = (world, plan) => {
  const nodes = world.list<NodeObject>('nodes');
  const pods = Map.groupBy(world.list<PodObject>('pods'), (pod) => controllerOf(pod)?.uid);
  for (const set of world.list<DaemonSetObject>('daemonsets.apps'))
    if (!set.metadata.deletionTimestamp && set.spec)
      reconcile(set, nodes, pods.get(set.metadata.uid) ?? [], world, plan);
};

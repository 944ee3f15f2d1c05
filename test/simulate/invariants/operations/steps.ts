import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { ClusterOperation } from '../../../../kinds/operations/cluster-operation/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import type { Mirror } from '../../mirror.ts';
import { clusterName, infrastructureOf, isControlPlane, isGoing, verdictOf } from '../relations.ts';
import type { Rule } from '../rule.ts';

interface Counts {
  readyReplicas?: number;
  availableReplicas?: number;
}
interface Binding {
  bindings?: { clusterResourceSetName: string; resources?: { name: string; applied?: boolean }[] }[];
}
interface ResourceSet {
  clusterSelector?: { matchLabels?: Record<string, string> };
  resources?: { name: string }[];
}
const wanted = ({ spec }: KubeObject): number => (spec as { replicas?: number } | undefined)?.replicas ?? 1;
const wasAvailable = ({ metadata }: KubeObject) => metadata.annotations?.['capstan.dev/was-available'] === 'true';

const isHalted = ({ spec, metadata }: KubeObject): boolean =>
  (spec as { paused?: boolean } | undefined)?.paused === true ||
  metadata.annotations?.['cluster.x-k8s.io/paused'] !== undefined;

type Facts = Readonly<Record<string, (cluster: Cluster) => boolean>>;
type Sight = Pick<Mirror, 'all' | 'get'>;

/** The fact that each step waits for. */
const factsOf = (
  sight: Sight,
  { spec }: ClusterOperation,
): Readonly<Record<'create' | 'upgrade' | 'restore' | 'delete', Facts>> => {
  const partsOf = ({ metadata }: Cluster, kind: string) =>
    sight
      .all(kind)
      .filter(
        (one) => one.metadata.namespace === metadata.namespace && one.metadata.labels?.[clusterName] === metadata.name,
      );
  const count = (object: KubeObject, field: keyof Counts) => ((object.status ?? {}) as Counts)[field] ?? 0;
  const areApplied = (cluster: Cluster) => {
    const { namespace = '', name, labels = {} } = cluster.metadata;
    const { bindings = [] } = (sight.get('ClusterResourceSetBinding', namespace, name)?.spec ?? {}) as Binding;
    return sight.all('ClusterResourceSet').every((set) => {
      const { clusterSelector, resources = [] } = (set.spec ?? {}) as ResourceSet;
      const selected = Object.entries(clusterSelector?.matchLabels ?? {});
      const isSelected = selected.length > 0 && selected.every(([key, value]) => labels[key] === value);
      if (!isSelected || isGoing(set) || set.metadata.namespace !== namespace) return true;
      const entry = bindings.find((one) => one.clusterResourceSetName === set.metadata.name);
      return resources.every((one) => entry?.resources?.some((other) => other.name === one.name && other.applied));
    });
  };
  const creating: Facts = {
    Network: (cluster) =>
      ['VpcReady', 'SubnetsReady', 'ClusterSecurityGroupsReady'].every(
        (type) => verdictOf(infrastructureOf(sight, cluster), type) === 'True',
      ),
    LoadBalancer: ({ spec }) => spec?.controlPlaneEndpoint?.host !== undefined,
    FirstControlPlaneMachine: ({ status }) => status?.initialization?.controlPlaneInitialized === true,
    ControlPlane: (cluster) =>
      partsOf(cluster, 'KubeadmControlPlane').every((one) => count(one, 'readyReplicas') >= wanted(one)),
    Workers: (cluster) =>
      partsOf(cluster, 'MachineDeployment')
        .filter((one) => !isGoing(one))
        .every((one) => count(one, 'availableReplicas') >= wanted(one)),
    AddOns: areApplied,
    Available: (cluster) => verdictOf(cluster, 'Available') === 'True' || wasAvailable(cluster),
  };
  const areGone = (cluster: Cluster, kinds: readonly string[], isMeant: (one: KubeObject) => boolean = () => true) =>
    kinds.every((kind) => !partsOf(cluster, kind).some(isMeant));
  const deleting: Facts = {
    DeleteWorkers: (cluster) =>
      areGone(cluster, ['MachineDeployment', 'MachineSet']) &&
      areGone(cluster, ['Machine'], (one) => !isControlPlane(one)),
    DeleteControlPlane: (cluster) => areGone(cluster, ['Machine'], isControlPlane),
  };

  /** Every Machine of the operation's objects of this kind is up to date, and there are enough. */
  const isReplaced = (cluster: Cluster, kind: string, isOf: (machine: KubeObject, name: string) => boolean) =>
    partsOf(cluster, kind)
      .filter(({ metadata }) => spec?.objects?.some((one) => one.kind === kind && one.name === metadata.name))
      // An upgrade goes on without an object that a user pauses or deletes.
      .filter((object) => !isHalted(object) && !isGoing(object))
      .every((object) => {
        const machines = partsOf(cluster, 'Machine').filter((one) => isOf(one, object.metadata.name));
        const isWhole = machines.filter((one) => !isGoing(one)).length >= wanted(object);
        return isWhole && machines.every((one) => verdictOf(one, 'UpToDate') === 'True');
      });
  const upgrading: Facts = {
    ControlPlane: (cluster) => isReplaced(cluster, 'KubeadmControlPlane', isControlPlane),
    Workers: (cluster) =>
      isReplaced(
        cluster,
        'MachineDeployment',
        ({ metadata }, name) => metadata.labels?.['cluster.x-k8s.io/deployment-name'] === name,
      ),
  };
  const restoring: Facts = {
    Join: (cluster) =>
      partsOf(cluster, 'KubeadmControlPlane').every((one) => count(one, 'readyReplicas') >= wanted(one)),
    Verify: (cluster) => verdictOf(cluster, 'Available') === 'True',
  };
  return { create: creating, upgrade: upgrading, restore: restoring, delete: deleting };
};

/** How old the reads of a pass may be when it writes. */
const aMoment = 5000;

/** A former state of an object, and when it was replaced. */
interface Former {
  object: KubeObject;
  until: number;
}

export const steps: Rule = ({ world }, broken) => {
  const { clock, mirror } = world;
  /** By uid: the states replaced within the last moment, oldest first. */
  const replaced = new Map<string, Former[]>();
  const formerOf = ({ metadata: { uid = '' } }: KubeObject) =>
    (replaced.get(uid) ?? []).filter(({ until }) => clock.now() - until < aMoment);
  /** The state of all objects just before this time. */
  const at = (time: number): Sight & { whole: <T extends KubeObject>(object: T) => T } => {
    const whole = <T extends KubeObject>(object: T): T =>
      (formerOf(object).find(({ until }) => until >= time)?.object as T | undefined) ?? object;
    return {
      whole,
      all: <T extends KubeObject>(kind: string) => mirror.all<T>(kind).map(whole),
      get: <T extends KubeObject>(kind: string, namespace: string, name: string) => {
        const object = mirror.get<T>(kind, namespace, name);
        return object && whole(object);
      },
    };
  };
  const isSoAt = (time: number, operation: ClusterOperation, step: string, cluster: Cluster): boolean => {
    const sight = at(time);
    const facts = factsOf(sight, operation)[operation.spec?.type ?? 'create'];
    return facts[step]?.(sight.whole(cluster)) ?? true;
  };
  /** Whether the fact holds now, or held at some time within the moment. */
  const isSo = (operation: ClusterOperation, step: string, cluster: Cluster): boolean => {
    const times = new Set(mirror.everything().flatMap((object) => formerOf(object).map(({ until }) => until)));
    return [Number.POSITIVE_INFINITY, ...times].some((time) => isSoAt(time, operation, step, cluster));
  };

  return {
    onCommit: ({ object, before: former, writer }) => {
      if (object && former)
        replaced.set(object.metadata.uid ?? '', [...formerOf(object), { object: former, until: clock.now() }]);
      if (object?.kind !== 'ClusterOperation' || writer !== 'cluster-operation' || world.isDisturbed) return;
      const operation = object as ClusterOperation;
      const { metadata, spec, status } = operation;
      const cluster = mirror.get<Cluster>('Cluster', metadata.namespace!, spec?.clusterName ?? '');
      const isOwn = metadata.ownerReferences?.some(({ uid }) => uid === cluster?.metadata.uid);
      // An Available cluster has completed its creation, whatever happens to it later.
      if (!cluster || !isOwn || (spec?.type === 'create' && wasAvailable(cluster))) return;
      const known = (former as ClusterOperation | undefined)?.status?.steps ?? [];
      for (const { name, verdict } of status?.steps ?? []) {
        const isNew = verdict === 'Succeeded' && known.find((one) => one.name === name)?.verdict !== 'Succeeded';
        if (isNew && !isSo(operation, name, cluster))
          throw broken(`${name} of ${metadata.name} is reported done, but is not`);
      }
    },
  };
};

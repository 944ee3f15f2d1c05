/** A step of an operation is done when what it waits for is so, and not before. */
import type { Cluster } from '../../../kinds/cluster/index.ts';
import type { ClusterOperation } from '../../../kinds/cluster-operation/index.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Mirror } from '../mirror.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';
import { clusterName, infrastructureOf, isGoing, verdictOf } from './whose.ts';

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
const isControlPlane = ({ metadata }: KubeObject) => 'cluster.x-k8s.io/control-plane' in (metadata.labels ?? {});
const wanted = ({ spec }: KubeObject): number => (spec as { replicas?: number } | undefined)?.replicas ?? 1;
const wasAvailable = ({ metadata }: KubeObject) => metadata.annotations?.['capstan.dev/was-available'] === 'true';

type Facts = Readonly<Record<string, (cluster: Cluster) => boolean>>;
type Sight = Pick<Mirror, 'all' | 'get'>;

/** What each step waits for, as it is seen in one way or another. */
const factsOf = (sight: Sight): { creating: Facts; deleting: Facts } => {
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

  return { creating, deleting };
};

/** What a pass has read may be so old when it writes. */
const aMoment = 5000;

export const stepwise = ({ world }: Setting): Invariant => {
  const { clock, mirror } = world;
  /** By uid: what was replaced a moment ago. */
  const replaced = new Map<string, { object: KubeObject; at: number }>();
  const before = <T extends KubeObject>(object: T): T => {
    const former = replaced.get(object.metadata.uid ?? '');
    return former && clock.now() - former.at < aMoment ? (former.object as T) : object;
  };
  const now = factsOf(mirror);
  const lately = factsOf({
    all: <T extends KubeObject>(kind: string) => mirror.all<T>(kind).map(before),
    get: <T extends KubeObject>(kind: string, namespace: string, name: string) => {
      const object = mirror.get<T>(kind, namespace, name);
      return object && before(object);
    },
  });
  const isSo = (type: 'creating' | 'deleting', step: string, cluster: Cluster): boolean =>
    [now, lately].some((facts) => facts[type][step]?.(facts === now ? cluster : before(cluster)) ?? true);

  return {
    onCommit: ({ object, before: former, writer }) => {
      if (object && former && before(object) === object)
        replaced.set(object.metadata.uid ?? '', { object: former, at: clock.now() });
      if (object?.kind !== 'ClusterOperation' || writer !== 'cluster-operation' || world.isDisturbed) return;
      const { metadata, spec, status } = object as ClusterOperation;
      const cluster = mirror.get<Cluster>('Cluster', metadata.namespace!, spec?.clusterName ?? '');
      const isOwn = metadata.ownerReferences?.some(({ uid }) => uid === cluster?.metadata.uid);
      // What ever was available is done, whatever has become of it.
      if (!cluster || !isOwn || (spec?.type === 'create' && wasAvailable(cluster))) return;
      const known = (former as ClusterOperation | undefined)?.status?.steps ?? [];
      for (const { name, verdict } of status?.steps ?? []) {
        const isNew = verdict === 'Succeeded' && known.find((one) => one.name === name)?.verdict !== 'Succeeded';
        if (isNew && !isSo(spec?.type === 'delete' ? 'deleting' : 'creating', name, cluster))
          throw new Violation('stepwise', `${name} of ${metadata.name} is said to be done, and is not`);
      }
    },
  };
};

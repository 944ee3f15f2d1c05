/** A step of an operation is done when what it waits for is so, and not before. */
import type { AWSCluster } from '../../../kinds/aws-cluster/index.ts';
import type { Cluster } from '../../../kinds/cluster/index.ts';
import type { ClusterOperation } from '../../../kinds/cluster-operation/index.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';
import { clusterName, isGoing, verdictOf } from './whose.ts';

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

export const stepwise = ({ world }: Setting): Invariant => {
  const { mirror } = world;
  const partsOf = ({ metadata }: Cluster, kind: string) =>
    mirror
      .all(kind)
      .filter(
        (one) => one.metadata.namespace === metadata.namespace && one.metadata.labels?.[clusterName] === metadata.name,
      );
  const count = (object: KubeObject, field: keyof Counts) => ((object.status ?? {}) as Counts)[field] ?? 0;
  const areApplied = (cluster: Cluster) => {
    const { namespace = '', name, labels = {} } = cluster.metadata;
    const { bindings = [] } = (mirror.get('ClusterResourceSetBinding', namespace, name)?.spec ?? {}) as Binding;
    return mirror.all('ClusterResourceSet').every((set) => {
      const { clusterSelector, resources = [] } = (set.spec ?? {}) as ResourceSet;
      const selected = Object.entries(clusterSelector?.matchLabels ?? {});
      const isSelected = selected.length > 0 && selected.every(([key, value]) => labels[key] === value);
      if (!isSelected || isGoing(set) || set.metadata.namespace !== namespace) return true;
      const entry = bindings.find((one) => one.clusterResourceSetName === set.metadata.name);
      return resources.every((one) => entry?.resources?.some((other) => other.name === one.name && other.applied));
    });
  };
  const infrastructureOf = ({ metadata, spec }: Cluster) =>
    mirror.get<AWSCluster>('AWSCluster', metadata.namespace!, spec?.infrastructureRef?.name ?? '');

  const creating: Readonly<Record<string, (cluster: Cluster) => boolean>> = {
    Network: (cluster) =>
      ['VpcReady', 'SubnetsReady', 'ClusterSecurityGroupsReady'].every(
        (type) => verdictOf(infrastructureOf(cluster), type) === 'True',
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
  const deleting: typeof creating = {
    DeleteWorkers: (cluster) =>
      areGone(cluster, ['MachineDeployment', 'MachineSet']) &&
      areGone(cluster, ['Machine'], (one) => !isControlPlane(one)),
    DeleteControlPlane: (cluster) => areGone(cluster, ['Machine'], isControlPlane),
  };

  return {
    onCommit: ({ object, before, writer }) => {
      if (object?.kind !== 'ClusterOperation' || writer !== 'cluster-operation' || world.isDisturbed) return;
      const { metadata, spec, status } = object as ClusterOperation;
      const cluster = mirror.get<Cluster>('Cluster', metadata.namespace!, spec?.clusterName ?? '');
      const isOwn = metadata.ownerReferences?.some(({ uid }) => uid === cluster?.metadata.uid);
      // What ever was available is done, whatever has become of it.
      if (!cluster || !isOwn || (spec?.type === 'create' && wasAvailable(cluster))) return;
      const facts = spec?.type === 'delete' ? deleting : creating;
      const known = (before as ClusterOperation | undefined)?.status?.steps ?? [];
      for (const { name, verdict } of status?.steps ?? []) {
        const isNew = verdict === 'Succeeded' && known.find((one) => one.name === name)?.verdict !== 'Succeeded';
        if (isNew && facts[name] && !facts[name](cluster))
          throw new Violation('stepwise', `${name} of ${metadata.name} is said to be done, and is not`);
      }
    },
  };
};

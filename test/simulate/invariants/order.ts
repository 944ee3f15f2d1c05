/** What goes in which order: workers before the control plane, the network after all machines, and of a namespace its Clusters first. */
import type { Cluster } from '../../../kinds/core/cluster/index.ts';
import type { Machine } from '../../../kinds/core/machine/index.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { World } from '../site.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';

const rule = 'order of deletion';
const isControlPlane = ({ metadata }: Machine) => metadata.labels?.['cluster.x-k8s.io/control-plane'] !== undefined;

/** Their controllers need everything else in it. */
const expectNoCluster = ({ mirror }: World, { kind, metadata: { namespace = '', name } }: KubeObject) => {
  const since = Date.parse(mirror.get('Namespace', '', namespace)?.metadata.deletionTimestamp ?? '');
  // One that was just being made when its namespace was deleted may come too late.
  const isLeft = ({ metadata }: KubeObject) =>
    metadata.namespace === namespace && Date.parse(metadata.creationTimestamp!) < since;
  const left = mirror.all<Cluster>('Cluster').find(isLeft);
  if (left) throw new Violation(rule, `${kind} ${name} goes with its namespace before Cluster ${left.metadata.name}`);
};

export const order = ({ world }: Setting): Invariant => ({
  onCommit: ({ object, before, writer }) => {
    const isBegun = before && !before.metadata.deletionTimestamp && (!object || object.metadata.deletionTimestamp);
    if (writer === 'namespace' && isBegun && before.kind !== 'Cluster' && before.kind !== 'Namespace')
      expectNoCluster(world, before);
    if (writer !== 'cluster' || !object?.metadata.deletionTimestamp || before?.metadata.deletionTimestamp) return;
    const { kind, metadata } = object;
    if (kind !== 'KubeadmControlPlane' && kind !== 'AWSCluster') return;
    const cluster = metadata.labels?.['cluster.x-k8s.io/cluster-name'];
    const left = world.mirror
      .all<Machine>('Machine')
      .filter((machine) => machine.metadata.namespace === metadata.namespace && machine.spec?.clusterName === cluster)
      .filter((machine) => kind === 'AWSCluster' || !isControlPlane(machine));
    if (left.length > 0)
      throw new Violation(rule, `${kind} ${metadata.name} goes before ${left.map((one) => one.metadata.name).join()}`);
  },
});

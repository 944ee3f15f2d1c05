/** What goes in which order: workers before the control plane, and the network after all machines. */
import type { Machine } from '../../../kinds/machine/index.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';

const rule = 'order of deletion';
const isControlPlane = ({ metadata }: Machine) => metadata.labels?.['cluster.x-k8s.io/control-plane'] !== undefined;

export const order = ({ world }: Setting): Invariant => ({
  onCommit: ({ object, before, writer }) => {
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

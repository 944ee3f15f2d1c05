/** etcd keeps its quorum, and control-plane machines go one at a time. */
import type { Cluster } from '../../../kinds/cluster/index.ts';
import type { Machine } from '../../../kinds/machine/index.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';

const isControlPlane = ({ metadata }: Machine) => metadata.labels?.['cluster.x-k8s.io/control-plane'] !== undefined;
const clusterOf = ({ metadata }: Machine) => metadata.labels?.['cluster.x-k8s.io/cluster-name'] ?? '';

export const quorum = ({ world, isRuined = () => false }: Setting): Invariant => {
  const { account, guests, mirror } = world;
  /** Nobody wants the cluster any more, or it is planned towards nothing. */
  const isEnding = (namespace: string, name: string): boolean => {
    const cluster = mirror.get<Cluster>('Cluster', namespace, name);
    return (
      !cluster ||
      cluster.metadata.deletionTimestamp !== undefined ||
      cluster.metadata.annotations?.['capstan.dev/target'] === 'Nothing'
    );
  };
  /** A machine that is silent for a while has not been taken away. */
  const isRunning = (instanceId: string) =>
    guests.clusters.isRunning(instanceId) ||
    account.list().some(({ id, state }) => id === instanceId && (state === 'running' || state === 'pending'));
  const expectQuorum = () => {
    for (const { record } of guests.clusters.all()) {
      const voters = record.etcd.members.filter(({ isLearner }) => !isLearner);
      if (voters.length === 0) continue;
      const running = voters.filter(({ instanceId }) => isRunning(instanceId)).length;
      if (running > voters.length / 2 || isRuined()) continue;
      const ending = mirror
        .all<Cluster>('Cluster')
        .every(({ metadata }) => isEnding(metadata.namespace!, metadata.name));
      if (!ending) throw new Violation('quorum', `${running} of ${voters.length} members run`);
    }
  };
  return {
    onCall: ({ action, happened }) => {
      if (happened && action === 'TerminateInstances') expectQuorum();
    },
    onCommit: ({ type, object, before }) => {
      if (type !== 'machines.cluster.x-k8s.io' || !object) return;
      const machine = object as Machine;
      if (!isControlPlane(machine)) return;
      expectQuorum();
      if (!machine.metadata.deletionTimestamp || before?.metadata.deletionTimestamp) return;
      const { namespace = '' } = machine.metadata;
      if (isEnding(namespace, clusterOf(machine))) return;
      const deleting = mirror
        .all<Machine>('Machine')
        .filter(
          (one) => isControlPlane(one) && clusterOf(one) === clusterOf(machine) && one.metadata.deletionTimestamp,
        );
      if (deleting.length > 1)
        throw new Violation('quorum', `${deleting.map(({ metadata }) => metadata.name).join(' and ')} go at once`);
    },
  };
};

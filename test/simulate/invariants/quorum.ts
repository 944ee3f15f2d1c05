/** etcd keeps its quorum, and control-plane machines go one at a time. */
import type { AWSMachine } from '../../../kinds/aws-machine/index.ts';
import type { Cluster } from '../../../kinds/cluster/index.ts';
import type { Machine } from '../../../kinds/machine/index.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';
import { isEnding, isForeground } from './leaving.ts';

const cleanupHook = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/kcp-cleanup';
const isControlPlane = ({ metadata }: Machine) => metadata.labels?.['cluster.x-k8s.io/control-plane'] !== undefined;
const clusterOf = ({ metadata }: Machine) => metadata.labels?.['cluster.x-k8s.io/cluster-name'] ?? '';

export const quorum = ({ world, isRuined = () => false }: Setting): Invariant => {
  const { account, guests, mirror } = world;
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
        .every(({ metadata }) => isEnding(mirror, metadata.namespace!, metadata.name));
      if (!ending) throw new Violation('quorum', `${running} of ${voters.length} members run`);
    }
  };
  /** Uids of machines of which somebody took off what holds them until they are out of etcd. */
  const released = new Set<string>();
  /** Whoever goes in an orderly way is out of etcd before it ends. */
  const expectNoMember = (instanceId: string) => {
    const host = mirror.all<AWSMachine>('AWSMachine').find(({ spec }) => spec?.instanceID === instanceId);
    const { namespace = '', ownerReferences = [], deletionTimestamp: since } = host?.metadata ?? {};
    const owner = ownerReferences.find(({ kind }) => kind === 'Machine');
    const machine = owner && mirror.get<Machine>('Machine', namespace, owner.name);
    if (!machine?.metadata.deletionTimestamp || !machine.status?.nodeRef || isRuined()) return;
    if (released.has(machine.metadata.uid!) || isForeground(machine)) return;
    if (!isControlPlane(machine) || isEnding(mirror, namespace, clusterOf(machine))) return;
    // Somebody took what it runs on first.
    if (since !== undefined && since < machine.metadata.deletionTimestamp) return;
    const controller = machine.metadata.ownerReferences?.find((one) => one.controller);
    const controlPlane = mirror.get('KubeadmControlPlane', namespace, controller?.name ?? '');
    if (!controlPlane || controlPlane.metadata.deletionTimestamp) return;
    for (const { record } of guests.clusters.all()) {
      const { members } = record.etcd;
      if (members.length > 1 && members.some((member) => member.instanceId === instanceId))
        throw new Violation('quorum', `${machine.metadata.name} ends and is still a member of etcd`);
    }
  };
  return {
    onCall: ({ action, happened, input }) => {
      if (!happened || action !== 'TerminateInstances') return;
      expectQuorum();
      for (const id of (input as { InstanceIds: string[] }).InstanceIds) expectNoMember(id);
    },
    onCommit: ({ type, object, before, writer }) => {
      if (type !== 'machines.cluster.x-k8s.io' || !object) return;
      const machine = object as Machine;
      if (!isControlPlane(machine)) return;
      const isHeld = (one: KubeObject | undefined) => one?.metadata.annotations?.[cleanupHook] !== undefined;
      if (!writer && isHeld(before) && !isHeld(machine)) released.add(machine.metadata.uid!);
      expectQuorum();
      if (!machine.metadata.deletionTimestamp || before?.metadata.deletionTimestamp) return;
      const { namespace = '' } = machine.metadata;
      if (isEnding(mirror, namespace, clusterOf(machine))) return;
      const deleting = mirror
        .all<Machine>('Machine')
        .filter(
          (one) =>
            isControlPlane(one) &&
            one.metadata.namespace === namespace &&
            clusterOf(one) === clusterOf(machine) &&
            one.metadata.deletionTimestamp,
        );
      if (deleting.length > 1)
        throw new Violation('quorum', `${deleting.map(({ metadata }) => metadata.name).join(' and ')} go at once`);
    },
  };
};

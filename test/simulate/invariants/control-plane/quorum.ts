import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { AWSMachine } from '../../../../kinds/infrastructure-aws/aws-machine/index.ts';
import type { Condition, KubeObject } from '../../../../machinery/api/object.ts';
import { decimal, leaderOf } from '../../../../simulation/workload/etcd.ts';
import type { EtcdMemberRecord } from '../../../../simulation/workload/records.ts';
import { isEnding } from '../deletion.ts';
import { unheard } from '../grace.ts';
import { isControlPlane, isStoppedByRestore } from '../relations.ts';
import type { Rule } from '../rule.ts';

/** The hook that keeps a control-plane Machine until its etcd member is removed. */
export const cleanupHook = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/kcp-cleanup';
const removal = '/v3/cluster/member/remove';
const minute = 60_000;
/**
 * The longest time from when a machine falls silent until a probe of an idle cluster reports it.
 */
const unnoticed = 15 * minute;
const remediating = 'controlplane.cluster.x-k8s.io/remediation-in-progress';
const clusterOf = ({ metadata }: Machine) => metadata.labels?.['cluster.x-k8s.io/cluster-name'] ?? '';

export const quorum: Rule = ({ world, has, isRuined = () => false }, broken) => {
  const { account, clock, guests, mirror } = world;
  /** A silent machine still counts as running: no controller removed it. */
  const isRunning = (instanceId: string) =>
    guests.clusters.isRunning(instanceId) ||
    account.list().some(({ id, state }) => id === instanceId && (state === 'running' || state === 'pending'));
  /** Instances whose Machines a restore has deleted. */
  const stopped = new Set<string>();
  /**
   * Whether the cluster of these members is being deleted, or is gone, or a restore has stopped this
   * etcd. The members of the restored etcd are other instances, which must keep its quorum.
   */
  const isGoing = (voters: readonly EtcdMemberRecord[]) => {
    if (voters.some(({ instanceId }) => stopped.has(instanceId))) return true;
    const ids = new Set(voters.map(({ instanceId }) => instanceId));
    const uids = new Set(
      account.list().flatMap(({ id, tags }) => (ids.has(id) ? tags['capstan.dev/cluster-uid'] : [])),
    );
    return mirror
      .all<Cluster>('Cluster')
      .every(({ metadata: { uid, namespace = '', name } }) => !uids.has(uid) || isEnding(mirror, namespace, name));
  };
  const expectQuorum = () => {
    for (const { record } of guests.clusters.all()) {
      const voters = record.etcd.members.filter(({ isLearner }) => !isLearner);
      if (voters.length === 0) continue;
      const running = voters.filter(({ instanceId }) => isRunning(instanceId)).length;
      if (running > voters.length / 2 || isRuined()) continue;
      if (!isGoing(voters)) throw broken(`${running} of ${voters.length} members run`);
    }
  };
  /** Whether the machine has been silent for so long that every controller knows. */
  const isSilent = (instanceId: string) => {
    const { haltedAt = clock.now() } = guests.guests().find(({ instance }) => instance.instanceId === instanceId) ?? {};
    return clock.now() - haltedAt > unnoticed + unheard(has);
  };
  const isWhole = (voters: readonly EtcdMemberRecord[]) =>
    voters.filter(({ instanceId }) => !isSilent(instanceId)).length > voters.length / 2;
  /** A removal must leave a majority of responsive members. */
  const expectMajority = (what: string, isMeant: (voter: EtcdMemberRecord) => boolean, isOut: boolean) => {
    for (const { record } of guests.clusters.all()) {
      const voters = record.etcd.members.filter(({ isLearner }) => !isLearner);
      const others = voters.filter((voter) => !isMeant(voter));
      if (others.length === voters.length || others.length === 0 || isRuined() || !isWhole(voters)) continue;
      const running = others.filter(({ instanceId }) => !isSilent(instanceId)).length;
      const left = isOut ? others.length : voters.length;
      if (running > left / 2 || isGoing(voters)) continue;
      throw broken(`${what} leaves only ${running} of ${left} members responsive`);
    }
  };
  /** Whether the machine has joined and is not being deleted. */
  const isStaying = (instanceId: string) => {
    const machine = mirror.all<Machine>('Machine').find((one) => instanceOf(one) === instanceId);
    return machine?.status?.nodeRef !== undefined && !machine.metadata.deletionTimestamp && !isSilent(instanceId);
  };
  /**
   * The leader hands leadership over before its removal. Otherwise writes fail until an election.
   */
  const expectFollower = (ID: string) => {
    const isRestless = (
      ['worker.frozen', 'worker.late', 'worker.slow', 'machine.silent', 'machine.restarted'] as const
    ).some(has);
    for (const { record } of guests.clusters.all()) {
      const leader = leaderOf(record.etcd, isRunning);
      if (!leader || decimal(leader.id) !== ID || isRestless || isRuined() || isGoing(record.etcd.members)) continue;
      const heir = record.etcd.members.find((one) => one !== leader && !one.isLearner && isStaying(one.instanceId));
      if (heir) throw broken(`${leader.name} is removed while it leads etcd, although ${heir.name} could take over`);
    }
  };
  /**
   * The member leaves etcd after the drain: until then the kubelet needs the local API server,
   * which needs the local member.
   */
  const expectEmpty = (ID: string) => {
    for (const { record } of guests.clusters.all()) {
      const member = record.etcd.members.find(({ id }) => decimal(id) === ID);
      const machine = member && mirror.all<Machine>('Machine').find((one) => instanceOf(one) === member.instanceId);
      const deleting = (machine?.status?.conditions as Condition[] | undefined)?.find(
        ({ type }) => type === 'Deleting',
      );
      if (!machine || has('worker.frozen') || has('worker.late') || isRuined()) continue;
      if (deleting?.status !== 'True' || deleting.reason !== 'WaitingForPreTerminateHook')
        throw broken(`${member.name} is removed from etcd while its machine is at ${deleting?.reason}`);
    }
  };
  world.onAsked((asked) => {
    if (asked.port === 'etcd' && asked.path === removal) {
      const { ID } = asked.body as { ID: string };
      expectFollower(ID);
      expectEmpty(ID);
      expectMajority(`the removal of ${ID} from etcd`, ({ id }) => decimal(id) === ID, true);
    }
    if (asked.port === 'cloud' && asked.action === 'TerminateInstances') {
      const { InstanceIds } = asked.input as { InstanceIds: string[] };
      expectMajority(`the termination of ${InstanceIds}`, ({ instanceId }) => InstanceIds.includes(instanceId), false);
    }
  });
  const instanceOf = ({ metadata, spec }: Machine) =>
    mirror.get<AWSMachine>('AWSMachine', metadata.namespace!, spec?.infrastructureRef?.name ?? '')?.spec?.instanceID;
  const isRemediated = (machine: Machine) =>
    (machine.status?.conditions as Condition[] | undefined)?.some(
      ({ type, status }) => type === 'OwnerRemediated' && status === 'False',
    );
  /**
   * A control plane creates and deletes machines only while all others respond, except to replace
   * an unhealthy one.
   */
  const expectHealth = (machine: Machine) => {
    const { name, namespace = '', uid, ownerReferences = [] } = machine.metadata;
    const owner = ownerReferences.find(({ controller }) => controller)?.name ?? '';
    const controlPlane = mirror.get('KubeadmControlPlane', namespace, owner);
    if (isRemediated(machine) || controlPlane?.metadata.annotations?.[remediating] !== undefined || isRuined()) return;
    if (isEnding(mirror, namespace, clusterOf(machine)) || isStoppedByRestore(mirror, machine)) return;
    const silent = mirror
      .all<Machine>('Machine')
      .find(
        (one) =>
          isControlPlane(one) &&
          one.metadata.uid !== uid &&
          one.metadata.namespace === namespace &&
          clusterOf(one) === clusterOf(machine) &&
          isSilent(instanceOf(one) ?? ''),
      );
    if (silent) throw broken(`${name} is created or deleted while ${silent.metadata.name} is unresponsive`);
  };
  /** Uids of Machines whose cleanup hook a user removed and no controller restored. */
  const released = new Set<string>();
  /** A Machine that is drained leaves etcd before its instance terminates. */
  const expectNoMember = (instanceId: string) => {
    const host = mirror.all<AWSMachine>('AWSMachine').find(({ spec }) => spec?.instanceID === instanceId);
    const { namespace = '', ownerReferences = [], deletionTimestamp: since } = host?.metadata ?? {};
    const owner = ownerReferences.find(({ kind }) => kind === 'Machine');
    const machine = owner && mirror.get<Machine>('Machine', namespace, owner.name);
    if (!machine?.metadata.deletionTimestamp || !machine.status?.nodeRef || isRuined()) return;
    if (released.has(machine.metadata.uid!) || stopped.has(instanceId)) return;
    if (!isControlPlane(machine) || isEnding(mirror, namespace, clusterOf(machine))) return;
    // A user deleted its host first.
    if (since !== undefined && since < machine.metadata.deletionTimestamp) return;
    const controller = machine.metadata.ownerReferences?.find((one) => one.controller);
    const controlPlane = mirror.get('KubeadmControlPlane', namespace, controller?.name ?? '');
    if (!controlPlane || controlPlane.metadata.deletionTimestamp) return;
    for (const { record } of guests.clusters.all()) {
      const { members } = record.etcd;
      if (members.length > 1 && members.some((member) => member.instanceId === instanceId))
        throw broken(`${machine.metadata.name} terminates while it is still a member of etcd`);
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
      if (isHeld(machine)) released.delete(machine.metadata.uid!);
      const instanceId = instanceOf(machine);
      if (instanceId && machine.metadata.deletionTimestamp && isStoppedByRestore(mirror, machine))
        stopped.add(instanceId);
      expectQuorum();
      const goes = machine.metadata.deletionTimestamp && !before?.metadata.deletionTimestamp;
      if (writer === 'kubeadm-control-plane' && (!before || goes)) expectHealth(machine);
      // This rule is about Machines that a controller deletes. A remediation may be what another
      // Machine waits for.
      if (!writer || !goes || isRemediated(machine)) return;
      const { namespace = '' } = machine.metadata;
      if (isEnding(mirror, namespace, clusterOf(machine)) || isStoppedByRestore(mirror, machine)) return;
      const deleting = mirror.all<Machine>('Machine').filter(
        (one) =>
          isControlPlane(one) &&
          one.metadata.namespace === namespace &&
          clusterOf(one) === clusterOf(machine) &&
          one.metadata.deletionTimestamp &&
          // A Machine without a controller reference does not count.
          one.metadata.ownerReferences?.some(({ controller }) => controller),
      );
      if (deleting.length > 1)
        throw broken(`${deleting.map(({ metadata }) => metadata.name).join(' and ')} are deleted at the same time`);
    },
  };
};

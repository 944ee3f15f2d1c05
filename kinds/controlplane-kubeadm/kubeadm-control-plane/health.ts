/** Aggregates the health of etcd and of the other components over all Machines. Pure. */
import type { ConditionDraft } from '../../../machinery/api/reconcile.ts';
import { type ControlPlane, etcdAnswers, isGoing, type Member, managesEtcd, nameOf, nodeOf } from './control-plane.ts';
import { annotations } from './names.ts';

interface Finding {
  member: Member;
  condition: ConditionDraft;
}

const findings = (members: Member[], types: string[]): Finding[] =>
  members.flatMap((member) =>
    member.conditions.filter(({ type }) => types.includes(type)).map((condition) => ({ member, condition })),
  );

/** Lists the Machines with their failing conditions. */
const messageOf = (bad: Finding[], more: string[]): string => {
  const machines = [...Map.groupBy(bad, ({ member }) => nameOf(member))].map(([name, of]) => {
    const lines = of.map(({ condition: { type, message, reason } }) => `  * ${type}: ${message || reason}`);
    return [`* Machine ${name}:`, ...lines].join('\n');
  });
  return [...machines, ...more.map((why) => `* ${why}`)].join('\n');
};

/** Without a host, unknown health is not an issue. */
const hasHost = ({ machine }: Member): boolean => machine.spec?.providerID !== undefined;

/** The conditions of a Machine in deletion say nothing of its etcd, which counts until it has left. */
const silentLeavers = ({ members, workload }: ControlPlane): Finding[] =>
  members
    .filter((member) => isGoing(member) && member.machine.metadata.annotations?.[annotations.cleanupHook] !== undefined)
    .filter((member) => workload?.etcd?.members.some(({ name }) => name === nodeOf(member)))
    .filter((member) => !etcdAnswers({ workload }, nodeOf(member)))
    .map((member) => ({
      member,
      condition: {
        type: 'EtcdMemberHealthy',
        status: 'Unknown',
        reason: 'InspectionFailed',
        message: `Machine is deleting, and the etcd Pod on the ${nodeOf(member)} Node does not answer`,
      },
    }));

const summarise = (type: string, found: Finding[], unknownMembers: string[]): ConditionDraft => {
  const failing = found.filter(({ condition, member }) => condition.status === 'False' && !isGoing(member));
  const unknown = found.filter(({ condition, member }) => condition.status === 'Unknown' && hasHost(member));
  if (failing.length + unknownMembers.length > 0)
    return {
      type,
      status: 'False',
      reason: 'NotHealthy',
      message: messageOf([...failing, ...unknown], unknownMembers),
    };
  if (unknown.length > 0) return { type, status: 'Unknown', reason: 'HealthUnknown', message: messageOf(unknown, []) };
  return { type, status: 'True', reason: 'Healthy', message: '' };
};

const notYet = (type: string): ConditionDraft => ({
  type,
  status: 'Unknown',
  reason: 'InspectionFailed',
  message: 'Waiting for Cluster control plane to be initialized',
});

/** One condition; none if the control plane does not manage etcd. */
export const etcdHealthy = (controlPlane: ControlPlane, initialized: boolean): ConditionDraft[] => {
  const { members, workload } = controlPlane;
  const type = 'EtcdClusterHealthy';
  if (!managesEtcd(controlPlane)) return [];
  if (!initialized || members.length === 0) return [notYet(type)];
  if (workload?.reachable && workload.etcdUnreadable)
    return [{ type, status: 'Unknown', reason: 'InspectionFailed', message: workload.etcdUnreadable }];
  const nodes = new Set(members.map(nodeOf));
  const expected = members.every((member) => nodeOf(member) !== undefined);
  const unknownMembers = (workload?.etcd?.members ?? [])
    .filter(({ name }) => expected && !nodes.has(name))
    .map(({ name, id }) => `Etcd member ${name || id} does not have a corresponding Machine`);
  const judged = [...findings(members, ['EtcdMemberHealthy']), ...silentLeavers(controlPlane)];
  return [summarise(type, judged, unknownMembers)];
};

const componentTypes = ['APIServerPodHealthy', 'ControllerManagerPodHealthy', 'SchedulerPodHealthy', 'EtcdPodHealthy'];
export const componentsHealthy = ({ members }: ControlPlane, initialized: boolean): ConditionDraft => {
  const type = 'ControlPlaneComponentsHealthy';
  if (!initialized || members.length === 0) return notYet(type);
  return summarise(type, findings(members, componentTypes), []);
};

/**
 * The conditions of a Machine that only its control plane can evaluate. Pure; the Machine
 * controller writes them.
 */
import type { ConditionDraft } from '../../../machinery/api/reconcile.ts';
import { remoteConditionsGraceMs, runsAsWanted } from '../../core/contract/machine-conditions.ts';
import { withoutProviderId } from '../../core/contract/provider-id.ts';
import type { WorkloadNode, WorkloadPod, WorkloadSnapshot } from '../../ports/workload.ts';
import { joinsAs } from './config-diff.ts';
import { type MachineFacts, outOfDateReasons } from './up-to-date.ts';

export interface ControlPlaneMachineFacts extends MachineFacts {
  /** Undefined until the prober has first probed the workload cluster. */
  snapshot: WorkloadSnapshot | undefined;
}

const controlPlaneRole = 'node-role.kubernetes.io/control-plane';
const unreachableTaint = 'node.kubernetes.io/unreachable';

const components = {
  APIServerPodHealthy: 'kube-apiserver',
  ControllerManagerPodHealthy: 'kube-controller-manager',
  SchedulerPodHealthy: 'kube-scheduler',
  EtcdPodHealthy: 'etcd',
} as const satisfies Record<string, WorkloadPod['component']>;
type PodCondition = keyof typeof components;
const podConditions = Object.keys(components) as PodCondition[];

export const hasManagedEtcd = ({ controlPlane }: Pick<MachineFacts, 'controlPlane'>): boolean =>
  controlPlane.spec?.kubeadmConfigSpec?.clusterConfiguration?.etcd?.external === undefined;

/** The health conditions of a control plane machine, without UpToDate. */
export const healthConditionTypes = (managedEtcd: boolean): string[] => [
  'NodeKubeadmLabelsAndTaintsSet',
  'APIServerPodHealthy',
  'ControllerManagerPodHealthy',
  'SchedulerPodHealthy',
  ...(managedEtcd ? ['EtcdPodHealthy', 'EtcdMemberHealthy'] : []),
];

type Verdict = Omit<ConditionDraft, 'type'>;
const unknown = (reason: string, message: string): Verdict => ({ status: 'Unknown', reason, message });
const bad = (reason: string, message: string): Verdict => ({ status: 'False', reason, message });
const good = (reason: string): Verdict => ({ status: 'True', reason, message: '' });

/** Why the Machine's Node cannot be evaluated; undefined if it can. */
const obstacle = (facts: ControlPlaneMachineFacts): Verdict | undefined => {
  const { machine, controlPlane, snapshot, now } = facts;
  if (controlPlane.status?.initialization?.controlPlaneInitialized !== true)
    return unknown('InspectionFailed', 'Waiting for Cluster control plane to be initialized');
  if (!snapshot?.reachableSince && !snapshot?.unreachableSince)
    return unknown('ConnectionDown', 'Remote connection not established yet');
  if (snapshot.unreachableSince && now - Date.parse(snapshot.unreachableSince) >= remoteConditionsGraceMs)
    return unknown('ConnectionDown', 'Remote connection down');
  const name = machine.status?.nodeRef?.name;
  if (name === undefined) {
    const { providerID } = machine.spec ?? {};
    return unknown(
      'InspectionFailed',
      providerID
        ? (withoutProviderId(snapshot, machine.status?.addresses) ??
            `Waiting for a Node with spec.providerID ${providerID} to exist`)
        : `Waiting for ${machine.spec?.infrastructureRef.kind} to report spec.providerID`,
    );
  }
  if (!nodeOf(facts)) return unknown('InspectionFailed', `Node ${name} does not exist`);
  return undefined;
};

const nodeOf = ({ machine, snapshot }: ControlPlaneMachineFacts): WorkloadNode | undefined =>
  snapshot?.nodes.find((node) => node.name === machine.status?.nodeRef?.name);

const failed = ['CrashLoopBackOff', 'Error', 'OOMKilled', 'ContainerCannotRun', 'StartError', 'DeadlineExceeded'];

const podVerdict = (node: WorkloadNode, pod: WorkloadPod | undefined): Verdict => {
  if (node.taints.some(({ key }) => key === unreachableTaint))
    return unknown('InspectionFailed', `Node ${node.name} is unreachable`);
  if (node.conditions.some(({ type, status }) => type === 'Ready' && status === 'Unknown'))
    return unknown('InspectionFailed', 'Node Ready condition is Unknown, Pod data might be stale');
  if (!pod) return bad('DoesNotExist', 'Pod does not exist');
  if (pod.deleting) return bad('Deleting', 'Pod is deleting');
  const trouble = [pod.reason, pod.message].filter(Boolean).join(', ');
  switch (pod.phase) {
    case 'Running':
      // A client of the endpoint would refuse it.
      if (pod.coversEndpoint === false)
        return bad('Failed', 'The certificate of the API server is not valid for the control plane endpoint');
      if (pod.ready) return good('Running');
      return pod.reason && failed.includes(pod.reason)
        ? bad('Failed', trouble)
        : bad('Provisioning', trouble || 'Waiting for startup or readiness probes');
    case 'Pending':
      return bad('Provisioning', trouble || 'Waiting for startup or readiness probes');
    case 'Succeeded':
    case 'Failed':
      return bad('Failed', 'All the containers have been terminated');
    default:
      return unknown('InspectionFailed', 'Pod is reporting Unknown status');
  }
};

const etcdVerdict = (node: WorkloadNode, { snapshot }: ControlPlaneMachineFacts): Verdict => {
  if (!snapshot?.etcd) return unknown('InspectionFailed', snapshot?.etcdUnreadable ?? 'Waiting for etcd to answer');
  if (snapshot.etcdUnreadable) return unknown('InspectionFailed', snapshot.etcdUnreadable);
  const { members, alarms } = snapshot.etcd;
  const member = members.find(({ name }) => name === node.name);
  if (!member) return bad('NotHealthy', `Etcd doesn't have an etcd member for Node ${node.name}`);
  const raised = alarms.filter(({ memberID }) => memberID === member.id).map(({ type }) => type);
  if (raised.length > 0) return bad('NotHealthy', `Etcd reports alarms: ${[...new Set(raised)].sort().join(', ')}`);
  if (member.isLearner) return bad('NotHealthy', 'Waiting for the etcd learner to become a voting member');
  const pod = snapshot.controlPlanePods.find((p) => p.component === 'etcd' && p.node === node.name);
  if (!pod?.ready) return unknown('InspectionFailed', `Failed to connect to the etcd Pod on the ${node.name} Node`);
  return good('Healthy');
};

const registration = ({ controlPlane, bootstrapConfig }: ControlPlaneMachineFacts) => {
  const own = bootstrapConfig?.spec;
  const { joinConfiguration, initConfiguration } = controlPlane.spec?.kubeadmConfigSpec ?? {};
  return (own ? (joinsAs(own) ?? own.initConfiguration) : (joinConfiguration ?? initConfiguration))?.nodeRegistration;
};

const labelsVerdict = (node: WorkloadNode, facts: ControlPlaneMachineFacts): Verdict => {
  const missing: string[] = [];
  if (node.labels[controlPlaneRole] === undefined) missing.push(`* Label ${controlPlaneRole} is missing`);
  const wanted = registration(facts)?.taints ?? [{ key: controlPlaneRole, effect: 'NoSchedule' }];
  const lacks = (key: string, effect: string) => !node.taints.some((t) => t.key === key && t.effect === effect);
  for (const { key, effect } of wanted)
    if (key === controlPlaneRole && lacks(key, effect)) missing.push(`* Taint ${key}:${effect} is missing`);
  return missing.length > 0 ? bad('NotSet', missing.join('\n')) : good('Set');
};

const upToDate = (facts: MachineFacts): ConditionDraft => {
  const reasons = outOfDateReasons(facts);
  return reasons.length === 0
    ? { type: 'UpToDate', ...runsAsWanted(facts.machine, facts.machine.status?.nodeInfo?.kubeletVersion) }
    : { type: 'UpToDate', ...bad('NotUpToDate', reasons.map((r) => `* ${r}`).join('\n')) };
};

/** UpToDate and the health of the Machine's components; etcd conditions only for a managed etcd. */
export const controlPlaneMachineConditions = (facts: ControlPlaneMachineFacts): ConditionDraft[] => {
  const managedEtcd = hasManagedEtcd(facts);
  const everywhere = (verdict: Verdict): ConditionDraft[] =>
    healthConditionTypes(managedEtcd).map((type) => ({ type, ...verdict }));
  const health = (): ConditionDraft[] => {
    const why = obstacle(facts);
    if (why) return everywhere(why);
    if (facts.machine.metadata.deletionTimestamp) return everywhere(bad('Deleting', 'Machine is deleting'));
    const node = nodeOf(facts)!;
    const pods = facts.snapshot!.controlPlanePods;
    return [
      { type: 'NodeKubeadmLabelsAndTaintsSet', ...labelsVerdict(node, facts) },
      ...podConditions
        .filter((type) => managedEtcd || type !== 'EtcdPodHealthy')
        .map((type) => ({
          type,
          ...podVerdict(
            node,
            pods.find((pod) => pod.component === components[type] && pod.node === node.name),
          ),
        })),
      ...(managedEtcd ? [{ type: 'EtcdMemberHealthy', ...etcdVerdict(node, facts) }] : []),
    ];
  };
  return [upToDate(facts), ...health()];
};

/** The status of a KubeadmControlPlane. Pure. */
import {
  type LegacyDraft,
  legacyFalse,
  legacyTrue,
  summarizeLegacy,
  withConditions,
} from '../../../machinery/api/conditions.ts';
import { absenceOf, type ConditionDraft, type Failure } from '../../../machinery/api/reconcile.ts';
import {
  certificatesMessage,
  missingCertificates,
  unusableCertificates,
} from '../../bootstrap-kubeadm/kubeadm-config/certificates.ts';
import { lowestVersion } from '../../common/kubernetes-version.ts';
import { alsoBlocked, blocked } from '../../core/contract/blocked.ts';
import { authorities, unusableAuthority } from '../../core/contract/cluster-secrets.ts';
import { isProvisioned } from '../../core/contract/cluster-status.ts';
import { quotaMessages } from '../../core/contract/machine-quota.ts';
import {
  isDeleting,
  isUnhealthy,
  machineIs,
  machinesReady,
  machinesUpToDate,
  remediating,
  staleMessage,
  versionsOf,
} from '../../core/contract/machines.ts';
import { admissionMessage } from '../../core/contract/rollout.ts';
import { availability } from './availability.ts';
import { type ControlPlane, desiredReplicas, isConditionTrue, isGoing, isInitialized } from './control-plane.ts';
import { componentsHealthy, etcdHealthy } from './health.ts';
import { preflight } from './preflight.ts';
import { lastRemediation } from './remediation.ts';
import { isRemediating, mostMembers, waitsForInit } from './scale.ts';
import type { KubeadmControlPlaneStatus } from './schema.ts';

const draft = (type: string, status: ConditionDraft['status'], reason: string, message = ''): ConditionDraft => ({
  type,
  status,
  reason,
  message,
});

/**
 * The prober saw that kubeadm finished. A single Machine that is unhealthy or being deleted does
 * not count.
 */
const becomesInitialized = ({ members, workload, withheld }: ControlPlane): boolean => {
  if (withheld?.releases) return false;
  const [only, ...others] = members;
  const doubtful = only !== undefined && others.length === 0 && (isGoing(only) || isUnhealthy(only.machine));
  return workload?.reachable === true && workload.initialized && !doubtful;
};

const scalingUp = (controlPlane: ControlPlane, lastFailure: Failure | undefined): ConditionDraft => {
  const { members, template } = controlPlane;
  const desired = desiredReplicas(controlPlane);
  const { kind } = controlPlane.kcp.spec!.machineTemplate.spec.infrastructureRef;
  const absence = template.state === 'absent' ? absenceOf(template, kind) : '';
  if (members.length >= desired) {
    const message = absence && !isDeleting(controlPlane.kcp) ? `Scaling up would be blocked because ${absence}` : '';
    return draft('ScalingUp', 'False', 'NotScalingUp', message);
  }
  const problems =
    isRemediating(controlPlane) || !isInitialized(controlPlane) ? [] : preflight(controlPlane, { adding: true });
  const failed = lastFailure?.operation.startsWith('create ')
    ? [`${lastFailure.operation}: ${lastFailure.message}`]
    : [];
  const held = controlPlane.why ? [controlPlane.why] : [];
  const exceeded = quotaMessages(controlPlane.quotas, 1);
  const obstacles = [...held, ...(absence ? [absence] : []), ...problems, ...exceeded, ...failed];
  const message = blocked(`Scaling up from ${members.length} to ${desired} replicas`, obstacles);
  return draft('ScalingUp', 'True', 'ScalingUp', message);
};

const scalingDown = (controlPlane: ControlPlane, now: number): ConditionDraft => {
  const { members } = controlPlane;
  const desired = desiredReplicas(controlPlane);
  if (members.length <= mostMembers(controlPlane)) return draft('ScalingDown', 'False', 'NotScalingDown');
  const stale = staleMessage(
    members.map(({ machine }) => machine),
    now,
  );
  const reasons = [controlPlane.why, stale].filter(Boolean).map((why) => `\n* ${why}`);
  const message = `Scaling down from ${members.length} to ${desired} replicas${reasons.join('')}`;
  return draft('ScalingDown', 'True', 'ScalingDown', message);
};

const rollingOut = ({ members, cluster, admission, why }: ControlPlane): ConditionDraft => {
  const held = why || admissionMessage(cluster, admission);
  const outdated = members.flatMap(({ conditions }) =>
    conditions.filter(({ type, status }) => type === 'UpToDate' && status === 'False'),
  );
  if (outdated.length === 0) return draft('RollingOut', 'False', 'NotRollingOut');
  const causes = [...new Set(outdated.flatMap(({ message = '' }) => message.split('\n')))].sort();
  const reasons = held ? [`* ${held}`, ...causes] : causes;
  const message = [`Rolling out ${outdated.length} not up-to-date replicas`, ...reasons].join('\n');
  return draft('RollingOut', 'True', 'RollingOut', message);
};

/** Only what is absent is made again, and no cluster has snapshots before it is initialized. */
const exitFor = ({ kcp, cluster, certificates: { secrets } }: ControlPlane): string => {
  if (!isInitialized({ kcp }) || !authorities.some((purpose) => secrets[purpose].state === 'absent')) return '';
  const { namespace = '', name } = cluster.metadata;
  return `. To have absent ones made again from an EtcdSnapshot of Cluster ${name} whose status.keys.kept names them, run: kubectl annotate esnap NAME -n ${namespace} --overwrite capstan.dev/restore-keys="$(date)"`;
};

const unusableOf = ({ kcp, cluster, certificates }: ControlPlane): string[] => {
  const { namespace = '', name } = cluster.metadata;
  const configuration = kcp.spec?.kubeadmConfigSpec?.clusterConfiguration;
  return unusableCertificates({ namespace, cluster: name, configuration }, certificates);
};

const certificatesAvailable = (controlPlane: ControlPlane): ConditionDraft => {
  const { certificates, cluster, why } = controlPlane;
  const missing = missingCertificates(certificates);
  if (missing.length === 0) return draft('CertificatesAvailable', 'True', 'Available');
  // Certificates are created once the infrastructure is ready. Before anything is paid, the preflight asks for this.
  const unusable = isProvisioned(cluster) ? [] : unusableOf(controlPlane);
  if (unusable.length > 0) return draft('CertificatesAvailable', 'False', unusableAuthority, unusable.join('; '));
  if (why && !isProvisioned(cluster)) return draft('CertificatesAvailable', 'False', 'NotAvailable', why);
  return draft(
    'CertificatesAvailable',
    'False',
    'NotAvailable',
    `${certificatesMessage(cluster.metadata.name, certificates, missing)}${exitFor(controlPlane)}`,
  );
};

const initialized = ({ why }: ControlPlane, is: boolean): ConditionDraft =>
  is
    ? draft('Initialized', 'True', 'Initialized')
    : draft('Initialized', 'False', 'NotInitialized', why || waitsForInit);

export interface StatusInput {
  controlPlane: ControlPlane;
  /** Present while the control plane is being deleted. */
  deleting: ConditionDraft | undefined;
  /** Requested fields that are not acted on. */
  unheeded: string[];
  /** What the next step waits for. */
  waitsFor: readonly string[];
  lastFailure: Failure | undefined;
  now: number;
}

/** Changes that a wait delays. */
const changes = ['ScalingUp', 'RollingOut', 'ScalingDown'];

/** Names what no condition names yet in the change that waits for it. */
const withWaits = (conditions: ConditionDraft[], waitsFor: readonly string[]): ConditionDraft[] => {
  const isNamed = (why: string) => conditions.some(({ message = '' }) => message.includes(why));
  const unnamed = waitsFor.filter((why) => !isNamed(why));
  if (unnamed.length === 0) return conditions;
  const delayed = conditions.find(({ type, status }) => changes.includes(type) && status === 'True');
  const type = delayed?.type ?? 'RollingOut';
  return conditions.map((condition) =>
    condition.type === type ? { ...condition, message: alsoBlocked(condition.message, unnamed) } : condition,
  );
};

const legacyConditions = (conditions: ConditionDraft[], controlPlane: ControlPlane, ready: number): LegacyDraft[] => {
  const of = (type: string) => conditions.find((condition) => condition.type === type)!;
  const mirrored = (type: string, from: string, reason: string): LegacyDraft => {
    const { status, message = '' } = of(from);
    return status === 'True' ? legacyTrue(type) : legacyFalse(type, reason, 'Warning', message);
  };
  const desired = desiredReplicas(controlPlane);
  const current = controlPlane.members.length;
  const resized = (): LegacyDraft[] => {
    if (current < desired) return [legacyFalse('Resized', 'ScalingUp', 'Warning', of('ScalingUp').message)];
    if (current > mostMembers(controlPlane))
      return [legacyFalse('Resized', 'ScalingDown', 'Warning', of('ScalingDown').message)];
    return ready === current ? [legacyTrue('Resized')] : [];
  };
  const own = [
    mirrored('Available', 'Initialized', 'WaitingForKubeadmInit'),
    mirrored('CertificatesAvailable', 'CertificatesAvailable', 'CertificatesNotAvailable'),
    mirrored('ControlPlaneComponentsHealthy', 'ControlPlaneComponentsHealthy', 'ControlPlaneComponentsUnhealthy'),
    ...(of('EtcdClusterHealthy') ? [mirrored('EtcdClusterHealthy', 'EtcdClusterHealthy', 'EtcdClusterUnhealthy')] : []),
    ...(current > 0 ? [mirrored('MachinesReady', 'MachinesReady', 'NotReady')] : []),
    ...(of('RollingOut').status === 'True'
      ? [legacyFalse('MachinesSpecUpToDate', 'RollingUpdateInProgress', 'Warning', of('RollingOut').message)]
      : [legacyTrue('MachinesSpecUpToDate')]),
    ...resized(),
  ];
  const summary = summarizeLegacy(own);
  return summary ? [summary, ...own] : own;
};

export const statusFor = ({
  controlPlane,
  deleting,
  unheeded,
  waitsFor,
  lastFailure,
  now,
}: StatusInput): KubeadmControlPlaneStatus => {
  const { kcp, cluster, members } = controlPlane;
  const machines = members.map(({ machine }) => machine);
  const latched = isInitialized(controlPlane) || becomesInitialized(controlPlane);
  const count = (type: string) => machines.filter((machine) => machineIs(machine, type)).length;
  const readyNodes = count('NodeReady');
  const upToDate = members.filter((member) => isConditionTrue(member, 'UpToDate')).length;
  const remediation = lastRemediation(controlPlane);
  const before = kcp.status?.lastRemediation;
  const versions = versionsOf(machines);
  const version = lowestVersion(machines.flatMap(({ spec }) => spec?.version ?? []));
  const decided = [
    availability(controlPlane, { initialized: latched, unheeded, lastFailure }),
    certificatesAvailable(controlPlane),
    initialized(controlPlane, latched),
    ...etcdHealthy(controlPlane, latched),
    componentsHealthy(controlPlane, latched),
    machinesReady(machines),
    machinesUpToDate(machines, now),
    rollingOut(controlPlane),
    scalingUp(controlPlane, lastFailure),
    scalingDown(controlPlane, now),
    remediating(machines, 'KubeadmControlPlane'),
    deleting ?? draft('Deleting', 'False', 'NotDeleting'),
  ];
  // What waited for the initialization goes on.
  const conditions = withWaits(decided, latched === isInitialized(controlPlane) ? waitsFor : []);
  return {
    selector: `cluster.x-k8s.io/cluster-name=${cluster.metadata.name},cluster.x-k8s.io/control-plane`,
    replicas: machines.length,
    readyReplicas: count('Ready'),
    availableReplicas: count('Available'),
    upToDateReplicas: upToDate,
    ...(version !== undefined && { version }),
    ...(versions.length > 0 && { versions }),
    ...(latched && { initialization: { controlPlaneInitialized: true } }),
    ...(remediation
      ? {
          lastRemediation: {
            machine: remediation.machine,
            retryCount: remediation.retryCount,
            time: remediation.timestamp,
          },
        }
      : before && { lastRemediation: before }),
    conditions: withConditions([], ...conditions),
    deprecated: {
      v1beta1: {
        readyReplicas: readyNodes,
        updatedReplicas: upToDate,
        unavailableReplicas: Math.max(0, desiredReplicas(controlPlane) - readyNodes),
        conditions: legacyConditions(conditions, controlPlane, readyNodes),
      },
    },
  };
};

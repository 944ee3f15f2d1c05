/** The status of a MachinePool. Pure. */
import {
  type LegacyDraft,
  legacyFalse,
  legacyTrue,
  summarizeLegacy,
  withConditions,
  withLegacy,
} from '../../../machinery/api/conditions.ts';
import { type ConditionDraft, found } from '../../../machinery/api/reconcile.ts';
import { partReady } from '../../common/legacy-part.ts';
import { blocked } from '../contract/blocked.ts';
import { isDeleting } from '../contract/machines.ts';
import { asMachine } from '../contract/pool-as-machine.ts';
import { isScaledByOthers } from '../contract/pools.ts';
import { bootstrapReady, infrastructureReady } from '../machine/conditions.ts';
import { isReady, runs, untilAvailable } from './hosts.ts';
import { replicasOf } from './infrastructure.ts';
import type { Observed } from './observe.ts';
import type { MachinePoolStatus } from './schema.ts';

/** What the parts of the pool have reached in this pass. */
export interface Progress {
  isBootstrapped: boolean;
  /** As the infrastructure reports it now. */
  isProvisioned: boolean;
  /** The infrastructure was there, and is gone. */
  isLost: boolean;
}

interface Counts {
  desired: number;
  replicas: number;
  ready: number;
  available: number;
  upToDate: number;
}

const waitsFor = (observed: Observed): (number | undefined)[] => {
  const { minReadySeconds = 0 } = observed.pool.spec?.template.spec ?? {};
  return observed.nodes.map((node) => untilAvailable(node, minReadySeconds, observed.now));
};

const countsOf = (observed: Observed, waits: readonly (number | undefined)[]): Counts => {
  const { pool, infrastructure, nodes, withheld } = observed;
  const there = found(infrastructure);
  const version = pool.spec?.template.spec.version;
  return {
    desired: isDeleting(pool) || withheld?.releases ? 0 : (pool.spec?.replicas ?? 0),
    replicas: there ? replicasOf(there) : infrastructure.state === 'absent' ? 0 : (pool.status?.replicas ?? 0),
    ready: nodes.filter(isReady).length,
    available: waits.filter((wait) => wait === 0).length,
    upToDate: nodes.filter((node) => runs(node, version)).length,
  };
};

/** Later rules win. */
const phaseOf = ({ pool, nodes }: Observed, progress: Progress, counts: Counts): MachinePoolStatus['phase'] => {
  const { desired, ready } = counts;
  if (isDeleting(pool)) return 'Deleting';
  if (progress.isLost) return 'Failed';
  const [up, down] = isScaledByOthers(pool)
    ? (['Scaling', 'Scaling'] as const)
    : (['ScalingUp', 'ScalingDown'] as const);
  if (progress.isProvisioned && desired > ready) return up;
  if (progress.isProvisioned && desired < ready) return down;
  if (progress.isProvisioned && desired === ready) return 'Running';
  if (nodes.length > 0) return 'Provisioned';
  return progress.isBootstrapped ? 'Provisioning' : 'Pending';
};

const draft = (type: string, is: boolean, message = ''): ConditionDraft => ({
  type,
  status: is ? 'True' : 'False',
  reason: is ? type : `Not${type}`,
  message,
});

const scalingUp = ({ withheld, nodes }: Observed, { desired, replicas }: Counts): ConditionDraft => {
  const type = 'ScalingUp';
  if (replicas < desired)
    return draft(
      type,
      true,
      blocked(`Scaling up from ${replicas} to ${desired} replicas`, withheld ? [withheld.message] : []),
    );
  return nodes.length < replicas && desired > 0
    ? draft(type, true, `Waiting for ${replicas - nodes.length} of ${replicas} hosts to become Nodes`)
    : draft(type, false);
};

const scalingDown = (_: Observed, { desired, replicas }: Counts): ConditionDraft =>
  replicas > desired
    ? draft('ScalingDown', true, `Scaling down from ${replicas} to ${desired} replicas`)
    : draft('ScalingDown', false);

const rollingOut = ({ nodes }: Observed, { upToDate }: Counts): ConditionDraft =>
  upToDate < nodes.length
    ? draft('RollingOut', true, `${nodes.length - upToDate} of ${nodes.length} Nodes are not of the pool's version`)
    : draft('RollingOut', false);

const availableOf = ({ pool, withheld }: Observed, { desired, available }: Counts): ConditionDraft => {
  const type = 'Available';
  if (isDeleting(pool)) return { type, status: 'False', reason: 'NotAvailable', message: 'Deletion in progress' };
  if (available >= desired) return { type, status: 'True', reason: 'Available', message: '' };
  const { reason = 'NotAvailable', message } = withheld ?? {};
  return {
    type,
    status: 'False',
    reason,
    message: message ?? `${available} available replicas, at least ${desired} required`,
  };
};

const infrastructureCondition = (observed: Observed, { isProvisioned, isLost }: Progress): ConditionDraft => {
  const { pool, infrastructure, isAnothers } = observed;
  const { kind = '' } = pool.spec?.template.spec.infrastructureRef ?? {};
  return infrastructure.state === 'absent' && !isAnothers && (isLost || isDeleting(pool))
    ? { type: 'InfrastructureReady', status: 'False', reason: 'ObjectDeleted', message: `${kind} has been deleted` }
    : infrastructureReady(asMachine(pool), infrastructure, isProvisioned);
};

const legacyOf = (observed: Observed, progress: Progress, { desired, ready }: Counts): LegacyDraft[] => {
  const { pool, bootstrapConfig, infrastructure } = observed;
  const gone = isDeleting(pool);
  const own = withLegacy(
    pool.status?.deprecated?.v1beta1?.conditions ?? [],
    ...(bootstrapConfig
      ? partReady('BootstrapReady', bootstrapConfig, progress.isBootstrapped, 'WaitingForDataSecret', gone)
      : [legacyTrue('BootstrapReady')]),
    ...partReady('InfrastructureReady', infrastructure, progress.isProvisioned, 'WaitingForInfrastructure', gone),
    ready === desired ? legacyTrue('ReplicasReady') : legacyFalse('ReplicasReady', 'WaitingForReplicasReady', 'Info'),
  );
  const summary = summarizeLegacy(own, { of: ['BootstrapReady', 'InfrastructureReady', 'ReplicasReady'] });
  return summary ? withLegacy(own, summary) : own;
};

const versionsOf = ({ nodes }: Observed): NonNullable<MachinePoolStatus['versions']> =>
  [...Map.groupBy(nodes, ({ nodeInfo }) => nodeInfo.kubeletVersion ?? '')]
    .filter(([version]) => version !== '')
    .map(([version, all]) => ({ version, replicas: all.length }))
    .toSorted((a, b) => (a.version < b.version ? -1 : 1));

const failureOf = ({ pool }: Observed, { isLost }: Progress) => {
  const { kind = '', name = '' } = pool.spec?.template.spec.infrastructureRef ?? {};
  return isLost
    ? {
        failureReason: 'InvalidConfiguration',
        failureMessage: `MachinePool infrastructure resource ${kind} ${pool.metadata.namespace}/${name} has been deleted`,
      }
    : {};
};

/** `deleting`: of a pool that is being deleted. `wait`: seconds until the passage of time alone changes the status. */
export const statusOf = (
  observed: Observed,
  progress: Progress,
  deleting: ConditionDraft | undefined,
): { status: MachinePoolStatus; wait: number | undefined } => {
  const { pool, nodes, bootstrapConfig } = observed;
  const waits = waitsFor(observed);
  const counts = countsOf(observed, waits);
  const versions = versionsOf(observed);
  const { isBootstrapped, isProvisioned } = progress;
  const later = waits.filter((wait) => wait !== undefined && wait > 0);
  const { replicas, ready: readyReplicas, available: availableReplicas } = counts;
  return {
    wait: later.length > 0 ? Math.ceil(Math.min(...(later as number[])) / 1000) : undefined,
    status: {
      phase: phaseOf(observed, progress, counts),
      replicas,
      readyReplicas,
      availableReplicas,
      upToDateReplicas: counts.upToDate,
      ...(versions.length > 0 && { versions }),
      ...(nodes.length > 0 && {
        nodeRefs: nodes.map(({ name, uid }) => ({ apiVersion: 'v1', kind: 'Node', name, uid })),
      }),
      ...((isBootstrapped || isProvisioned) && {
        initialization: {
          ...(isBootstrapped && { bootstrapDataSecretCreated: true }),
          ...(isProvisioned && { infrastructureProvisioned: true }),
        },
      }),
      conditions: withConditions(
        pool.status?.conditions,
        bootstrapReady(asMachine(pool), bootstrapConfig, isBootstrapped),
        infrastructureCondition(observed, progress),
        availableOf(observed, counts),
        scalingUp(observed, counts),
        scalingDown(observed, counts),
        rollingOut(observed, counts),
        deleting ?? draft('Deleting', false),
      ),
      deprecated: {
        v1beta1: {
          ...failureOf(observed, progress),
          readyReplicas,
          availableReplicas,
          unavailableReplicas: Math.max(0, counts.desired - availableReplicas),
          conditions: legacyOf(observed, progress, counts),
        },
      },
    },
  };
};

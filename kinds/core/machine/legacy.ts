/** The v1beta1 conditions, for clients that still read them. Pure. */
import {
  conditionOf,
  type LegacyDraft,
  legacyFalse,
  legacyTrue,
  legacyUnknown,
  summarizeLegacy,
  withLegacy,
} from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { ConditionDraft, Read } from '../../../machinery/api/reconcile.ts';
import { partReady } from '../../common/legacy-part.ts';
import { isDeleting } from '../contract/machines.ts';
import type { Machine } from './schema.ts';

export interface LegacyFacts {
  machine: Machine;
  conditions: ConditionDraft[];
  bootstrapConfig: Read<KubeObject> | undefined;
  infraMachine: Read<KubeObject>;
  isBootstrapped: boolean;
  isProvisioned: boolean;
  /** Deletion stages reached so far, by condition. */
  deletion: LegacyDraft[];
}

const nodeHealthy = ({ machine, conditions, infraMachine }: LegacyFacts): LegacyDraft => {
  const type = 'NodeHealthy';
  const healthy = conditionOf(conditions, type);
  if (infraMachine.state === 'absent' && isDeleting(machine)) return legacyFalse(type, 'Deleting', 'Info');
  switch (healthy?.status) {
    case 'True':
      return legacyTrue(type);
    case 'False':
      return healthy.reason === 'NodeDeleted'
        ? legacyFalse(type, 'NodeNotFound', 'Error')
        : legacyFalse(type, 'NodeConditionsFailed', 'Warning', healthy.message);
    default:
      if (healthy?.reason === 'NodeHealthUnknown') return legacyUnknown(type, 'NodeConditionsFailed', healthy.message);
      return machine.spec?.providerID
        ? legacyFalse(type, 'NodeProvisioning', 'Warning', 'Waiting for a node with matching ProviderID to exist')
        : legacyFalse(type, 'WaitingForNodeRef', 'Info');
  }
};

/** Reasons of failed health checks that have other names in v1beta1. */
const legacyReasons: Record<string, string> = {
  HasRemediateAnnotation: 'HasRemediateMachineAnnotation',
  NodeDeleted: 'NodeNotFound',
};
const remediation = ['HealthCheckSucceeded', 'OwnerRemediated'] as const;

/** What health checks and owners report; in v1beta1 a Machine counts as remediated once it is deleted. */
const remediated = ({ status }: Machine): LegacyDraft[] =>
  remediation.flatMap((type) => {
    const { status: is, reason = '', message } = conditionOf(status?.conditions, type) ?? {};
    if (is === undefined) return [];
    if (is === 'True' || reason === 'MachineDeleting') return [legacyTrue(type)];
    const because = type === 'OwnerRemediated' ? 'WaitingForRemediation' : (legacyReasons[reason] ?? reason);
    return [legacyFalse(type, because, 'Warning', message)];
  });

export const legacyConditions = (facts: LegacyFacts): LegacyDraft[] => {
  const { machine, bootstrapConfig, infraMachine, isBootstrapped, isProvisioned } = facts;
  const gone = isDeleting(machine);
  const reported: readonly string[] = remediation;
  const before = (machine.status?.deprecated?.v1beta1?.conditions ?? []).filter(({ type }) => !reported.includes(type));
  const own = withLegacy(
    before,
    ...(bootstrapConfig
      ? partReady('BootstrapReady', bootstrapConfig, isBootstrapped, 'WaitingForDataSecret', gone)
      : [legacyTrue('BootstrapReady')]),
    ...partReady('InfrastructureReady', infraMachine, isProvisioned, 'WaitingForInfrastructure', gone),
    nodeHealthy(facts),
    ...remediated(machine),
    ...facts.deletion,
  );
  const summary = summarizeLegacy(own, {
    of: ['BootstrapReady', 'InfrastructureReady', 'DrainingSucceeded', 'HealthCheckSucceeded', 'OwnerRemediated'],
    stepCounter: !gone,
    stepCounterIfOnly: ['BootstrapReady', 'InfrastructureReady'],
  });
  return summary ? withLegacy(own, summary) : own;
};

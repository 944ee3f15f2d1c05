/**
 * Marks the checked Machines as healthy or unhealthy, and asks for the remediation of unhealthy ones
 * unless there are too many. Their owners replace them, or an external controller does.
 */
import { conditionOf, legacyFalse, legacyTrue, withConditions, withLegacy } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  type Action,
  type ConditionDraft,
  type Context,
  type EventDraft,
  found,
  type MergePatch,
  type Plan,
} from '../../../machinery/api/reconcile.ts';
import { labels } from '../../common/labels.ts';
import { deletionOf, hasReference, ownerReference, patchAsObserved, withOwner } from '../../common/owners.ts';
import { cloneOf } from '../contract/clone.ts';
import { hostEndOf } from '../contract/host-health.ts';
import { debounceFor, isDeleting, isUnhealthy } from '../contract/machines.ts';
import type { Machine } from '../machine/schema.ts';
import { deferralOf, deferredCondition, isDeferral, isUnsettled } from './deferral.ts';
import { nameList } from './names.ts';
import type { Judged, Observed } from './observe.ts';
import { type Restraints, restraintsOf } from './restraint.ts';
import type { MachineHealthCheck, MachineHealthCheckStatus } from './schema.ts';
import { type Trigger, triggerOf } from './trigger.ts';

const succeeded: ConditionDraft = {
  type: 'HealthCheckSucceeded',
  status: 'True',
  reason: 'HealthCheckSucceeded',
  message: '',
};
const waitingForOwner: ConditionDraft = {
  type: 'OwnerRemediated',
  status: 'False',
  reason: 'WaitingForRemediation',
  message: 'Waiting for remediation',
};
const externally = (reason: string, message: string): ConditionDraft => ({
  type: 'ExternallyRemediated',
  status: 'False',
  reason,
  message,
});

/** The owner completes a remediation that has begun, so its condition is only set once. */
const askOwner = ({ status, metadata }: Machine): ConditionDraft[] => {
  const before = conditionOf(status?.conditions, waitingForOwner.type);
  const isOpen = before?.status !== 'False';
  return isOpen && metadata.deletionTimestamp === undefined ? [waitingForOwner] : [];
};

const requestOf = ({ metadata, ...machine }: Machine, template: KubeObject): Action => ({
  do: 'create',
  object: cloneOf(template, {
    name: metadata.name,
    owner: ownerReference({ ...machine, metadata }),
    labels: { [labels.cluster]: machine.spec?.clusterName ?? '' },
    annotations: {},
  }),
});

interface Remediation {
  conditions: ConditionDraft[];
  actions: Action[];
}

const remediate = ({ machine, request }: Judged, { check, template }: Observed): Remediation => {
  const ref = check.spec?.remediation?.templateRef;
  if (!ref) return { conditions: askOwner(machine), actions: [] };
  if (request?.state !== 'absent') return { conditions: [], actions: [] };
  const from = template && found(template);
  if (from) return { conditions: [externally('WaitingForRemediation', '')], actions: [requestOf(machine, from)] };
  if (template?.state !== 'absent') return { conditions: [], actions: [] };
  const name = `${check.metadata.namespace}/${ref.name}`;
  const message = `Error retrieving remediation template ${ref.kind} ${name}`;
  return { conditions: [externally('RemediationTemplateNotFound', message)], actions: [] };
};

/** Withdraws the request for a Machine that is healthy again. */
const withdraw = ({ request }: Judged): Action[] => {
  const object = request && found(request);
  return object && !isDeleting(object) ? [deletionOf(object)] : [];
};

const isNews = (machine: Machine, { type, status, reason, message }: ConditionDraft): boolean => {
  const before = conditionOf(machine.status?.conditions, type);
  return before?.status !== status || before.reason !== reason || before.message !== message;
};

const mark = (machine: Machine, drafts: readonly ConditionDraft[]): Action[] => {
  const news = drafts.filter((draft) => isNews(machine, draft));
  if (news.length === 0) return [];
  return [patchAsObserved(machine, { status: { conditions: withConditions(machine.status?.conditions, ...news) } })];
};

/** Also removes the reason for which a remediation was deferred. */
const markHealthy = (machine: Machine): Action[] => {
  const before = machine.status?.conditions;
  if (!before?.some(isDeferral)) return mark(machine, [succeeded]);
  const others = before.filter((condition) => !isDeferral(condition));
  return [patchAsObserved(machine, { status: { conditions: withConditions(others, succeeded) } })];
};

const whyDeferred = ({ metadata }: Machine, { isAllowed, message }: Trigger, restraints: Restraints) =>
  isAllowed ? restraints.get(metadata.name) : { reason: 'TooManyUnhealthy', message };

/** One group per Machine: a failure of one does not stop the others. */
const actionsFor = (judged: Judged, observed: Observed, trigger: Trigger, restraints: Restraints): Action[] => {
  const { machine, verdict, isOverruled = false } = judged;
  const grouped = (actions: Action[]) => actions.map((action) => ({ ...action, group: machine.metadata.name }));
  switch (verdict.health) {
    case 'pending':
      return [];
    case 'healthy':
      return isOverruled ? [] : grouped([...withdraw(judged), ...markHealthy(machine)]);
    case 'unhealthy': {
      const why = whyDeferred(machine, trigger, restraints);
      const type = observed.check.spec?.remediation?.templateRef ? 'ExternallyRemediated' : 'OwnerRemediated';
      const { conditions, actions } = why
        ? { conditions: deferralOf(machine, type, why), actions: [] }
        : remediate(judged, observed);
      const finding = isOverruled ? [] : [verdict.condition];
      return grouped([...mark(machine, [...finding, ...conditions]), ...actions]);
    }
    default:
      throw new Error(`unknown verdict ${verdict satisfies never}`);
  }
};

const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace}/${metadata.name}`;

const eventsOf = (
  check: MachineHealthCheck,
  judged: readonly Judged[],
  trigger: Trigger,
  deferred: ConditionDraft | undefined,
): EventDraft[] => {
  const unhealthy = judged.filter(({ verdict }) => verdict.health === 'unhealthy');
  if (!trigger.isAllowed && unhealthy.length > 0)
    return [{ type: 'Warning', reason: 'RemediationRestricted', message: trigger.message }];
  const wasDeferred = conditionOf(check.status?.conditions, 'RemediationDeferred')?.reason === deferred?.reason;
  return [
    ...unhealthy
      .filter(({ machine }) => !isUnhealthy(machine))
      .map(({ machine }) => ({
        type: 'Normal' as const,
        reason: 'MachineMarkedUnhealthy',
        message: `Machine ${keyOf(machine)} has been marked as unhealthy by ${keyOf(check)}`,
        about: machine,
      })),
    ...(deferred && !wasDeferred
      ? [{ type: 'Warning' as const, reason: 'RemediationDeferred', message: deferred.message ?? '' }]
      : []),
  ];
};

const statusOf = (
  { status }: MachineHealthCheck,
  judged: readonly Judged[],
  healthy: number,
  { isAllowed, remediationsAllowed, message }: Trigger,
  deferred: ConditionDraft | undefined,
): MachineHealthCheckStatus => {
  const type = 'RemediationAllowed';
  const legacy = isAllowed ? legacyTrue(type) : legacyFalse(type, 'TooManyUnhealthy', 'Warning', message);
  return {
    expectedMachines: judged.length,
    currentHealthy: healthy,
    remediationsAllowed,
    targets: judged.map(({ machine }) => machine.metadata.name).sort(),
    conditions: withConditions(
      status?.conditions?.filter(({ type: other }) => other !== 'RemediationDeferred'),
      {
        type,
        status: isAllowed ? 'True' : 'False',
        reason: isAllowed ? 'RemediationAllowed' : 'TooManyUnhealthy',
        message,
      },
      ...(deferred ? [deferred] : []),
    ),
    deprecated: { v1beta1: { conditions: withLegacy(status?.deprecated?.v1beta1?.conditions ?? [], legacy) } },
  };
};

const ownIntent = ({ check, cluster }: Observed): MergePatch => {
  const reference = cluster && ownerReference(cluster);
  return {
    metadata: {
      labels: { [labels.cluster]: check.spec?.clusterName ?? '' },
      ...(reference && !hasReference(check, reference) && { ownerReferences: withOwner(check, reference) }),
    },
  };
};

/** While the cluster does not answer, no Machine is remediated; hosts that have ended are not healthy. */
const silentStatus = ({ status }: MachineHealthCheck, machines: readonly Machine[]): MachineHealthCheckStatus => {
  const ended = machines.filter((machine) => hostEndOf(machine) !== undefined).map(({ metadata }) => metadata.name);
  const healthy = Math.min(status?.currentHealthy ?? 0, machines.length - ended.length);
  const names = ended.length > 0 ? `; the hosts of ${nameList(ended.sort())} have ended` : '';
  return {
    ...status,
    expectedMachines: machines.length,
    currentHealthy: healthy,
    conditions: withConditions(status?.conditions, {
      type: 'RemediationDeferred',
      status: 'True',
      reason: 'ClusterUnreachable',
      message: `The cluster does not answer, so no Machine is judged${names}`,
    }),
  };
};

/**
 * Seconds between checks of Machines under remediation: no event reports why their owners do not
 * remediate them yet.
 */
const recheck = 60;

export const reconcile = (observed: Observed, { now }: Context): Plan<MachineHealthCheckStatus> => {
  const { check, cluster, judged, machines, zones } = observed;
  if (!cluster || isDeleting(check)) return {};
  const intent = ownIntent(observed);
  if (!judged) return { intent, ...(observed.silent && { status: silentStatus(check, observed.silent) }) };
  const count = (health: string) => judged.filter(({ verdict }) => verdict.health === health).length;
  const healthy = count('healthy');
  const trigger = triggerOf(check, { expected: judged.length, healthy, unhealthy: count('unhealthy') });
  const restraints = trigger.isAllowed ? restraintsOf(check, judged, machines, zones, now) : new Map<never, never>();
  const deferred = trigger.isAllowed ? deferredCondition(judged, restraints) : undefined;
  const nextChecks = judged.flatMap(({ verdict }) =>
    verdict.health === 'pending' && verdict.nextCheck !== undefined ? [verdict.nextCheck] : [],
  );
  const waits = [...nextChecks, ...(judged.some(isUnsettled) ? [recheck] : [])];
  return {
    intent,
    actions: judged.flatMap((one) => actionsFor(one, observed, trigger, restraints)),
    events: eventsOf(check, judged, trigger, deferred),
    status: statusOf(check, judged, healthy, trigger, deferred),
    ...debounceFor(judged.length),
    ...(waits.length > 0 && { requeueAfter: Math.ceil(Math.min(...waits)) }),
  };
};

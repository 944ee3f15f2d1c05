/** Reports a Cluster's operation in the Cluster's conditions and Events. Pure. */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import {
  type ConditionDraft,
  type Context,
  type EventDraft,
  found,
  type Reader,
  type Withheld,
} from '../../../machinery/api/reconcile.ts';
import { isOwnedBy } from '../../common/owners.ts';
import { describe, waitsFor } from '../contract/description.ts';
import { isChanging, isEnding, type OperationReport, operationStopped } from '../contract/operation.ts';
import { awaitsOperation } from '../contract/scope.ts';
import { operationAnnotations, wasAvailable } from '../contract/target.ts';
import type { Cluster } from './schema.ts';

export interface Operated {
  withheld: Withheld | undefined;
  /**
   * The operation that the Cluster names and owns; another Cluster's operation of the same name
   * does not count.
   */
  operation: OperationReport | undefined;
  /** What keeps the first operation from beginning: references that do not resolve. */
  unresolved?: string | undefined;
}

export const observeOperation = (cluster: Cluster, read: Reader, { config, withheld }: Context): Operated => {
  const name = cluster.metadata.annotations?.[operationAnnotations.operation];
  if (config.workflows === true && name === undefined && awaitsOperation(withheld))
    return { withheld, operation: undefined, unresolved: waitsFor(describe(cluster, read)) };
  if (config.workflows !== true || name === undefined) return { withheld, operation: undefined };
  const { namespace = '' } = cluster.metadata;
  const operation = found(read.get<OperationReport>('ClusterOperation', { namespace, name }));
  return { withheld, operation: operation && isOwnedBy(operation, cluster) ? operation : undefined };
};

/** Phases in which an upgrade or a restore waits for its user. */
const stopped: readonly (string | undefined)[] = ['Held', 'RolledBack', 'Cancelled'];

/** The cluster may be Available nevertheless, with Machines that are not as their specs want them. */
export const stoppedOperation = ({ operation }: Operated): ConditionDraft[] => {
  const { phase = '', message = '' } = operation?.status ?? {};
  if (!operation || !isChanging(operation) || !stopped.includes(phase)) return [];
  const text = `ClusterOperation ${operation.metadata.name}: ${message}`;
  return [{ type: operationStopped, status: 'True', reason: phase, message: text }];
};

const reasons = [
  'TearingDown',
  'TornDown',
  'OperationHeld',
  'OperationCancelled',
  'OperationLate',
  'ReferencesUnresolved',
] as const;
type Reason = (typeof reasons)[number];

/** Milliseconds after which a user is not expected to apply more of the manifest. */
const applying = 30_000;

/** Seconds until references that do not resolve are an Event; undefined if they all resolve, or it is time. */
export const untilUnresolved = ({ metadata }: Cluster, { unresolved }: Operated, now: number): number | undefined => {
  const left = Date.parse(metadata.creationTimestamp ?? '') + applying - now;
  return unresolved !== undefined && left > 0 ? left / 1000 : undefined;
};

const reasonOf = (cluster: Cluster, operated: Operated, now: number): Reason | undefined => {
  const { withheld, operation, unresolved } = operated;
  if (unresolved !== undefined)
    return untilUnresolved(cluster, operated, now) === undefined ? 'ReferencesUnresolved' : undefined;
  const { phase, late } = operation?.status ?? {};
  if (phase === 'TornDown') return 'TornDown';
  if (phase === 'Held') return 'OperationHeld';
  if (withheld?.releases) return 'TearingDown';
  if (phase === 'Cancelled' || operation?.spec?.cancel) return 'OperationCancelled';
  if (withheld && !awaitsOperation(withheld)) return 'OperationHeld';
  return late ? 'OperationLate' : undefined;
};

/**
 * The last step waits for this very condition and quotes it. Quoting the step in turn would make
 * both messages grow forever.
 */
const lastStep = 'Available';

const messageOf = (reason: Reason, { withheld, operation }: Operated, summary: ConditionDraft): string => {
  const { message, phase, step } = operation?.status ?? {};
  const name = `ClusterOperation ${operation?.metadata.name}`;
  if (reason === 'OperationLate' && step === lastStep) return `${name} is late\n${summary.message}`;
  const held = withheld?.message ?? '';
  // The target moves first. Until the operation reports Held itself, its message still names what
  // it waited for, which is the reason.
  if (reason === 'OperationHeld' && phase !== 'Held' && message) return `${held}; ${message}`;
  return message || held || `${name} is ${phase}`;
};

const waitMessage = ({ withheld, unresolved }: Operated): string =>
  [withheld?.message ?? '', ...(unresolved === undefined ? [] : [unresolved])].join(': ');

/** The operation's message comes first: it causes what the summary reports as missing. */
const waiting = (operated: Operated, summary: ConditionDraft): ConditionDraft => {
  const { operation } = operated;
  const reported = operation?.status?.message?.replaceAll('\n', '\n  ');
  const first = reported ? `ClusterOperation ${operation?.metadata.name}: ${reported}` : waitMessage(operated);
  return { ...summary, message: [`* ${first}`, ...(summary.message ? [summary.message] : [])].join('\n') };
};

/** Operations of a cluster that users rely on: what one that is held waits for is named in its message. */
const withHeld = ({ operation }: Operated, summary: ConditionDraft): ConditionDraft => {
  const { phase, message } = operation?.status ?? {};
  if (!operation || !isChanging(operation) || phase !== 'Held' || !message) return summary;
  const first = `* ClusterOperation ${operation.metadata.name} is Held: ${message}`;
  return { ...summary, message: [first, ...(summary.message ? [summary.message] : [])].join('\n') };
};

/**
 * Returns `summary`, or the operation's report in its place. A cluster that is or ever was
 * Available reports of failed operations only a held upgrade or restore here.
 */
export const availableUnder = (
  cluster: Cluster,
  operated: Operated,
  summary: ConditionDraft,
  now: number,
): ConditionDraft => {
  const { withheld } = operated;
  if (cluster.metadata.deletionTimestamp) return summary;
  if (!withheld?.releases && summary.status === 'True') return withHeld(operated, summary);
  if (!withheld && wasAvailable(cluster)) return withHeld(operated, summary);
  const reason = reasonOf(cluster, operated, now);
  if (reason === 'ReferencesUnresolved') return { ...waiting(operated, summary), reason };
  if (reason) return { type: 'Available', status: 'False', reason, message: messageOf(reason, operated, summary) };
  return awaitsOperation(withheld) ? waiting(operated, summary) : summary;
};

/** Adds the message of a held delete operation to the Deleting condition. */
export const deletingUnder = ({ operation }: Operated, deleting: ConditionDraft): ConditionDraft => {
  const { phase, message } = operation?.status ?? {};
  if (!operation || !isEnding(operation) || phase !== 'Held' || !message) return deleting;
  return { ...deleting, message: [message, ...(deleting.message ? [deleting.message] : [])].join('\n') };
};

/** Reasons after which the operation does not proceed on its own. */
const ends: readonly string[] = ['TornDown', 'OperationHeld', 'OperationCancelled'] satisfies Reason[];

const isOperations = ({ reason }: ConditionDraft): boolean => reasons.some((one) => one === reason);

/** Events for changes since `before`. The previous conditions show what was already reported. */
export const operationNews = (
  operated: Operated,
  before: readonly ConditionDraft[] | undefined,
  now: readonly ConditionDraft[],
): EventDraft[] => {
  const { operation } = operated;
  const available = conditionOf(now, 'Available');
  const past = conditionOf(before, 'Available')?.reason ?? '';
  if (available && isOperations(available) && available.reason !== past) {
    const { reason } = available;
    const message = reason === 'ReferencesUnresolved' ? waitMessage(operated) : (available.message ?? '');
    return [{ type: reason === 'OperationCancelled' ? 'Normal' : 'Warning', reason, message, isOfStatus: true }];
  }
  const isDeleting = conditionOf(now, 'Deleting')?.status === 'True';
  const isAnother = operation !== undefined && available?.status === 'False' && !isOperations(available);
  if (isAnother && !isDeleting && ends.includes(past)) {
    const message = `ClusterOperation ${operation.metadata.name} tries again`;
    return [{ type: 'Normal', reason: 'OperationStarted', message, isOfStatus: true }];
  }
  const { phase, message } = operation?.status ?? {};
  if (phase !== 'Held' || !message) return [];
  const tells = (conditions: typeof before) =>
    conditionOf(conditions, 'Deleting')?.message?.startsWith(message) ?? false;
  return tells(now) && !tells(before) ? [{ type: 'Warning', reason: 'OperationHeld', message }] : [];
};

export const availableNews = ({ metadata: { name } }: Cluster, { operation }: Operated): EventDraft[] =>
  operation
    ? [
        {
          type: 'Normal',
          reason: 'Available',
          message: `ClusterOperation ${operation.metadata.name}: Cluster ${name} is available`,
          isOfStatus: true,
        },
      ]
    : [];

import { listOf } from '../../common/list-of.ts';
import type { ClusterOperation, OperationStatus } from '../cluster-operation/schema.ts';
import { namesObstacle, oneLine } from '../shared/cause.ts';
import type { Messages } from '../shared/definition.ts';
import { cancelled, cancelledByUser, failureOf } from '../shared/messages.ts';
import { failedStep, stepOf } from '../shared/progress.ts';
import type { Finding } from '../upgrade-check/checks/facts.ts';
import { upgradeAnnotations } from './annotations.ts';
import { leftOut } from './left-out.ts';
import type { RolledBack } from './roll-back.ts';

export const pausedBefore = ({ metadata }: ClusterOperation, step: string): string =>
  `paused before ${step}; to go on, run: capstan continue operation ${metadata.name} -n ${metadata.namespace ?? ''}`;

export const retry = ({ spec, metadata }: Pick<ClusterOperation, 'spec' | 'metadata'>): string =>
  `capstan retry cluster ${spec?.clusterName ?? ''} -n ${metadata.namespace ?? ''}`;

const again = (operation: ClusterOperation): string =>
  `To try again, remove the cause and run: ${retry(operation)}; or change the spec`;

const endOf = (operation: Pick<ClusterOperation, 'spec'>, status: OperationStatus): string =>
  operation.spec?.cancel ? cancelled(cancelledByUser(operation)) : failureOf(status);

const longer = (status: OperationStatus): string => {
  const step = failedStep(status);
  return step?.verdict === 'DeadlineExceeded' && !namesObstacle(step.message ?? '')
    ? `. A longer ${upgradeAnnotations.deadline} gives each Machine more time`
    : '';
};

/** The three ways on after a new control-plane member has joined. */
const waysOn = ({ spec, metadata }: ClusterOperation): string =>
  [
    `remove the cause and run: ${retry({ spec, metadata } as ClusterOperation)}`,
    'change the spec',
    'restore a snapshot',
  ].join('; or ');

/** Each guard that kept the operation from a rollback, with its first object and remedy. */
const refusedBy = (failures: readonly Finding[] = []): string => {
  if (failures.length === 0) return '';
  const listed = [...new Set(failures.map(({ code }) => code))].map((code) => {
    const [first, ...others] = failures.filter((failure) => failure.code === code);
    const { object, message, remedy } = first!;
    const more = others.length > 0 ? ` (and ${others.length} more)` : '';
    return `${code}: ${object}${more}: ${message}. ${remedy}`;
  });
  return ` It was not rolled back: ${listed.join('; ')}.`;
};

const stays = 'Every Machine stays as it is, and no more are replaced.';

export const heldMessage = (
  operation: ClusterOperation,
  status: OperationStatus,
  failures?: readonly Finding[],
): string =>
  `${endOf(operation, status)}. ${stays}${refusedBy(failures)} To go on: ${waysOn(operation)}${longer(status)}`;

export const stoppedMessage = (operation: ClusterOperation, failures?: readonly Finding[]): string =>
  `${cancelled(cancelledByUser(operation))}. ${stays}${refusedBy(failures)} To go on: ${waysOn(operation)}`;

export const deciding = (operation: ClusterOperation, status: OperationStatus): string =>
  `${endOf(operation, status)}. No more Machines are replaced while it is checked whether it can be rolled back`;

export const rollingBack = (operation: ClusterOperation, status: OperationStatus, waitsFor: string): string =>
  `${endOf(operation, status)}. It is being rolled back: ${waitsFor}`;

export const rolledBackMessage = (
  operation: ClusterOperation,
  status: OperationStatus,
  { back, fresh, kept }: RolledBack,
): string => {
  const undone = [
    ...(back.length > 0 ? [`${listOf(back)} rolled back`] : []),
    ...(fresh.length > 0 ? [`${listOf(fresh)} not rolled back: what is new stays`] : []),
  ];
  const rest = kept.length > 0 ? `, ${listOf(kept)}` : '';
  return `${endOf(operation, status)}. ${undone.join('; ') || 'Nothing was changed'}${rest}. ${again(operation)}${longer(status)}`;
};

export const heldInRollBack = (
  operation: Pick<ClusterOperation, 'spec' | 'metadata'>,
  status: OperationStatus,
  waitsFor: string,
): string =>
  `${endOf(operation, status)}. It could not be rolled back yet: ${waitsFor}. It ends when that is done; to go forward instead, change the spec, or run: ${retry(operation)}`;

const isUndoing = (status: OperationStatus): boolean => stepOf(status, 'RollBack') !== undefined;

/** The first steps that replace Machines. */
const replacing = ['ControlPlaneFirst', 'WorkersCanary'];

const untouched = ({ status = {} }: ClusterOperation): string =>
  replacing.some((name) => stepOf(status, name)) ? 'What is new stays' : 'Nothing was changed';

export const messages: Messages = {
  succeeded: (_, scope) => {
    const { what, mayRetry } = leftOut(scope);
    if (what === '') return 'Every Machine is as its spec wants it, and the cluster is Available';
    const { namespace = '', name } = scope.cluster.metadata;
    const again = mayRetry ? `. To try that again, run: capstan retry cluster ${name} -n ${namespace}` : '';
    return `What was to be upgraded is as its spec wants it, and the cluster is Available. Left out: ${what}${again}`;
  },
  heldByError: ({ operation }, status, because) =>
    isUndoing(status)
      ? heldInRollBack(operation, status, oneLine(because))
      : `${because}. What was admitted goes on, nothing more is. To begin anew, run: ${retry(operation)}.`,
  cancelled: (operation, because) =>
    operation.spec?.cancel
      ? `${cancelled(cancelledByUser(operation))}. ${untouched(operation)}. ${again(operation)}`
      : cancelled(because),
  waiting: heldInRollBack,
};

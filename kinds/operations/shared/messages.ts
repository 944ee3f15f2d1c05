/** Messages of operations of every type. They contain no times: they change only if the state does. */
import type { ClusterOperation, OperationStatus } from '../cluster-operation/schema.ts';
import { oneLine } from './cause.ts';
import { failedStep } from './progress.ts';

/** Which step failed, and why. */
export const failureOf = (status: OperationStatus): string => {
  const step = failedStep(status);
  if (!step) return 'The operation could not go on';
  const why = step.message ? `: ${oneLine(step.message)}` : '';
  switch (step.verdict) {
    case 'DeadlineExceeded':
      return `Step ${step.name} was not done before the deadline${why}`;
    case 'Refused':
      return `Step ${step.name} was refused${why}`;
    default:
      return `Step ${step.name} failed${why}`;
  }
};

/** Operations that were cancelled by an earlier version do not name the user. */
export const cancelledByUser = ({ spec }: Pick<ClusterOperation, 'spec'>): string =>
  `${spec?.cancelledBy ?? 'a user'} cancelled it`;

export const cancelled = (because: string): string => `Cancelled: ${because}`;

export const outageMessage = ({ step }: OperationStatus, outage: string): string =>
  `${step ?? 'The operation'}: AWS does not serve the account: ${oneLine(outage)}. Nothing is decided until it does, and the clock stands still`;

export const pausedMessage =
  'The cluster is paused: nothing is decided, and the clock stands still until spec.paused and the annotation cluster.x-k8s.io/paused of the Cluster are removed';

export const cancelCommand = ({ metadata }: Pick<ClusterOperation, 'metadata'>): string =>
  `capstan cancel operation ${metadata.name} -n ${metadata.namespace ?? ''}`;

/** A step that has no deadline any more. */
export const overdueMessage = (operation: Pick<ClusterOperation, 'metadata'>, step: string, waitsFor: string): string =>
  `Step ${step} is late, and goes on: ${waitsFor}. To end it, run: ${cancelCommand(operation)}`;

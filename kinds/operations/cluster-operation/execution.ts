/** The workflow execution of an operation. Pure. */
import type { Action } from '../../../machinery/api/reconcile.ts';
import type { Execution } from '../../ports/workflows.ts';
import type { ClusterOperation, OperationSpec } from './schema.ts';

/** When `capstan restore` wrote the operation back, as a timestamp. Reserved for that command. */
export const restoredAtAnnotation = 'capstan.dev/restored-at';

export const definitionOf = ({ type }: Pick<OperationSpec, 'type'>): string => `${type}-cluster`;

/** Zero before the first execution, and for a name of an earlier version. */
const countIn = ({ metadata: { uid = '' }, status }: ClusterOperation): number => {
  const { execution = '' } = status ?? {};
  return execution.startsWith(`${uid}-`) ? Number(execution.slice(uid.length + 1)) || 0 : 0;
};

const restoredAt = ({ metadata }: ClusterOperation): number =>
  Math.floor(Date.parse(metadata.annotations?.[restoredAtAnnotation] ?? '') / 1000) || 0;

/**
 * A name that no execution has had, of at most 80 characters. Names stay taken for 90 days, but a
 * restore takes back every count in the store. So the count continues from the time of the restore.
 */
export const nextExecution = (operation: ClusterOperation): string =>
  `${operation.metadata.uid}-${Math.max(countIn(operation) + 1, restoredAt(operation))}`;

/** The operation has had another execution before its present one. */
export const isRestarted = (operation: ClusterOperation): boolean => countIn(operation) > 1;

/** `capstan restore` wrote the operation back, and it has had no execution since. */
export const isTakenBack = (operation: ClusterOperation): boolean => restoredAt(operation) > countIn(operation);

/**
 * Whether the execution that the status names ended after the state to which the operation was
 * restored. An execution succeeds only after the status of its operation records that.
 */
export const isOfFuture = (operation: ClusterOperation, execution: Execution | undefined): boolean =>
  execution?.status === 'SUCCEEDED' || isTakenBack(operation);

export const startOf = ({ metadata }: ClusterOperation, spec: OperationSpec, name: string): Action => {
  const { namespace = '', name: operation, uid = '' } = metadata;
  const input = { operation: { namespace, name: operation, uid } };
  return {
    do: 'call',
    port: 'workflows',
    operation: 'StartExecution',
    input: { definition: definitionOf(spec), name, input },
  };
};

export const stopOf = (spec: OperationSpec, name: string, cause: string): Action => ({
  do: 'call',
  port: 'workflows',
  operation: 'StopExecution',
  input: { definition: definitionOf(spec), name, error: 'Cancelled', cause },
});

/** The workflow execution of an operation. Pure. */
import type { Action } from '../../../machinery/api/reconcile.ts';
import type { ClusterOperation, OperationSpec } from './schema.ts';

export const definitionOf = ({ type }: Pick<OperationSpec, 'type'>): string => `${type}-cluster`;

/** Unique per Cluster, type and attempt, and at most 80 characters. */
export const executionName = (clusterUid: string, { type, fingerprint, attempt }: OperationSpec): string =>
  `${clusterUid}-${type}-${fingerprint}-${attempt}`;

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

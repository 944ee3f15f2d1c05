/** A Cluster's operations, and how it names one. Pure. */
import type { MergePatch, Plan } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { operationAnnotations } from '../../core/contract/target.ts';
import { isOver } from '../cluster-operation/ended.ts';
import { isOperationOf } from '../cluster-operation/owner.ts';
import type { ClusterOperation } from '../cluster-operation/schema.ts';
import type { OperationType } from '../facts.ts';
import type { Observed } from './observe.ts';

const attemptOf = ({ spec }: ClusterOperation): number => spec?.attempt ?? 0;

export const ownOperations = ({ cluster, operations }: Pick<Observed, 'cluster' | 'operations'>): ClusterOperation[] =>
  operations.filter((operation) => isOperationOf(operation, cluster));

/** In which the cluster was created, as its operations have recorded it. */
export const recordedRegion = (observed: Pick<Observed, 'cluster' | 'operations'>): string | undefined =>
  ownOperations(observed).find(({ spec }) => spec?.region)?.spec?.region;

export const latestOf = (observed: Observed, type: OperationType): ClusterOperation | undefined =>
  ownOperations(observed)
    .filter(({ spec }) => spec?.type === type)
    .toSorted((a, b) => attemptOf(a) - attemptOf(b))
    .at(-1);

export const annotationOf = ({ metadata }: Cluster, name: string): string | undefined => metadata.annotations?.[name];
export const annotate = (annotations: Record<string, string | null>): { intent: MergePatch } => ({
  intent: { metadata: { annotations } },
});

export const begin = (operation: ClusterOperation): Plan => ({
  actions: [{ do: 'create', object: operation }],
  again: true,
});

export const isNamed = (cluster: Cluster, { metadata }: ClusterOperation): boolean =>
  annotationOf(cluster, operationAnnotations.operation) === metadata.name;

/** The operation exists, but its Cluster does not name it yet. */
export const isUnnamed = (cluster: Cluster, operation: ClusterOperation): boolean =>
  !isNamed(cluster, operation) && !isOver(operation) && operation.status?.execution === undefined;

/** Names the operation and clears the previous operation's target in one conditional write. */
export const nameAnew = ({ metadata }: ClusterOperation): Plan =>
  annotate({ [operationAnnotations.operation]: metadata.name, [operationAnnotations.target]: null });

/** Operations of a cluster that was Available leave its target as it is. */
export const build = (cluster: Cluster): Plan =>
  annotationOf(cluster, operationAnnotations.target) === 'Build'
    ? {}
    : annotate({ [operationAnnotations.target]: 'Build' });

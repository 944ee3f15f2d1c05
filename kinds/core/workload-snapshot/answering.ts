import type { JsonValue, KubeObject } from '../../../machinery/api/object.ts';
import type { WorkloadSnapshot } from '../../ports/workload.ts';

/** Whether the cluster answers, and which Cluster that is: whoever only needs its API goes by that. */
export const answeringOf = ({ metadata, spec }: KubeObject): JsonValue => [
  (metadata.ownerReferences ?? []).map(({ uid }) => uid),
  (spec as WorkloadSnapshot | undefined)?.reachable ?? false,
];

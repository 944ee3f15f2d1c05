import type { JsonValue, KubeObject } from '../../../machinery/api/object.ts';
import type { WorkloadSnapshot } from '../../ports/workload.ts';

/**
 * Which Cluster it is and whether it answers: all that matters to a controller that only needs its
 * API.
 */
export const reachabilityOf = ({ metadata, spec }: KubeObject): JsonValue => [
  (metadata.ownerReferences ?? []).map(({ uid }) => uid),
  (spec as WorkloadSnapshot | undefined)?.reachable ?? false,
];

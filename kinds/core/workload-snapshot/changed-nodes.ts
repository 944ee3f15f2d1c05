import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { WorkloadNode, WorkloadPod, WorkloadSnapshot } from '../../ports/workload.ts';
import { controlPlaneAlias } from '../contract/control-plane.ts';

type Seen = WorkloadNode | WorkloadPod;

/** A snapshot's nodes and pods by provider ID; pods of an unknown node are listed under its name. */
const byNode = ({ nodes, controlPlanePods }: WorkloadSnapshot): Map<string, Seen[]> => {
  const ids = new Map(nodes.map((node) => [node.name, node.providerID]));
  return Map.groupBy<string, Seen>([...nodes, ...controlPlanePods], (one) => {
    const name = 'node' in one ? one.node : one.name;
    return ids.get(name) ?? name;
  });
};

const isOfControlPlane = (seen: Seen[] = []): boolean =>
  seen.some((one) => 'node' in one || 'node-role.kubernetes.io/control-plane' in one.labels);

/**
 * The provider IDs of the nodes that changed, plus the control plane's alias if any of them belongs
 * to it. Undefined if the change is not about nodes alone.
 */
export const changedNodes = (before: KubeObject, after: KubeObject): string[] | undefined => {
  const [old, next] = [before.spec as WorkloadSnapshot, after.spec as WorkloadSnapshot];
  const rest = ({ nodes: _, controlPlanePods: __, ...others }: WorkloadSnapshot) => others;
  if (!isDeepStrictEqual(rest(old), rest(next))) return undefined;
  const [was, is] = [byNode(old), byNode(next)];
  const ids = [...new Set([...was.keys(), ...is.keys()])].filter((id) => !isDeepStrictEqual(was.get(id), is.get(id)));
  const concernsControlPlane = ids.some((id) => isOfControlPlane(was.get(id)) || isOfControlPlane(is.get(id)));
  return concernsControlPlane ? [...ids, controlPlaneAlias] : ids;
};

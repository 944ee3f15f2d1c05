import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../machinery/api/object.ts';
import { controlPlaneAlias } from '../kubeadm-control-plane/alias.ts';
import type { WorkloadNode, WorkloadPod, WorkloadSnapshot } from '../ports/workload.ts';

interface Seen {
  node?: WorkloadNode;
  pods: WorkloadPod[];
}

/** By its provider's id, what was seen of a node; pods on no node that is known go by that node's name. */
const byNode = ({ nodes, controlPlanePods }: WorkloadSnapshot): Map<string, Seen> => {
  const ids = new Map(nodes.map((node) => [node.name, node.providerID ?? node.name]));
  const seen = new Map<string, Seen>(nodes.map((node) => [ids.get(node.name)!, { node, pods: [] }]));
  for (const pod of controlPlanePods) {
    const id = ids.get(pod.node) ?? pod.node;
    const { pods, ...of } = seen.get(id) ?? { pods: [] };
    seen.set(id, { ...of, pods: [...pods, pod] });
  }
  return seen;
};

const isOfControlPlane = (seen: Seen | undefined): boolean =>
  seen !== undefined && (seen.pods.length > 0 || 'node-role.kubernetes.io/control-plane' in (seen.node?.labels ?? {}));

/**
 * Whose nodes look otherwise: their provider's ids, and the control plane when some are its own; undefined when anything else
 * does, too.
 */
export const nodesAbout = (before: KubeObject, after: KubeObject): string[] | undefined => {
  const [old, next] = [before.spec as WorkloadSnapshot, after.spec as WorkloadSnapshot];
  const rest = ({ nodes: _, controlPlanePods: __, ...others }: WorkloadSnapshot) => others;
  if (!isDeepStrictEqual(rest(old), rest(next))) return undefined;
  const [was, is] = [byNode(old), byNode(next)];
  const ids = [...new Set([...was.keys(), ...is.keys()])].filter((id) => !isDeepStrictEqual(was.get(id), is.get(id)));
  const concernsControlPlane = ids.some((id) => isOfControlPlane(was.get(id)) || isOfControlPlane(is.get(id)));
  return concernsControlPlane ? [...ids, controlPlaneAlias] : ids;
};

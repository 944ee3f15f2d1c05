import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { WorkloadSnapshot } from '../ports/workload.ts';

/** By its provider's id, what was seen of a node; pods on no node that is known go by that node's name. */
const byNode = ({ nodes, controlPlanePods }: WorkloadSnapshot): Map<string, unknown[]> => {
  const ids = new Map(nodes.map((node) => [node.name, node.providerID ?? node.name]));
  const placed = [
    ...nodes.map((node) => [ids.get(node.name)!, node] as const),
    ...controlPlanePods.map((pod) => [ids.get(pod.node) ?? pod.node, pod] as const),
  ];
  const seen = new Map<string, unknown[]>();
  for (const [id, one] of placed) seen.set(id, [...(seen.get(id) ?? []), one]);
  return seen;
};

/** Whose nodes look otherwise, by their provider's ids; undefined when anything else does, too. */
export const nodesAbout = (before: KubeObject, after: KubeObject): string[] | undefined => {
  const [old, next] = [before.spec as WorkloadSnapshot, after.spec as WorkloadSnapshot];
  const rest = ({ nodes: _, controlPlanePods: __, ...others }: WorkloadSnapshot) => others;
  if (!isDeepStrictEqual(rest(old), rest(next))) return undefined;
  const [was, is] = [byNode(old), byNode(next)];
  return [...new Set([...was.keys(), ...is.keys()])].filter((id) => !isDeepStrictEqual(was.get(id), is.get(id)));
};

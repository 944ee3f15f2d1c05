/**
 * The taint on Nodes that a decision removes: the scheduler places no pod there that would be evicted
 * at once, and load balancers of Services send nothing there. The decision that keeps such a Node
 * takes the taint off. Pure.
 */
import type { Action } from '../../../machinery/api/reconcile.ts';
import { callWorkload } from '../../ports/index.ts';
import { isOwnRemovalTaint, ownRemovalTaint } from '../plan/taints.ts';
import type { NodeObject } from '../snapshot/node.ts';
import type { Observed } from './observe.ts';

const taintsOf = ({ spec }: NodeObject) => spec?.taints ?? [];
const isTainted = (node: NodeObject): boolean => taintsOf(node).some(isOwnRemovalTaint);
/** A node has one taint of a key and an effect. */
const isTaken = (node: NodeObject): boolean => taintsOf(node).some(({ key }) => key === ownRemovalTaint.key);

/** A merge patch replaces the whole list, so that it must be the one that was read. */
const patchOf = (
  { metadata: { name, resourceVersion } }: NodeObject,
  taints: NonNullable<NodeObject['spec']>['taints'],
  kubeconfig: string,
): Action => {
  const target = { kubeconfig, apiVersion: 'v1', kind: 'Node', name, ifPresent: true };
  const patch = { spec: { taints: taints && taints.length > 0 ? taints : null } };
  return {
    ...callWorkload('patch', { ...target, patch, ...(resourceVersion && { resourceVersion }) }),
    // A Node that changes at this moment, or a cluster that refuses, stops no removal.
    optional: true,
    group: `taint ${name}`,
  };
};

/** Both by the names of Nodes. */
export const removalTaints = (
  { workload }: Observed,
  { leaving, staying }: { leaving: ReadonlySet<string>; staying: ReadonlySet<string> },
): Action[] => {
  if (!workload) return [];
  const { kubeconfig, objects } = workload;
  return (objects.nodes as NodeObject[]).flatMap((node) => {
    const { name } = node.metadata;
    if (leaving.has(name) && !isTaken(node)) return [patchOf(node, [...taintsOf(node), ownRemovalTaint], kubeconfig)];
    if (!staying.has(name) || !isTainted(node)) return [];
    return [
      patchOf(
        node,
        taintsOf(node).filter((taint) => !isOwnRemovalTaint(taint)),
        kubeconfig,
      ),
    ];
  });
};

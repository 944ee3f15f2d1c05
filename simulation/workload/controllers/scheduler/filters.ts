/** Whether a node can take a pod, and why not, in the scheduler's words. */
import type { NodeObject, PodObject } from '../../objects.ts';
import { podRequests, type Usage } from '../../resources.ts';
import type { World } from '../../world.ts';
import { matchesNode, repelling } from '../node-filters.ts';
import type { Storage } from '../storage/objects.ts';
import { portFilter } from './host-ports.ts';
import { affinityFilter, isResolvable } from './pod-affinity.ts';
import { spreadFilter } from './topology-spread.ts';
import { volumeRules } from './volumes.ts';

export interface Lack {
  text: string;
  /** The removal of pods from the node could help. */
  isResolvable: boolean;
}

export interface Occupied {
  nodes: readonly NodeObject[];
  placed: readonly PodObject[];
  usage: Usage;
}

const lackText = (resource: string): string => (resource === 'pods' ? 'Too many pods' : `Insufficient ${resource}`);

/** What each node lacks for the pod; counted once for all nodes. */
export const filterFor = (pod: PodObject, { nodes, placed, usage }: Occupied, world: World, storage: Storage) => {
  const requests = podRequests(pod);
  const volumes = volumeRules(pod, storage, placed);
  const spreads = spreadFilter(pod, nodes, placed);
  const affinity = affinityFilter(pod, nodes, placed, world.list('namespaces'));
  const takenPorts = portFilter(pod, placed);
  const lacks = (node: NodeObject): Lack[] => {
    const never = (text: string): Lack[] => [{ text, isResolvable: false }];
    const taint = repelling(pod, node);
    if (taint?.key === 'node.kubernetes.io/unschedulable') return never('were unschedulable');
    if (taint) return never(`had untolerated taint {${taint.key}: ${taint.value ?? ''}}`);
    if (!matchesNode(pod, node)) return never("didn't match Pod's node affinity/selector");
    const volume = volumes.lack(node);
    if (volume) return never(volume);
    if (takenPorts.has(node.metadata.name))
      return [{ text: "didn't have free ports for the requested pod ports", isResolvable: true }];
    if (!spreads(node)) return [{ text: "didn't match pod topology spread constraints", isResolvable: true }];
    const companions = affinity(node);
    if (companions) return [{ text: companions, isResolvable: isResolvable(companions) }];
    return usage
      .lacking(node, requests)
      .map((resource) => ({ text: lackText(resource), isResolvable: usage.fitsEmpty(node, resource, requests) }));
  };
  return { requests, volumes, lacks };
};

const isAmount = (text: string) => /^(Insufficient|Too many) /.test(text);

/** As the scheduler's Event and condition say it. */
export const refusalText = (nodes: number, lacks: readonly Lack[][], refusal?: string): string => {
  if (refusal !== undefined) return `0/${nodes} nodes are available: ${refusal}.`;
  const counts = new Map<string, number>();
  for (const { text } of lacks.flat()) counts.set(text, (counts.get(text) ?? 0) + 1);
  const list = [...counts].map(([text, count]) => `${count} ${isAmount(text) ? '' : 'node(s) '}${text}`).join(', ');
  return `0/${nodes} nodes are available${list ? `: ${list}` : ''}.`;
};

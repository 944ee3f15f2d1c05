/**
 * Binds pending pods to nodes: of the feasible ones, which have the requested resources left, the
 * node with the fewest pods.
 */
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import { type NodeObject, type PodObject, selects, withCondition } from '../objects.ts';
import { type Amounts, podRequests, Usage } from '../resources.ts';
import type { ClusterController } from '../world.ts';
import { matchesNode, repelling } from './node-filters.ts';
import { spreadFilter } from './topology-spread.ts';

/** Required pod anti-affinity against placed pods. */
const repelledByPods = (pod: PodObject, node: NodeObject, placed: PodObject[], nodes: NodeObject[]): boolean =>
  (pod.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).some(
    ({ labelSelector, topologyKey }) => {
      const domain = node.metadata.labels?.[topologyKey];
      if (domain === undefined) return false;
      const names = new Set(
        nodes.filter(({ metadata }) => metadata.labels?.[topologyKey] === domain).map(({ metadata }) => metadata.name),
      );
      return placed.some(
        (other) =>
          other.metadata.namespace === pod.metadata.namespace &&
          names.has(other.spec?.nodeName ?? '') &&
          selects(labelSelector, other.metadata.labels),
      );
    },
  );

const plural = (count: number, text: string) => `${count} node(s) ${text}`;

const lackOf = (resource: string): string => (resource === 'pods' ? 'Too many pods' : `Insufficient ${resource}`);

const whyNot = (
  pod: PodObject,
  nodes: NodeObject[],
  placed: PodObject[],
  { lacking, spreads }: { lacking: (node: NodeObject) => string[]; spreads: (node: NodeObject) => boolean },
): string => {
  const reasons = new Map<string, number>();
  const add = (reason: string) => reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  for (const node of nodes) {
    const taint = repelling(pod, node);
    if (taint?.key === 'node.kubernetes.io/unschedulable') add('were unschedulable');
    else if (taint) add(`had untolerated taint {${taint.key}: ${taint.value ?? ''}}`);
    else if (!matchesNode(pod, node)) add("didn't match Pod's node affinity/selector");
    else if (!spreads(node)) add("didn't match pod topology spread constraints");
    else if (repelledByPods(pod, node, placed, nodes)) add("didn't match pod anti-affinity rules");
    else for (const resource of lacking(node)) add(lackOf(resource));
  }
  const isLack = (reason: string) => /^(Insufficient|Too many) /.test(reason);
  const list = [...reasons]
    .map(([reason, count]) => (isLack(reason) ? `${count} ${reason}` : plural(count, reason)))
    .join(', ');
  return `0/${nodes.length} nodes are available${list ? `: ${list}` : ''}.`;
};

export const scheduler: ClusterController = (world, plan) => {
  const nodes = world.list<NodeObject>('nodes');
  const pods = world.list<PodObject>('pods');
  const placed = pods.filter((pod) => pod.spec?.nodeName);
  const usage = new Usage(placed);
  const load = new Map<string, number>();
  for (const { spec } of placed) load.set(spec!.nodeName!, (load.get(spec!.nodeName!) ?? 0) + 1);
  const condition = (pod: PodObject, status: 'True' | 'False', reason?: string, message?: string) =>
    withCondition(
      pod.status?.conditions,
      { type: 'PodScheduled', status, lastProbeTime: null, ...(reason && { reason }), ...(message && { message }) },
      world.now,
    );
  for (const pod of pods) {
    if (pod.spec?.nodeName || pod.metadata.deletionTimestamp || pod.spec?.schedulerName !== 'default-scheduler')
      continue;
    const requests: Amounts = podRequests(pod);
    const lacking = (node: NodeObject) => usage.lacking(node, requests);
    const spreads = spreadFilter(pod, nodes, placed);
    const fitting = nodes.filter(
      (node) =>
        !node.metadata.deletionTimestamp &&
        matchesNode(pod, node) &&
        !repelling(pod, node) &&
        spreads(node) &&
        !repelledByPods(pod, node, placed, nodes) &&
        lacking(node).length === 0,
    );
    const [best] = fitting.sort(
      (a, b) =>
        (load.get(a.metadata.name) ?? 0) - (load.get(b.metadata.name) ?? 0) ||
        (a.metadata.name < b.metadata.name ? -1 : 1),
    );
    if (best) {
      const { name } = best.metadata;
      load.set(name, (load.get(name) ?? 0) + 1);
      usage.add(name, requests);
      const bound: PodObject = {
        ...pod,
        spec: { ...pod.spec, nodeName: name },
        status: {
          ...pod.status,
          phase: 'Pending',
          conditions: condition(pod, 'True'),
          startTime: timestamp(world.now),
        },
      };
      placed.push(bound);
      plan.update('pods', bound);
      continue;
    }
    const message = whyNot(pod, nodes, placed, { lacking, spreads });
    const before = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
    if (before?.message === message) continue;
    plan.update('pods', {
      ...pod,
      status: { ...pod.status, phase: 'Pending', conditions: condition(pod, 'False', 'Unschedulable', message) },
    });
  }
};

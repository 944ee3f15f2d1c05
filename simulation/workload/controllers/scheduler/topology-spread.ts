/** Hard topology spread constraints, as the scheduler's filter plugin PodTopologySpread evaluates them. */
import { ownValue } from '../../../../machinery/api/labels.ts';
import { type NodeObject, type PodObject, type SpreadConstraint, selects } from '../../objects.ts';
import { matchesNode, repelling } from '../node-filters.ts';

const hard = ({ spec }: PodObject): SpreadConstraint[] =>
  (spec?.topologySpreadConstraints ?? []).filter(({ whenUnsatisfiable }) => whenUnsatisfiable !== 'ScheduleAnyway');

/** Keys of matchLabelKeys that the pod lacks are ignored. */
const matches = ({ labelSelector, matchLabelKeys = [] }: SpreadConstraint, pod: PodObject, other: PodObject): boolean =>
  pod.metadata.namespace === other.metadata.namespace &&
  selects(labelSelector, other.metadata.labels) &&
  matchLabelKeys.every((key) => {
    const value = ownValue(pod.metadata.labels, key);
    return value === undefined || ownValue(other.metadata.labels, key) === value;
  });

/** Whether the node keeps the skew of each constraint; counted once for all nodes. */
export const spreadFilter = (
  pod: PodObject,
  nodes: readonly NodeObject[],
  placed: readonly PodObject[],
): ((node: NodeObject) => boolean) => {
  const constraints = hard(pod);
  const keys = constraints.map(({ topologyKey }) => topologyKey);
  const rules = constraints.map((constraint) => {
    const { topologyKey, maxSkew, minDomains = 1, nodeAffinityPolicy, nodeTaintsPolicy } = constraint;
    const counted = nodes.filter(
      (node) =>
        keys.every((key) => ownValue(node.metadata.labels, key) !== undefined) &&
        (nodeAffinityPolicy === 'Ignore' || matchesNode(pod, node)) &&
        (nodeTaintsPolicy !== 'Honor' || !repelling(pod, node)),
    );
    const domainOf = new Map(counted.map(({ metadata }) => [metadata.name, metadata.labels![topologyKey]!]));
    const counts = new Map([...domainOf.values()].map((domain) => [domain, 0]));
    for (const other of placed) {
      const domain = domainOf.get(other.spec?.nodeName ?? '');
      if (domain === undefined || other.metadata.deletionTimestamp || !matches(constraint, pod, other)) continue;
      counts.set(domain, counts.get(domain)! + 1);
    }
    const least = counts.size < minDomains ? 0 : Math.min(...counts.values());
    const own = matches(constraint, pod, pod) ? 1 : 0;
    return { topologyKey, allows: (domain: string) => (counts.get(domain) ?? 0) + own - least <= maxSkew };
  });
  return ({ metadata }) =>
    rules.every(({ topologyKey, allows }) => {
      const domain = ownValue(metadata.labels, topologyKey);
      return domain !== undefined && allows(domain);
    });
};

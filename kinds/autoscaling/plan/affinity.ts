/** Node selectors and required node affinity. Pure. */
import { type Labels, meets } from '../../../machinery/api/labels.ts';
import { isZoneLabel } from './labels.ts';
import type { NodeSelectorRequirement, NodeSelectorTerm, PodShape } from './types.ts';

export type Place = { name: string; labels: Labels };

const meetsOne = (value: string | undefined, { operator, values = [] }: NodeSelectorRequirement): boolean => {
  switch (operator) {
    case 'Gt':
      return meets(value, { operator: 'GreaterThan', values });
    case 'Lt':
      return meets(value, { operator: 'LessThan', values });
    default:
      return meets(value, { operator, values });
  }
};

const meetsTerm = ({ name, labels }: Place, { matchExpressions = [], matchFields = [] }: NodeSelectorTerm): boolean => {
  // Kubernetes: a term without requirements matches nothing.
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  return (
    matchExpressions.every((one) => meetsOne(labels[one.key], one)) &&
    matchFields.every((one) => one.key === 'metadata.name' && meetsOne(name, one))
  );
};

/** Terms are alternatives; no terms at all are no restriction, and an empty list admits no node. */
export const meetsTerms = (place: Place, terms: readonly NodeSelectorTerm[] | undefined): boolean =>
  terms === undefined || terms.some((term) => meetsTerm(place, term));

type Affinity = Pick<PodShape, 'nodeSelector' | 'nodeAffinity'>;

export const meetsAffinity = (place: Place, { nodeSelector, nodeAffinity }: Affinity): boolean => {
  for (const key in nodeSelector) if (place.labels[key] !== nodeSelector[key]) return false;
  return meetsTerms(place, nodeAffinity);
};

const meetsInAnyZone = (place: Place, { matchExpressions = [], matchFields = [] }: NodeSelectorTerm): boolean => {
  const others = matchExpressions.filter(({ key }) => !isZoneLabel(key));
  const requiresZoneOnly = others.length + matchFields.length === 0 && matchExpressions.length > 0;
  return requiresZoneOnly || meetsTerm(place, { matchExpressions: others, matchFields });
};

/** Whether the place would meet the affinity in another zone, and does not in its own. */
export const lacksZoneOnly = (place: Place, affinity: Affinity): boolean => {
  if (meetsAffinity(place, affinity)) return false;
  const { nodeSelector = {}, nodeAffinity } = affinity;
  const others = Object.fromEntries(Object.entries(nodeSelector).filter(([key]) => !isZoneLabel(key)));
  if (!meetsAffinity(place, { nodeSelector: others })) return false;
  return nodeAffinity === undefined || nodeAffinity.some((term) => meetsInAnyZone(place, term));
};

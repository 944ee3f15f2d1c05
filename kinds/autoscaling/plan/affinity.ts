/** Node selectors and required node affinity. Pure. */
import { type Labels, meets } from '../../../machinery/api/labels.ts';
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

export const meetsAffinity = (
  place: Place,
  { nodeSelector, nodeAffinity }: Pick<PodShape, 'nodeSelector' | 'nodeAffinity'>,
): boolean => {
  for (const key in nodeSelector) if (place.labels[key] !== nodeSelector[key]) return false;
  return meetsTerms(place, nodeAffinity);
};

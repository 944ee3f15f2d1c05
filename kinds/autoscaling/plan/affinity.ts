/** Node selectors and required node affinity. Pure. */
import type { Labels } from '../../../machinery/api/labels.ts';
import type { NodeSelectorRequirement, NodeSelectorTerm, PodShape } from './types.ts';

export type Place = { name: string; labels: Labels };

const integer = /^[+-]?\d+$/;
const compare = (value: string | undefined, bound: string | undefined): bigint | undefined =>
  value !== undefined && bound !== undefined && integer.test(value) && integer.test(bound)
    ? BigInt(value) - BigInt(bound)
    : undefined;

const meets = (value: string | undefined, { operator, values = [] }: NodeSelectorRequirement): boolean => {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt': {
      const difference = compare(value, values[0]);
      return difference !== undefined && difference > 0n;
    }
    case 'Lt': {
      const difference = compare(value, values[0]);
      return difference !== undefined && difference < 0n;
    }
    default:
      return false;
  }
};

const meetsTerm = ({ name, labels }: Place, { matchExpressions = [], matchFields = [] }: NodeSelectorTerm): boolean => {
  // Kubernetes: a term without requirements matches nothing.
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  return (
    matchExpressions.every((one) => meets(labels[one.key], one)) &&
    matchFields.every((one) => one.key === 'metadata.name' && meets(name, one))
  );
};

/** Terms are alternatives; no terms at all are no restriction, and an empty list admits no node. */
export const meetsTerms = (place: Place, terms: readonly NodeSelectorTerm[] | undefined): boolean =>
  terms === undefined || terms.some((term) => meetsTerm(place, term));

export const meetsAffinity = (place: Place, { nodeSelector, nodeAffinity }: PodShape): boolean => {
  for (const key in nodeSelector) if (place.labels[key] !== nodeSelector[key]) return false;
  return meetsTerms(place, nodeAffinity);
};

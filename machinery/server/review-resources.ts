/** The review resources that clients may create about themselves. */
import type { ResourceEntry } from './resource-entry.ts';

const review = (group: string, version: string, kind: string): ResourceEntry & { version: string } => ({
  plural: `${kind.toLowerCase()}s`,
  singular: kind.toLowerCase(),
  kind,
  group,
  version,
  namespaced: false,
  verbs: ['create'],
  shortNames: [],
  categories: [],
  subresources: [],
});

export const reviewResources = [
  review('authorization.k8s.io', 'v1', 'SelfSubjectAccessReview'),
  review('authorization.k8s.io', 'v1', 'SelfSubjectRulesReview'),
  review('authentication.k8s.io', 'v1', 'SelfSubjectReview'),
  review('authentication.k8s.io', 'v1beta1', 'SelfSubjectReview'),
  review('authentication.k8s.io', 'v1alpha1', 'SelfSubjectReview'),
];

/** The review under a path. */
export const reviewAt = (group: string, version: string, plural: string) =>
  reviewResources.find((each) => each.group === group && each.version === version && each.plural === plural);

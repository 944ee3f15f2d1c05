/** The reviews: resources that clients create to learn what users may do, and that are never stored. */
import type { ResourceEntry } from './resource-entry.ts';

const review = (
  group: string,
  version: string,
  kind: string,
  namespaced = false,
): ResourceEntry & { version: string } => ({
  plural: `${kind.toLowerCase()}s`,
  singular: kind.toLowerCase(),
  kind,
  group,
  version,
  namespaced,
  verbs: ['create'],
  shortNames: [],
  categories: [],
  subresources: [],
});

const authorization = 'authorization.k8s.io';
const authentication = 'authentication.k8s.io';

export const reviewResources = [
  review(authorization, 'v1', 'LocalSubjectAccessReview', true),
  review(authorization, 'v1', 'SelfSubjectAccessReview'),
  review(authorization, 'v1', 'SelfSubjectRulesReview'),
  review(authorization, 'v1', 'SubjectAccessReview'),
  review(authentication, 'v1', 'SelfSubjectReview'),
  review(authentication, 'v1', 'TokenReview'),
  review(authentication, 'v1beta1', 'SelfSubjectReview'),
  review(authentication, 'v1alpha1', 'SelfSubjectReview'),
];

/** The review under a path. */
export const reviewAt = (group: string, version: string, plural: string) =>
  reviewResources.find((each) => each.group === group && each.version === version && each.plural === plural);

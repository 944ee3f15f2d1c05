/** What a client asks about itself: who am I, and what may I do? */
import { badRequest, invalid } from '../api/errors.ts';
import type { User } from '../api/kind.ts';
import { builtInTypes, decodeBody, mediaTypeOf, readBody } from './body.ts';
import type { Attributes, ServerContext } from './call.ts';
import { isObject } from './json.ts';
import type { ResourceEntry } from './resource-entry.ts';
import { jsonResponse } from './status.ts';

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

/** Which review a path names. */
export const reviewAt = (group: string, version: string, plural: string) =>
  reviewResources.find((each) => each.group === group && each.version === version && each.plural === plural);

const texts = (value: unknown): Record<string, string> =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
    : {};

const accessStatus = async (server: ServerContext, user: User, spec: Record<string, unknown>) => {
  const { resourceAttributes, nonResourceAttributes } = spec;
  if (!resourceAttributes === !nonResourceAttributes)
    throw invalid({ group: 'authorization.k8s.io', kind: '' }, '', [
      {
        reason: 'FieldValueInvalid',
        field: 'spec.resourceAttributes',
        value: null,
        detail: 'exactly one of nonResourceAttributes or resourceAttributes must be specified',
      },
    ]);
  const attributes: Attributes = resourceAttributes
    ? { user, verb: '', ...texts(resourceAttributes) }
    : { user, verb: '', ...texts(nonResourceAttributes) };
  const refusal = await server.authorize(attributes);
  return refusal === undefined ? { allowed: true } : { allowed: false, reason: refusal };
};

const everything = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  incomplete: false,
};

/** Rules are only told when they are simple: everything. */
const rulesStatus = async (server: ServerContext, user: User) => {
  const refusal = await server.authorize({ user, verb: '*', group: '*', resource: '*' });
  return refusal === undefined ? everything : { resourceRules: [], nonResourceRules: [], incomplete: true };
};

const statusOf = async (server: ServerContext, user: User, kind: string, spec: Record<string, unknown>) => {
  switch (kind) {
    case 'SelfSubjectAccessReview':
      return accessStatus(server, user, spec);
    case 'SelfSubjectRulesReview':
      return rulesStatus(server, user);
    default:
      return { userInfo: user };
  }
};

/** POST of a review: answered at once, never stored. */
export const answerReview = async (
  server: ServerContext,
  request: Request,
  user: User,
  { kind, group, version }: { kind: string; group: string; version: string },
): Promise<Response> => {
  const { value } = await decodeBody(await readBody(request), mediaTypeOf(request), builtInTypes);
  if (!isObject(value)) throw badRequest(`the object provided is unrecognized (must be of type ${kind})`);
  const spec = isObject(value.spec) ? value.spec : {};
  const status = await statusOf(server, user, kind, spec);
  const body = { kind, apiVersion: `${group}/${version}`, metadata: { creationTimestamp: null }, spec, status };
  const { spec: _, ...withoutSpec } = body;
  return jsonResponse(kind === 'SelfSubjectReview' ? withoutSpec : body, 201);
};

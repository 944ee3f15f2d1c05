/** Reviews: a client asks for its own identity and permissions. */
import { badRequest, invalid } from '../api/errors.ts';
import type { User } from '../api/kind.ts';
import { isObject } from '../api/object.ts';
import { contentTypeOf, encoded } from './answer.ts';
import { discoveryPaths } from './authorize.ts';
import { builtInTypes, decodeBody, mediaTypeOf, readBody } from './body.ts';
import type { Attributes, ServerContext } from './call.ts';
import { isPlain, negotiate } from './negotiate.ts';
import { reviewResources } from './review-resources.ts';

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
    ? { verb: '', ...texts(resourceAttributes), user }
    : { verb: '', ...texts(nonResourceAttributes), user };
  const refusal = await server.authorize(attributes);
  return refusal === undefined ? { allowed: true } : { allowed: false, reason: refusal };
};

const everything = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  incomplete: false,
};

const groups = [...new Set(reviewResources.map(({ group }) => group))];
const pluralsOf = (of: string) => [
  ...new Set(reviewResources.filter(({ group }) => group === of).map(({ plural }) => plural)),
];
/**
 * Permissions of every authenticated user. A policy decides about single requests and cannot list
 * what else it allows.
 */
const basic = {
  resourceRules: groups.map((group) => ({ verbs: ['create'], apiGroups: [group], resources: pluralsOf(group) })),
  nonResourceRules: [{ verbs: ['get'], nonResourceURLs: discoveryPaths }],
  incomplete: true,
};

const rulesStatus = async (server: ServerContext, user: User) => {
  const refusal = await server.authorize({ user, verb: '*', group: '*', resource: '*' });
  return refusal === undefined ? everything : basic;
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
  const form = negotiate(request, isPlain);
  const { value } = await decodeBody(await readBody(request), mediaTypeOf(request), builtInTypes);
  if (!isObject(value)) throw badRequest(`the object provided is unrecognized (must be of type ${kind})`);
  const spec = isObject(value.spec) ? value.spec : {};
  const status = await statusOf(server, user, kind, spec);
  const body = { kind, apiVersion: `${group}/${version}`, metadata: { creationTimestamp: null }, spec, status };
  const { spec: _, ...withoutSpec } = body;
  return new Response(await encoded(kind === 'SelfSubjectReview' ? withoutSpec : body, form), {
    status: 201,
    headers: { 'Content-Type': contentTypeOf(form), 'Cache-Control': 'no-cache, private' },
  });
};

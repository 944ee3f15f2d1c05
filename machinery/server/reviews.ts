/** Reviews: what a user may do, and whose a token is. */
import { badRequest, invalid } from '../api/errors.ts';
import type { FieldError, User } from '../api/kind.ts';
import { timestamp } from '../api/lifecycle.ts';
import { isObject } from '../api/object.ts';
import { contentTypeOf, encoded } from './answer.ts';
import { readFields } from './body.ts';
import type { ServerContext } from './call.ts';
import { isPlain, negotiate } from './negotiate.ts';

type Fields = Record<string, unknown>;

export interface ReviewRequest {
  kind: string;
  group: string;
  version: string;
  /** Of the path. */
  namespace: string;
}

const texts = (value: unknown): Record<string, string> =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
    : {};
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const listOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

const refuse = (errors: FieldError[]): void => {
  if (errors.length > 0) throw invalid({ group: 'authorization.k8s.io', kind: '' }, '', errors);
};

const attributesErrors = ({ resourceAttributes, nonResourceAttributes }: Fields): FieldError[] => {
  if (resourceAttributes && nonResourceAttributes)
    return [
      {
        reason: 'FieldValueInvalid',
        field: 'spec.nonResourceAttributes',
        value: nonResourceAttributes,
        detail: 'cannot be specified in combination with resourceAttributes',
      },
    ];
  if (resourceAttributes || nonResourceAttributes) return [];
  return [
    {
      reason: 'FieldValueInvalid',
      field: 'spec.resourceAttributes',
      value: null,
      detail: 'exactly one of nonResourceAttributes or resourceAttributes must be specified',
    },
  ];
};

const subjectErrors = ({ user, groups }: Fields): FieldError[] =>
  textOf(user) || listOf(groups).length > 0
    ? []
    : [
        {
          reason: 'FieldValueInvalid',
          field: 'spec.user',
          value: '',
          detail: 'at least one of user or group must be specified',
        },
      ];

const accessStatus = async ({ rights }: ServerContext, user: User, spec: Fields) => {
  const attributes = texts(spec.resourceAttributes ?? spec.nonResourceAttributes);
  const { allowed, reason } = await rights.authorize({
    verb: '',
    ...(spec.resourceAttributes ? { resource: '' } : {}),
    ...attributes,
    user,
  });
  return { allowed, ...(reason && { reason }) };
};

const subjectOf = ({ user, groups, uid }: Fields): User => ({
  username: textOf(user),
  groups: listOf(groups),
  ...(textOf(uid) && { uid: textOf(uid) }),
});

const localErrors = ({ resourceAttributes, nonResourceAttributes }: Fields, namespace: string): FieldError[] => {
  if (nonResourceAttributes)
    return [
      {
        reason: 'FieldValueInvalid',
        field: 'spec.nonResourceAttributes',
        value: nonResourceAttributes,
        detail: 'disallowed on this kind of request',
      },
    ];
  const own = texts(resourceAttributes).namespace ?? '';
  return own === namespace
    ? []
    : [
        {
          reason: 'FieldValueInvalid',
          field: 'spec.resourceAttributes.namespace',
          value: own,
          detail: 'must match metadata.namespace',
        },
      ];
};

const rulesStatus = async ({ rights }: ServerContext, user: User, spec: Fields) => {
  const namespace = textOf(spec.namespace);
  if (!namespace) throw badRequest('no namespace on request');
  const { rules, errors, incomplete = false } = await rights.rulesFor(user, namespace);
  return {
    resourceRules: rules
      .filter(({ resources }) => resources?.length)
      .map(({ verbs = [], apiGroups, resources, resourceNames }) => ({ verbs, apiGroups, resources, resourceNames })),
    nonResourceRules: rules
      .filter(({ nonResourceURLs }) => nonResourceURLs?.length)
      .map(({ verbs = [], nonResourceURLs }) => ({ verbs, nonResourceURLs })),
    incomplete,
    ...(errors.length > 0 && { evaluationError: errors.join(', ') }),
  };
};

/** The audience of tokens whose issuer knows none. */
const ownAudience = 'https://kubernetes.default.svc';

const tokenStatus = async ({ authenticate, issuer }: ServerContext, request: Request, spec: Fields) => {
  const token = textOf(spec.token);
  if (!token) throw badRequest('token is required for TokenReview in authentication');
  const audiences = listOf(spec.audiences);
  const issued = await issuer?.verify(token, audiences);
  if (issued) return { authenticated: true, user: issued.user, audiences: issued.audiences };
  if (audiences.length > 0 && !audiences.includes(ownAudience)) return { authenticated: false, user: {} };
  const headers = { authorization: `Bearer ${token}` };
  const user = /^[\x21-\x7e]+$/.test(token) ? await authenticate(new Request(request.url, { headers })) : undefined;
  if (!user) return { authenticated: false, user: {}, error: 'invalid bearer token' };
  return { authenticated: true, user, ...(audiences.length > 0 && { audiences: [ownAudience] }) };
};

const statusOf = async (
  server: ServerContext,
  request: Request,
  user: User,
  { kind, namespace }: ReviewRequest,
  spec: Fields,
) => {
  switch (kind) {
    case 'SelfSubjectAccessReview':
      refuse(attributesErrors(spec));
      return accessStatus(server, user, spec);
    case 'SubjectAccessReview':
      refuse([...attributesErrors(spec), ...subjectErrors(spec)]);
      return accessStatus(server, subjectOf(spec), spec);
    case 'LocalSubjectAccessReview':
      refuse([...attributesErrors(spec), ...subjectErrors(spec), ...localErrors(spec, namespace)]);
      return accessStatus(server, subjectOf(spec), spec);
    case 'SelfSubjectRulesReview':
      return rulesStatus(server, user, spec);
    case 'TokenReview':
      return tokenStatus(server, request, spec);
    default:
      return { userInfo: user };
  }
};

/** POST of a review: answered at once, never stored. */
export const answerReview = async (
  server: ServerContext,
  request: Request,
  user: User,
  review: ReviewRequest,
): Promise<Response> => {
  const { kind, group, version, namespace } = review;
  const form = negotiate(request, isPlain);
  const value = await readFields(request);
  if (!isObject(value)) throw badRequest(`the object provided is unrecognized (must be of type ${kind})`);
  const spec = isObject(value.spec) ? value.spec : {};
  const status = await statusOf(server, request, user, review, spec);
  const isOfUser = kind === 'SelfSubjectReview';
  const creationTimestamp = isOfUser ? timestamp(server.clock.now()) : null;
  const metadata = { creationTimestamp, ...(namespace && { namespace }) };
  const body = { kind, apiVersion: `${group}/${version}`, metadata, spec, status };
  const { spec: _, ...withoutSpec } = body;
  return new Response(await encoded(isOfUser ? withoutSpec : body, form), {
    status: 201,
    headers: { 'Content-Type': contentTypeOf(form), 'Cache-Control': 'no-cache, private' },
  });
};

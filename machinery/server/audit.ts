/**
 * The audit log: one Event of audit.k8s.io/v1 for each request, so that consumers of other API
 * servers' audit logs can read it. Its level is Metadata, or Request for a write whose body it has. It
 * contains no header except the user agent.
 */
import type { User } from '../api/kind.ts';
import type { RecordedBody } from './audit-body.ts';
import type { AccessDecision, Attributes } from './call.ts';
import { failure } from './status.ts';

export interface AuditEvent {
  kind: 'Event';
  apiVersion: 'audit.k8s.io/v1';
  level: 'Metadata' | 'Request';
  auditID: string;
  stage: 'ResponseStarted' | 'ResponseComplete';
  requestURI: string;
  verb: string;
  /** Empty for an unauthenticated caller. */
  user: Partial<User>;
  /** As whom `user` acts. */
  impersonatedUser?: User;
  sourceIPs?: string[];
  userAgent?: string;
  objectRef?: {
    resource: string;
    namespace?: string;
    name?: string;
    apiGroup?: string;
    apiVersion?: string;
    subresource?: string;
  };
  /** What was written, without secrets. */
  requestObject?: unknown;
  responseStatus: { metadata: object; code: number; status?: string; reason?: string; message?: string };
  requestReceivedTimestamp: string;
  stageTimestamp: string;
  annotations: Record<string, string>;
}

/** Accepts an event without delaying its request; never throws. */
export type Audit = (event: AuditEvent) => void;

/** Audit data that the server collects while it serves a request. */
export interface Trail {
  user?: User;
  impersonated?: User;
  attributes?: Attributes;
  decision?: AccessDecision;
  /** Served without credentials. */
  isPublic?: true;
  /** Further annotations of the event. */
  audited?: Record<string, string>;
  created?: { name?: string };
  /** The body of a write. */
  body?: RecordedBody;
}

export interface Outcome {
  code: number;
  /** The error of a failed request. */
  error?: unknown;
}

const header = (request: Request, name: string): string | undefined => request.headers.get(name) ?? undefined;

/** As in Kubernetes: the client's own id if it sends one, repeated in the response. */
export const auditIdOf = (request: Request, uuid: () => string): string => {
  const given = header(request, 'audit-id') ?? '';
  return /^[\w-]{1,64}$/.test(given) ? given : uuid();
};

const objectRefOf = ({ resource, namespace, name: asked, group, version, subresource }: Attributes, name = asked) =>
  resource === undefined
    ? {}
    : {
        objectRef: {
          resource,
          ...(namespace && { namespace }),
          ...(name && { name }),
          ...(group && { apiGroup: group }),
          ...(version && { apiVersion: version }),
          ...(subresource && { subresource }),
        },
      };

const responseStatusOf = ({ code, error }: Outcome): AuditEvent['responseStatus'] => {
  if (error === undefined) return { metadata: {}, code };
  const { status, reason, message } = failure(error);
  return { metadata: {}, code, status, ...(reason && { reason }), ...(message && { message }) };
};

const decisionOf = ({ decision }: Trail): Record<string, string> =>
  decision
    ? {
        'authorization.k8s.io/decision': decision.allowed ? 'allow' : 'forbid',
        ...(decision.reason && { 'authorization.k8s.io/reason': decision.reason }),
      }
    : {};

const microseconds = (time: number): string => new Date(time).toISOString().replace('Z', '000Z');

/** `began` and `ended` in milliseconds since the epoch. */
export const auditEventOf = (
  request: Request,
  auditID: string,
  trail: Trail,
  outcome: Outcome,
  { began, ended }: { began: number; ended: number },
): AuditEvent => {
  const { pathname, search } = new URL(request.url);
  const { user, attributes } = trail;
  const forwarded = header(request, 'x-forwarded-for')
    ?.split(',')
    .map((address) => address.trim());
  const userAgent = header(request, 'user-agent');
  const { requestObject, omitted } = trail.body ?? {};
  const isStream = attributes?.verb === 'watch' && outcome.error === undefined;
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: requestObject === undefined ? 'Metadata' : 'Request',
    auditID,
    stage: isStream ? 'ResponseStarted' : 'ResponseComplete',
    requestURI: `${pathname}${search}`,
    verb: attributes?.verb ?? request.method.toLowerCase(),
    user: user ?? {},
    ...(trail.impersonated && { impersonatedUser: trail.impersonated }),
    ...(forwarded && { sourceIPs: forwarded }),
    ...(userAgent !== undefined && { userAgent }),
    ...(attributes && objectRefOf(attributes, trail.created?.name)),
    ...(requestObject !== undefined && { requestObject }),
    responseStatus: responseStatusOf(outcome),
    requestReceivedTimestamp: microseconds(began),
    stageTimestamp: microseconds(ended),
    annotations: {
      ...decisionOf(trail),
      ...trail.audited,
      ...(omitted !== undefined && { 'capstan.dev/request-omitted': omitted }),
      'capstan.dev/duration-ms': String(ended - began),
    },
  };
};

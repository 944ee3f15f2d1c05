/** The Kubernetes API as a function from Request to Response. */

import type { UsersAdmission } from '../admission/review.ts';
import { ApiError, badRequest, notFound } from '../api/errors.ts';
import type { User, Verb } from '../api/kind.ts';
import { known } from '../custom/lookup.ts';
import type { Clock, Log, Random } from '../ports.ts';
import type { Quotas } from '../quota/quotas.ts';
import type { Store } from '../store/store.ts';
import { inAskedFormat, respond } from './answer.ts';
import { type Audit, auditEventOf, auditIdOf, type Trail } from './audit.ts';
import { sampled } from './audit-sample.ts';
import { attributesOf, forbidding } from './authorize.ts';
import { readFields } from './body.ts';
import type { Attributes, Call, ServerContext, TokenIssuer, VersionInfo } from './call.ts';
import { type ClientRates, createClientLimits } from './client-limits.ts';
import { timeoutOf } from './deadline.ts';
import { get } from './get.ts';
import { health, isHealthPath } from './health.ts';
import { lazy } from './lazy.ts';
import { list } from './list.ts';
import { answerBeside, resourceAt } from './lookup.ts';
import { parseResourcePath, partsOf, type ResourcePath } from './path.ts';
import { type KindRegistry, servedVersions, verbsOf } from './registry.ts';
import { reviewAt } from './review-resources.ts';
import { noRestrictions, type Rights } from './rights.ts';
import { flagOf } from './selection.ts';
import { failureResponse, jsonResponse, methodNotAllowed, notServed, unauthorized } from './status.ts';
import { type WatchLimit, watchWithin } from './watch-limit.ts';

export interface ServerOptions {
  kinds: KindRegistry;
  store: Store;
  clock: Clock;
  random: Random;
  /** Identifies the caller; undefined = 401. May throw an ApiError. */
  authenticate: (request: Request) => User | undefined | Promise<User | undefined>;
  /** Absent = creations are not limited. */
  quotas?: Quotas;
  /** Publishes its documents, and reviews its tokens. */
  issuer?: TokenIssuer;
  /** Absent = every authenticated user may do everything. */
  rights?: Rights;
  /** Admission by what users define; absent = none. */
  admission?: UsersAdmission;
  /** Absent = unlimited. */
  clientRates?: ClientRates;
  version: VersionInfo;
  /**
   * Milliseconds after which a request is not carried out any more; by default a minute, as in
   * Kubernetes.
   */
  longest?: number;
  /** Receives each request that needs credentials, after its response, and a sample of refused ones. Absent = no audit log. */
  audit?: Audit;
  /** Has the audit log record the bodies of writes, without secrets; this removes credentials from each text in them. */
  redact?: (text: string) => string;
  /** The most objects of a list in memory, for processes with little memory; absent = no limit. */
  longestList?: number;
  /** A limit on watches, for processes that cannot detect disconnected clients. */
  watchLimit?: WatchLimit;
  /** Answers GET /metrics; absent = not served. */
  metrics?: () => Promise<Response>;
  log?: Log;
}

export interface ApiServer {
  fetch(request: Request): Promise<Response>;
}

const methods: Record<string, Verb> = { POST: 'create', PUT: 'update', PATCH: 'patch' };

const verbOf = (request: Request, path: ResourcePath, query: URLSearchParams): Verb => {
  const { method } = request;
  if (method === 'GET' || method === 'HEAD') {
    if (path.name) return 'get';
    return method === 'GET' && flagOf(query, 'watch') ? 'watch' : 'list';
  }
  if (method === 'DELETE') return path.name ? 'delete' : 'deletecollection';
  const verb = methods[method];
  if (!verb) throw methodNotAllowed({ group: path.group, plural: path.plural }, method);
  return verb;
};

const custom = async (call: Call): Promise<Response | undefined> => {
  const { resource, path, request } = call;
  const handler = resource.subresources?.[path.subresource];
  if (!handler) return undefined;
  const verb = request.method === 'GET' ? 'get' : methods[request.method];
  if (!verb || !handler.verbs.includes(verb))
    throw methodNotAllowed(resource.kind, verb ?? request.method.toLowerCase());
  const body = await readFields(request);
  const answer = await handler.handle(call, { namespace: path.namespace, name: path.name }, body);
  if (answer instanceof Response) return answer;
  return respond(call, answer, { encoding: 'json' }, request.method === 'POST' ? 201 : 200);
};

const carryOutVerb = async (call: Call, verb: Verb): Promise<Response> => {
  if (verb === 'get') return get(call);
  if (verb === 'list') return list(call);
  if (verb === 'watch') return watchWithin(call, call.server.watchLimit);
  return (await lazy[verb]())(call);
};

/** The verbs that concern the objects of all namespaces. */
const acrossNamespaces: ReadonlySet<Verb> = new Set(['list', 'watch']);

const answerResource = async (call: Call, verb: Verb): Promise<Response> => {
  const { resource, version, path } = call;
  if (path.subresource) {
    const answer = await custom(call);
    if (answer) return answer;
    const served = path.subresource === 'status' ? version.status : path.subresource === 'scale' && version.scale;
    if (!served) throw resource.kind.custom ? notFound(resource.kind, path.name) : notServed();
    if (!['get', 'update', 'patch'].includes(verb) || !verbsOf(resource).includes(verb))
      throw methodNotAllowed(resource.kind, verb);
    if (path.subresource === 'scale') return (await import('./scale.ts')).scale(call);
    return carryOutVerb(call, verb);
  }
  if (!verbsOf(resource).includes(verb)) throw methodNotAllowed(resource.kind, verb);
  if (verb === 'create' && path.name) throw methodNotAllowed(resource.kind, 'create');
  if ((verb === 'update' || verb === 'patch') && !path.name)
    throw resource.kind.custom ? badRequest('name must be provided') : methodNotAllowed(resource.kind, verb);
  if (resource.kind.namespaced && !path.namespace && !acrossNamespaces.has(verb)) {
    if (resource.kind.custom) throw notServed();
    throw methodNotAllowed(resource.kind, verb);
  }
  return carryOutVerb(call, verb);
};

/** What relying parties must read without credentials: the issuer's metadata and its keys. */
const issuerPaths: ReadonlySet<string> = new Set(['.well-known/openid-configuration', 'openid/v1/jwks']);
const isOfIssuer = (parts: string[]): boolean => issuerPaths.has(parts.join('/'));

/** Paths served without credentials, as on any API server. */
const isPublic = (parts: string[]): boolean =>
  isOfIssuer(parts) || (parts.length === 1 && (isHealthPath(parts[0]) || parts[0] === 'version'));

/** Paths whose answers list the kinds of users. */
const isOfKinds = (first: string | undefined): boolean =>
  first === undefined || first === 'apis' || first === 'openapi';

const answerPath = async (server: ServerContext, request: Request, parts: string[]): Promise<Response> => {
  if (request.method !== 'GET' && request.method !== 'HEAD') throw notServed();
  const [first, ...rest] = parts;
  if (isOfKinds(first)) await server.registry.custom.readSince(server.clock.now() - known);
  if (first === undefined) return jsonResponse({ paths: await rootPaths(server) });
  if (isHealthPath(first)) return health(server, new URL(request.url), first, rest);
  if (first === 'version' && rest.length === 0) return jsonResponse(server.version);
  if (isOfIssuer(parts) && server.issuer)
    return first === 'openid' ? server.issuer.keys() : server.issuer.metadata(new URL(request.url).origin);
  if (first === 'metrics' && rest.length === 0 && server.metrics) return server.metrics();
  if (first === 'openapi') return (await import('./openapi.ts')).openApi(server, request, rest);
  if (first === 'api' ? rest.length <= 1 : first === 'apis' && rest.length <= 2)
    return inAskedFormat(request, await (await import('./discovery.ts')).discover(server, request, parts));
  throw notServed();
};

const rootPaths = async ({ registry, metrics, issuer }: ServerContext): Promise<string[]> => {
  const resources = await registry.resources();
  const versions = resources.flatMap((resource) =>
    servedVersions(resource).map(({ name }) =>
      resource.kind.group ? [`/apis/${resource.kind.group}`, `/apis/${resource.kind.group}/${name}`] : [`/api/${name}`],
    ),
  );
  const all = [
    ...(issuer ? [...issuerPaths].map((path) => `/${path}`) : []),
    '/api',
    '/apis',
    '/healthz',
    '/livez',
    ...(metrics ? ['/metrics'] : []),
    '/openapi/v2',
    '/openapi/v3',
    '/readyz',
    '/version',
    ...versions.flat(),
  ];
  return [...new Set(all)].sort();
};

const reading: ReadonlySet<Verb> = new Set(['get', 'list', 'watch']);

/** An answer that is made while the right to it is confirmed, so that this takes no time of its own. */
const heldBack = async (right: Promise<void>, answer: Promise<Response>): Promise<Response> => {
  const drop = answer.then(
    (response) => () => void response.body?.cancel(),
    () => () => undefined,
  );
  try {
    await right;
  } catch (error) {
    void drop.then((cancel) => cancel());
    throw error;
  }
  return answer;
};

const isImpersonating = (headers: Headers): boolean =>
  [...headers.keys()].some((header) => header.startsWith('impersonate-'));

type Identify = (request: Request, trail: Trail) => Promise<User>;

const answer = async (
  server: ServerContext,
  identify: Identify,
  request: Request,
  trail: Trail,
  began: number,
): Promise<Response> => {
  const url = new URL(request.url);
  const parts = partsOf(url.pathname);
  if (isPublic(parts)) {
    trail.isPublic = true;
    return answerPath(server, request, parts);
  }
  const requester = await identify(request, trail);
  const user = isImpersonating(request.headers)
    ? await (await lazy.impersonated())(server.rights, request.headers, requester)
    : requester;
  if (user !== requester) trail.impersonated = user;
  const confirm = async (attributes: Attributes): Promise<void> => {
    trail.attributes = attributes;
    trail.decision = await server.rights.authorize(attributes);
    if (!trail.decision.allowed) throw forbidding(attributes, trail.decision.reason);
  };
  const path = parseResourcePath(parts);
  if (!path) {
    await confirm({ user, verb: request.method.toLowerCase(), path: url.pathname });
    return answerPath(server, request, parts);
  }
  const query = url.searchParams;
  const verb = verbOf(request, path, query);
  const { group, version, plural, namespace } = path;
  const attributes = attributesOf(user, verb, path, query);
  const serve = async (): Promise<Response> => {
    const longest = verb === 'watch' ? server.longest : timeoutOf(query, server.longest);
    const review = reviewAt(group, version, plural);
    if (review && !path.name) {
      if (verb !== 'create') throw methodNotAllowed({ group, plural }, verb);
      if (review.namespaced !== (namespace !== '')) throw notServed();
      return (await lazy.review())(server, request, user, { ...review, namespace });
    }
    const located = await resourceAt(server, path, began);
    return answerBeside(server, request, { path, located, now: began }, (asked, { resource, version }, unchanged) => {
      const call: Call = {
        server,
        request: asked,
        query,
        user,
        attributes,
        path,
        resource,
        version,
        began,
        longest,
        ...(unchanged && { unchanged }),
        warnings: [],
        audited: {},
        created: {},
      };
      trail.audited = call.audited;
      trail.created = call.created;
      return answerResource(call, verb);
    });
  };
  const right = confirm(attributes);
  if (reading.has(verb) && server.rights.foresee?.(attributes)?.allowed) return heldBack(right, serve());
  await right;
  return serve();
};

const hasRecordedBody = ({ method, body, headers }: Request): boolean =>
  ['POST', 'PUT', 'PATCH'].includes(method) && body !== null && !headers.get('content-type')?.includes('protobuf');

/** The server. `fetch` never rejects; every error becomes a Status. */
export const createServer = (options: ServerOptions): ApiServer => {
  const { kinds, store, clock, random, rights = noRestrictions, authenticate, version } = options;
  const { longest = 60_000, longestList, watchLimit, metrics, admission, log, issuer, quotas, redact } = options;
  const limits = createClientLimits(options.clientRates ?? {}, clock);
  const identify: Identify = async (request, trail) => {
    const user = await authenticate(request);
    if (!user) throw unauthorized();
    trail.user = user;
    limits.admitUser(user);
    return user;
  };
  const audit = options.audit && sampled(options.audit, clock);
  const server: ServerContext = {
    registry: kinds,
    store,
    clock,
    random,
    rights,
    authenticate,
    version,
    longest,
    ...(admission && { admission }),
    ...(longestList && { longestList }),
    ...(watchLimit && { watchLimit }),
    ...(metrics && { metrics }),
    ...(issuer && { issuer }),
    ...(quotas && { quotas }),
    ...(log && { log }),
  };
  const outcomeOf = async (request: Request, trail: Trail, began: number) => {
    try {
      limits.admit(request);
      return { response: await answer(server, identify, request, trail, began) };
    } catch (error) {
      if (!(error instanceof ApiError))
        log?.error('Request failed', { url: request.url, method: request.method, error });
      return { response: await inAskedFormat(request, failureResponse(error)), error };
    }
  };
  return {
    fetch: async (request) => {
      const began = clock.now();
      const trail: Trail = {};
      const copy = audit && redact && hasRecordedBody(request) ? request.clone() : undefined;
      const { response, error } = await outcomeOf(request, trail, began);
      if (copy && redact && trail.attributes && response.ok)
        trail.body = await (await lazy.recordedBody())(copy, trail.attributes, redact);
      else void copy?.body?.cancel();
      if (!audit || trail.isPublic) return response;
      const auditID = auditIdOf(request, () => random.uuid());
      response.headers.set('Audit-Id', auditID);
      audit(auditEventOf(request, auditID, trail, { code: response.status, error }, { began, ended: clock.now() }));
      return response;
    },
  };
};

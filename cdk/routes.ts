/**
 * Routes requests to functions. The gateway cannot tell a watch from a list, because they differ only
 * in their query, so the function that streams serves both. A request without a route costs nothing:
 * the gateway answers it with 404.
 */
import type { FunctionName } from './names.ts';

/** The functions that serve requests. */
export type Serving = Extract<FunctionName, 'api' | 'watch' | 'audit-webhook'>;

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof methods)[number];

export interface Target {
  function: Serving;
  /** Served without credentials. */
  isPublic?: true;
  /** The share of the gateway's requests, relative to other targets; absent = the least. */
  weight?: number;
}

export interface Route {
  /** A gateway path: each segment is a literal, `{one}` or, at the end, `{all+}`. */
  path: string;
  serves: Partial<Record<Method, Target>>;
}

type Weights = Partial<Record<Method, number>>;

const weighted = (serving: Serving, weight: number | undefined): Target => ({
  function: serving,
  ...(weight !== undefined && { weight }),
});

const object = (weights: Weights = {}): Route['serves'] =>
  Object.fromEntries(methods.map((method) => [method, weighted('api', weights[method])]));

/** Also the path of a namespace's subresources, which clients update. */
const collection = (weights: Weights = {}): Route['serves'] => ({
  ...object(weights),
  GET: weighted('watch', weights.GET),
});

const readOnly = (weight?: number): Route['serves'] => ({ GET: weighted('api', weight) });

/** All paths of an API group version, without a gap, because the gateway does not backtrack. */
const below = (version: string, weight: number): Route[] => {
  const times = (weights: Weights): Weights =>
    Object.fromEntries(Object.entries(weights).map(([method, one]) => [method, one * weight]));
  return [
    { path: version, serves: readOnly() },
    { path: `${version}/{plural}`, serves: collection(times({ GET: 3 })) },
    { path: `${version}/{plural}/{rest+}`, serves: object(times({ GET: 1, PATCH: 1 })) },
    // The core group also has the collection of namespaces.
    { path: `${version}/namespaces`, serves: collection() },
    { path: `${version}/namespaces/{namespace}`, serves: object() },
    { path: `${version}/namespaces/{namespace}/{plural}`, serves: collection(times({ GET: 2, POST: 2 })) },
    {
      path: `${version}/namespaces/{namespace}/{plural}/{rest+}`,
      serves: object(times({ GET: 3, PATCH: 2, PUT: 1, DELETE: 2 })),
    },
  ];
};

/** Lists and watches of Secrets, too, are answered by the function that decrypts them: the one that streams does not. */
const secretsBelow = (version: string): Route[] => [
  { path: `${version}/secrets`, serves: object({ GET: 1 }) },
  { path: `${version}/namespaces/{namespace}/secrets`, serves: object({ GET: 2, POST: 1 }) },
  { path: `${version}/namespaces/{namespace}/secrets/{rest+}`, serves: object({ GET: 2, PATCH: 1, DELETE: 1 }) },
];

/** As on any API server. A single check of one needs credentials. */
const publicPaths = ['/healthz', '/livez', '/readyz', '/version'];

/** Relying parties of ServiceAccounts' tokens read the issuer's metadata and its keys there. */
export const issuerPaths = ['/.well-known/openid-configuration', '/openid/v1/jwks'];

/** Below it, the namespace and the name of a cluster whose API servers report. */
export const auditWebhookPath = '/capstan.dev/audit';
export const reportPath = `${auditWebhookPath}/{namespace}/{name}`;

export const routes: readonly Route[] = [
  { path: '/', serves: readOnly() },
  { path: '/{rest+}', serves: readOnly(4) },
  ...publicPaths.flatMap((path): Route[] => [
    { path, serves: { GET: { function: 'api', isPublic: true } } },
    { path: `${path}/{rest+}`, serves: readOnly() },
  ]),
  ...issuerPaths.map((path): Route => ({ path, serves: { GET: { function: 'api', isPublic: true } } })),
  { path: '/api', serves: readOnly(2) },
  ...below('/api/{version}', 1),
  ...secretsBelow('/api/{version}'),
  { path: '/apis', serves: readOnly(2) },
  { path: '/apis/{group}', serves: readOnly() },
  ...below('/apis/{group}/{version}', 2),
  { path: reportPath, serves: { POST: { function: 'audit-webhook' } } },
];

/** Each method of each route. */
export const targets: readonly (Target & { path: string; method: Method })[] = routes.flatMap(({ path, serves }) =>
  methods.flatMap((method) => {
    const target = serves[method];
    return target ? [{ path, method, ...target }] : [];
  }),
);

const segmentsOf = (path: string): string[] => path.split('/').filter(Boolean);

/** Precedence of a segment: literal, `{one}`, `{all+}`. */
const closeness = (segment: string): number => {
  if (segment.endsWith('+}')) return 1;
  return segment.startsWith('{') ? 2 : 3;
};

const fits = (route: readonly string[], path: readonly string[]): boolean => {
  const isGreedy = route.at(-1)?.endsWith('+}') ?? false;
  if (isGreedy ? path.length < route.length : path.length !== route.length) return false;
  return route.every((segment, n) => segment.startsWith('{') || segment === path[n]);
};

const byCloseness = (a: readonly string[], b: readonly string[]): number => {
  const at = a.findIndex((segment, n) => closeness(segment) !== closeness(b[n] ?? ''));
  return at === -1 ? 0 : closeness(b[at] ?? '') - closeness(a[at]!);
};

export interface Routed extends Target {
  path: string;
}

/** The target of a request, chosen like the gateway does; undefined where it has no route. */
export const targetFor = (method: string, pathname: string): Routed | undefined => {
  const path = segmentsOf(pathname);
  const [fitting] = routes
    .map((route) => ({ route, segments: segmentsOf(route.path) }))
    .filter(({ segments }) => fits(segments, path))
    .sort((a, b) => byCloseness(a.segments, b.segments));
  const target = fitting?.route.serves[method as Method];
  return fitting && target && { path: fitting.route.path, ...target };
};

/**
 * Routes paths of the API to functions. The gateway cannot tell a watch from a list, because they
 * differ only in their query, so the function that streams serves both.
 */
import type { FunctionName } from './names.ts';

export interface Route {
  /** A gateway path: each segment is a literal, `{one}` or, at the end, `{all+}`. */
  path: string;
  /** The function for GET, where it differs from the other methods. */
  get?: Extract<FunctionName, 'watch'>;
  /** The same for POST. */
  post?: Extract<FunctionName, 'audit-webhook'>;
}

/** The functions that serve requests. */
export type Serving = Extract<FunctionName, 'api' | 'watch' | 'audit-webhook'>;

const collection = { get: 'watch' } as const;

/** All paths of an API group version, without a gap, because the gateway does not backtrack. */
const below = (version: string): Route[] => [
  { path: version },
  { path: `${version}/{plural}`, ...collection },
  { path: `${version}/{plural}/{rest+}` },
  // The core group also has the collection of namespaces.
  { path: `${version}/namespaces`, ...collection },
  { path: `${version}/namespaces/{namespace}` },
  { path: `${version}/namespaces/{namespace}/{plural}`, ...collection },
  { path: `${version}/namespaces/{namespace}/{plural}/{rest+}` },
];

/** Below it, the namespace and the name of a cluster whose API servers report. */
export const auditWebhookPath = '/capstan.dev/audit';

export const routes: readonly Route[] = [
  { path: '/' },
  { path: '/{rest+}' },
  { path: '/api' },
  ...below('/api/{version}'),
  { path: '/apis' },
  { path: '/apis/{group}' },
  ...below('/apis/{group}/{version}'),
  { path: '/capstan.dev' },
  { path: '/capstan.dev/{rest+}' },
  { path: auditWebhookPath },
  { path: `${auditWebhookPath}/{namespace}` },
  { path: `${auditWebhookPath}/{namespace}/{name}`, post: 'audit-webhook' },
  { path: `${auditWebhookPath}/{namespace}/{name}/{rest+}` },
];

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

/** The function that serves a request, chosen like the gateway does. */
export const functionFor = (method: string, pathname: string): Serving => {
  const path = segmentsOf(pathname);
  const fitting = routes
    .map((route) => ({ route, segments: segmentsOf(route.path) }))
    .filter(({ segments }) => fits(segments, path))
    .sort((a, b) => byCloseness(a.segments, b.segments));
  const { get, post } = fitting[0]?.route ?? {};
  return (method === 'GET' && get) || (method === 'POST' && post) || 'api';
};

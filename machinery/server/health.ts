/** GET /healthz, /livez and /readyz: the state of the server's parts, as text. */
import type { ServerContext } from './call.ts';
import { notServed } from './status.ts';

type Check = (server: ServerContext) => Promise<unknown>;

const checks = {
  ping: async () => undefined,
  store: ({ store }) => store.position('namespaces'),
} satisfies Record<string, Check>;
type CheckName = keyof typeof checks;

/** livez ignores the store: restarting the process would not repair the store. */
const checksOf: Record<string, readonly CheckName[]> = {
  healthz: ['ping', 'store'],
  livez: ['ping'],
  readyz: ['ping', 'store'],
};

export const isHealthPath = (first: string | undefined): first is string =>
  first !== undefined && Object.hasOwn(checksOf, first);

const text = (body: string, status = 200): Response =>
  new Response(body, {
    status,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-cache, private' },
  });

const lineOf = async (server: ServerContext, name: CheckName): Promise<{ line: string; isOk: boolean }> => {
  try {
    await checks[name](server);
    return { line: `[+]${name} ok\n`, isOk: true };
  } catch (error) {
    server.log?.error('Health check failed', { check: name, error });
    return { line: `[-]${name} failed: reason withheld\n`, isOk: false };
  }
};

/**
 * Serves `/<endpoint>` with the result of its checks, or `/<endpoint>/<check>` with that of one.
 */
export const health = async (server: ServerContext, url: URL, endpoint: string, rest: string[]): Promise<Response> => {
  const all = checksOf[endpoint]!;
  const [only, ...more] = rest;
  if (only !== undefined && (more.length > 0 || !all.some((name) => name === only))) throw notServed();
  const names = only === undefined ? all : all.filter((name) => name === only);
  const excluded = url.searchParams.getAll('exclude').filter((name) => name !== '');
  const results = await Promise.all(
    names.map(async (name) =>
      excluded.includes(name) ? { line: `[+]${name} excluded: ok\n`, isOk: true } : lineOf(server, name),
    ),
  );
  const unknown = excluded.filter((name) => !names.some((each) => each === name)).sort();
  const warning = `warn: some health checks cannot be excluded: no matches for ${unknown.map((name) => JSON.stringify(name)).join(', ')}\n`;
  const report = `${results.map(({ line }) => line).join('')}${unknown.length > 0 ? warning : ''}`;
  if (results.some(({ isOk }) => !isOk)) return text(`${report}${endpoint} check failed\n`, 500);
  return text(url.searchParams.has('verbose') ? `${report}${endpoint} check passed\n` : 'ok');
};

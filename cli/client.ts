/** A small client of the Kubernetes API for Capstan's kubeconfigs: server, CA, and a token or an exec plugin. */
import { existsSync, readFileSync } from 'node:fs';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { homedir } from 'node:os';
import { dirname, join, resolve as resolvePath } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'yaml';
import { type Answer, dataOf, parsing } from './answer.ts';
import { CliError } from './errors.ts';
import { type Exec, execTokens, type Tokens } from './exec.ts';
import { typed } from './output.ts';
import { proxyVariables } from './proxy.ts';
import { resendAfter } from './resend.ts';

interface Cluster {
  server: string;
  'certificate-authority-data'?: string;
  'certificate-authority'?: string;
}

interface Kubeconfig {
  'current-context'?: string;
  contexts?: { name: string; context: { cluster: string; user: string; namespace?: string } }[];
  clusters?: { name: string; cluster: Cluster }[];
  users?: { name: string; user: { token?: string; exec?: Exec } }[];
}

/** Opens a client when a command needs one. */
export type Connect = () => Promise<ApiClient>;

/** The parameters of a deployed installation's tokens. */
export interface Deployment {
  clusterId: string;
  installation: string;
  account: string;
  region: string;
  profile?: string;
}

export interface ApiClient extends ReturnType<typeof parsing> {
  server: string;
  namespace: string;
  /** Absent for a local control plane. */
  deployment?: Deployment;
  /** The body of a large response; throws CliError for any code from 400 on. */
  bytes(path: string): AsyncIterable<Uint8Array>;
  /** The parsed lines of a streamed response, until the signal aborts or the server ends it. */
  stream<T>(path: string, signal: AbortSignal): AsyncGenerator<T>;
}

const local = '.capstan/kubeconfig';

/** The kubeconfig named by --kubeconfig, else KUBECONFIG, else the local control plane's, else kubectl's own. */
export const kubeconfigPath = (flag: string | undefined): string => {
  const named = flag ?? process.env.KUBECONFIG?.split(':').find(Boolean);
  if (named !== undefined) return named;
  const kubectls = join(homedir(), '.kube', 'config');
  return !existsSync(local) && existsSync(kubectls) ? kubectls : local;
};

interface Target {
  server: string;
  deployment?: Deployment;
  ca: string | undefined;
  tokens: Tokens;
  namespace: string;
}

const caOf = (cluster: Cluster, directory: string): string | undefined => {
  const { 'certificate-authority-data': data, 'certificate-authority': file } = cluster;
  if (data) return Buffer.from(data, 'base64').toString('utf8');
  if (!file) return undefined;
  const path = resolvePath(directory, file);
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CliError(`cannot read the certificate authority ${path}: ${(error as Error).message}`, 1, {
      cause: error,
    });
  }
};

const parseKubeconfig = (path: string): Kubeconfig => {
  if (!existsSync(path))
    throw new CliError(
      `no kubeconfig at ${path}: start a control plane with "npm start", log in to a deployed one with "${typed('login')}", or name one with --kubeconfig`,
    );
  let config: Record<string, unknown> | null;
  try {
    config = parse(readFileSync(path, 'utf8')) as Record<string, unknown> | null;
  } catch (error) {
    throw new CliError(`${path} is not a kubeconfig: ${(error as Error).message.split('\n')[0]}`, 1, { cause: error });
  }
  if (config !== null && (typeof config !== 'object' || Array.isArray(config)))
    throw new CliError(`${path} is not a kubeconfig: it is no mapping`);
  const isEntry = (one: unknown) => typeof (one as { name?: unknown } | null)?.name === 'string';
  for (const [list, of] of [
    ['contexts', 'context'],
    ['clusters', 'cluster'],
    ['users', 'user'],
  ] as const) {
    const entries = config?.[list] ?? [];
    const isWhole = (one: unknown) => isEntry(one) && typeof (one as Record<string, unknown>)[of] === 'object';
    if (!Array.isArray(entries) || !entries.every(isWhole))
      throw new CliError(`${path} is not a kubeconfig: ${list} is no list of entries with a name and a ${of}`);
  }
  return (config ?? {}) as Kubeconfig;
};

const optionOf = ({ args }: Exec, name: string): string | undefined => {
  const at = args?.indexOf(name) ?? -1;
  return at < 0 ? undefined : args?.[at + 1];
};

/** From an exec plugin that `capstan login` wrote. */
const deploymentOf = (exec: Exec): Deployment | undefined => {
  const [clusterId, region, profile] = ['--cluster-id', '--region', '--profile'].map((name) => optionOf(exec, name));
  const [installation, account] = clusterId?.split('.') ?? [];
  if (!clusterId || !region || !installation || !account || !exec.args?.includes('token')) return undefined;
  return { clusterId, installation, account, region, ...(profile && { profile }) };
};

/** The contexts whose tokens Capstan makes, and the current one. */
export const capstanContexts = (path: string): string[] => {
  const { contexts = [], users = [], 'current-context': current } = parseKubeconfig(path);
  const ours = new Set(users.filter(({ user: { exec } }) => exec && deploymentOf(exec)).map(({ name }) => name));
  return contexts.filter(({ name, context }) => name === current || ours.has(context.user)).map(({ name }) => name);
};

const readKubeconfig = (path: string, contextName: string | undefined): Target => {
  const config = parseKubeconfig(path);
  const wanted = contextName ?? config['current-context'];
  const context = config.contexts?.find((c) => c.name === wanted)?.context;
  const cluster = config?.clusters?.find((c) => c.name === context?.cluster)?.cluster;
  const user = config?.users?.find((u) => u.name === context?.user)?.user;
  if (!context || !cluster?.server || !(user?.token || user?.exec))
    throw new CliError(`${path} has no current context with a server and a bearer token, or an exec plugin for one`);
  if (!/^https:\/\//.test(cluster.server) || !URL.canParse(cluster.server))
    throw new CliError(`${path} names no https URL as its server: ${cluster.server}`);
  const directory = dirname(resolvePath(path));
  const { token, exec } = user;
  const deployment = exec && deploymentOf(exec);
  return {
    ...(deployment && { deployment }),
    server: cluster.server.replace(/\/$/, ''),
    ca: caOf(cluster, directory),
    tokens: exec ? execTokens(exec, directory) : { get: async () => token ?? '', refused: () => false },
    namespace: context.namespace ?? 'default',
  };
};

interface Call {
  method: string;
  to: string;
  body?: string | undefined;
  contentType: string;
  signal?: AbortSignal;
}

/** Milliseconds without a byte after which a request is given up. */
const defaultTimeout = 30_000;

const reasons: Record<string, string> = {
  ECONNREFUSED: 'connection refused: nothing listens there',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the name server does not answer',
  ECONNRESET: 'the connection was closed',
  ETIMEDOUT: 'no connection in time',
};
/** Codes of OpenSSL for a certificate that no known authority has signed. */
const untrusted = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);
/** Whether it failed because the certificate of the server is not trusted. */
export const isUntrusted = ({ cause }: CliError): boolean =>
  untrusted.has((cause as NodeJS.ErrnoException | undefined)?.code ?? '');

/** An error of several addresses has no message of its own. */
const reasonOf = ({ code = '', message }: NodeJS.ErrnoException): string => reasons[code] ?? (message || code);

export interface ClientOptions {
  /** Instead of the current context. */
  context?: string;
  /** Milliseconds. */
  timeout?: number;
}

/** Node's own timeout of a request starts again with the TLS handshake, so it takes twice as long to end one. */
const giveUpAfter = (call: ClientRequest, timeout: number): void => {
  const giveUp = () => void call.destroy(new Error(`no answer within ${timeout / 1000} s`));
  const timer = setTimeout(giveUp, timeout);
  call.on('response', () => {
    clearTimeout(timer);
    call.setTimeout(timeout, giveUp);
  });
  call.on('close', () => clearTimeout(timer));
};

/** For the current context, or the named one. */
export const openClient = (path: string, { context, timeout = defaultTimeout }: ClientOptions = {}): ApiClient => {
  const { server, ca, tokens, namespace, deployment } = readKubeconfig(path, context);
  const proxy = proxyVariables();
  const agent = new Agent({
    keepAlive: true,
    scheduling: 'lifo',
    ...(proxy && { proxyEnv: { ...proxy } }),
  });
  const failed = (what: string, error: unknown): CliError =>
    new CliError(`${what} ${server}: ${reasonOf(error as NodeJS.ErrnoException)}`, 1, { cause: error });

  const ask = (token: string, { method, to, body, contentType, signal }: Call) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const unreachable = (error: unknown) => reject(failed('cannot reach', error));
      try {
        const call = httpsRequest(`${server}${to}`, {
          method,
          agent,
          ca,
          ...(signal && { signal }),
          headers: {
            authorization: `Bearer ${token}`,
            accept: 'application/json',
            'user-agent': 'capstan',
            ...(body !== undefined && { 'content-type': contentType, 'content-length': Buffer.byteLength(body) }),
          },
        });
        // A watch is silent as long as nothing changes.
        if (!signal) giveUpAfter(call, timeout);
        call.on('response', resolve);
        call.on('error', unreachable);
        call.end(body);
      } catch (error) {
        // Node validates the authority and the headers when it connects.
        unreachable(error);
      }
    });
  const authorized = async (call: Call): Promise<IncomingMessage> => {
    const response = await ask(await tokens.get(), call);
    // A token may become invalid before its expiry, for example with a revoked session: request a new one once.
    if (response.statusCode !== 401 || !tokens.refused()) return response;
    response.resume();
    return ask(await tokens.get(), call);
  };
  const open = async (call: Call): Promise<IncomingMessage> => {
    for (let attempts = 0; ; attempts++) {
      const response = await authorized(call);
      const { statusCode: code = 0, headers } = response;
      const pause = resendAfter(call.method, { code, retryAfter: headers['retry-after'] }, attempts);
      if (pause === undefined) return response;
      response.resume();
      await delay(pause, undefined, call.signal ? { signal: call.signal } : {});
    }
  };
  /** Passes the body on; one that breaks off is the server's fault. */
  const bodyOf = async function* (response: IncomingMessage): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of response) yield chunk as Buffer;
    } catch (error) {
      throw failed('lost the answer of', error);
    }
  };

  const request: ApiClient['request'] = async (method, to, { body, contentType = 'application/json' } = {}) => {
    const response = await open({ method, to, body, contentType });
    const chunks: Buffer[] = [];
    for await (const chunk of bodyOf(response)) chunks.push(chunk);
    const date = Date.parse(response.headers.date ?? '');
    return {
      code: response.statusCode ?? 0,
      body: Buffer.concat(chunks).toString('utf8'),
      ...(!Number.isNaN(date) && { date }),
    } satisfies Answer;
  };

  return {
    server,
    namespace,
    ...(deployment && { deployment }),
    ...parsing(request),
    bytes: async function* (to) {
      const response = await open({ method: 'GET', to, contentType: '' });
      if ((response.statusCode ?? 0) >= 400) throw new CliError(`${server} answered ${response.statusCode}`);
      yield* bodyOf(response);
    },
    stream: async function* <T>(to: string, signal: AbortSignal) {
      let rest = '';
      try {
        const response = await open({ method: 'GET', to, contentType: '', signal });
        if ((response.statusCode ?? 0) >= 400) throw new CliError(`${server}${to} answered ${response.statusCode}`);
        for await (const chunk of bodyOf(response)) {
          const lines = (rest + chunk.toString('utf8')).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) if (line.trim()) yield dataOf<T>(line);
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
  };
};

/** A small client of the Kubernetes API for Capstan's kubeconfigs: server, CA, and a token or an exec plugin. */
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { homedir } from 'node:os';
import { dirname, join, resolve as resolvePath } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'yaml';
import type { KubeObject } from '../machinery/api/object.ts';
import { CliError } from './errors.ts';
import { type Exec, execTokens, type Tokens } from './exec.ts';
import { typed } from './output.ts';
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

export interface Answer {
  code: number;
  body: string;
  /** The server's time in milliseconds, if its response contains one. */
  date?: number;
}

/** The parameters of a deployed installation's tokens. */
export interface Deployment {
  clusterId: string;
  installation: string;
  account: string;
  region: string;
  profile?: string;
}

export interface ApiClient {
  server: string;
  namespace: string;
  /** Absent for a local control plane. */
  deployment?: Deployment;
  request(method: string, path: string, options?: { body?: string; contentType?: string }): Promise<Answer>;
  /** The parsed body; throws CliError with the server's own message for any code from 400 on. */
  json<T>(method: string, path: string, options?: { body?: string; contentType?: string }): Promise<T>;
  /** The object, or undefined on 404. */
  find<T = KubeObject>(path: string): Promise<T | undefined>;
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
  try {
    return (parse(readFileSync(path, 'utf8')) ?? {}) as Kubeconfig;
  } catch (error) {
    throw new CliError(`${path} is not a kubeconfig: ${(error as Error).message.split('\n')[0]}`, 1, { cause: error });
  }
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

/** The message of the server. */
export const messageOf = ({ code, body }: Answer): string => {
  try {
    return (JSON.parse(body) as { message?: string }).message ?? `HTTP ${code}`;
  } catch {
    return `HTTP ${code}: ${body.slice(0, 200)}`;
  }
};

/** The reading methods, over any transport. */
export const parsing = (request: ApiClient['request']): Pick<ApiClient, 'request' | 'json' | 'find'> => ({
  request,
  json: async <T>(...call: Parameters<typeof request>) => {
    const answer = await request(...call);
    if (answer.code >= 400) throw new CliError(messageOf(answer));
    return JSON.parse(answer.body) as T;
  },
  find: async <T>(to: string) => {
    const answer = await request('GET', to);
    if (answer.code === 404) return undefined;
    if (answer.code >= 400) throw new CliError(messageOf(answer));
    return JSON.parse(answer.body) as T;
  },
});

interface Call {
  method: string;
  to: string;
  body?: string | undefined;
  contentType: string;
  signal?: AbortSignal;
}

/** For the current context, or the named one. */
export const openClient = (path: string, contextName?: string): ApiClient => {
  const { server, ca, tokens, namespace, deployment } = readKubeconfig(path, contextName);

  const ask = (token: string, { method, to, body, contentType, signal }: Call) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const call = httpsRequest(`${server}${to}`, {
        method,
        ca,
        ...(signal && { signal }),
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json',
          'user-agent': 'capstan',
          ...(body !== undefined && { 'content-type': contentType, 'content-length': Buffer.byteLength(body) }),
        },
      });
      call.on('response', resolve);
      call.on('error', (error) =>
        reject(new CliError(`cannot reach ${server}: ${error.message}`, 1, { cause: error })),
      );
      call.end(body);
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

  const request: ApiClient['request'] = async (method, to, { body, contentType = 'application/json' } = {}) => {
    const response = await open({ method, to, body, contentType });
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const date = Date.parse(response.headers.date ?? '');
    return {
      code: response.statusCode ?? 0,
      body: Buffer.concat(chunks).toString('utf8'),
      ...(!Number.isNaN(date) && { date }),
    };
  };

  return {
    server,
    namespace,
    ...(deployment && { deployment }),
    ...parsing(request),
    bytes: async function* (to) {
      const response = await open({ method: 'GET', to, contentType: '' });
      if ((response.statusCode ?? 0) >= 400) throw new CliError(`${server} answered ${response.statusCode}`);
      yield* response as AsyncIterable<Uint8Array>;
    },
    stream: async function* <T>(to: string, signal: AbortSignal) {
      let rest = '';
      try {
        const response = await open({ method: 'GET', to, contentType: '', signal });
        if ((response.statusCode ?? 0) >= 400) throw new CliError(`${server}${to} answered ${response.statusCode}`);
        for await (const chunk of response) {
          const lines = (rest + (chunk as Buffer).toString('utf8')).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) if (line.trim()) yield JSON.parse(line) as T;
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
  };
};

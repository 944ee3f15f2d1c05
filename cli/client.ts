/** A small client of the Kubernetes API, from the kubeconfig that Capstan writes: server, CA and bearer token. */
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { parse } from 'yaml';
import type { KubeObject } from '../machinery/api/object.ts';
import { CliError } from './errors.ts';

interface Kubeconfig {
  'current-context'?: string;
  contexts?: { name: string; context: { cluster: string; user: string; namespace?: string } }[];
  clusters?: { name: string; cluster: { server: string; 'certificate-authority-data'?: string } }[];
  users?: { name: string; user: { token?: string } }[];
}

export interface Answer {
  code: number;
  body: string;
}

export interface ApiClient {
  server: string;
  namespace: string;
  request(method: string, path: string, options?: { body?: string; contentType?: string }): Promise<Answer>;
  /** The parsed body; throws CliError with the server's own message for any code from 400 on. */
  json<T>(method: string, path: string, options?: { body?: string; contentType?: string }): Promise<T>;
  /** The object, or undefined on 404. */
  find<T = KubeObject>(path: string): Promise<T | undefined>;
  /** Lines of a streamed answer, parsed, until the signal aborts or the server ends it. */
  stream<T>(path: string, signal: AbortSignal): AsyncGenerator<T>;
}

/** The kubeconfig named by --kubeconfig, else KUBECONFIG, else the local control plane's. */
export const kubeconfigPath = (flag: string | undefined): string =>
  flag ?? process.env.KUBECONFIG?.split(':')[0] ?? '.capstan/kubeconfig';

const readKubeconfig = (path: string): { server: string; ca: string | undefined; token: string; namespace: string } => {
  if (!existsSync(path))
    throw new CliError(
      `no kubeconfig at ${path}: start a control plane with "npm start", or name one with --kubeconfig`,
    );
  let config: Kubeconfig;
  try {
    config = parse(readFileSync(path, 'utf8')) as Kubeconfig;
  } catch (error) {
    throw new CliError(`${path} is not a kubeconfig: ${(error as Error).message.split('\n')[0]}`, 1, { cause: error });
  }
  const context = config?.contexts?.find((c) => c.name === config['current-context'])?.context;
  const cluster = config?.clusters?.find((c) => c.name === context?.cluster)?.cluster;
  const token = config?.users?.find((u) => u.name === context?.user)?.user.token;
  if (!context || !cluster || !token)
    throw new CliError(`${path} has no current context with a server and a bearer token`);
  const ca = cluster['certificate-authority-data'];
  return {
    server: cluster.server.replace(/\/$/, ''),
    ca: ca && Buffer.from(ca, 'base64').toString('utf8'),
    token,
    namespace: context.namespace ?? 'default',
  };
};

/** The server's own words. */
export const messageOf = ({ code, body }: Answer): string => {
  try {
    return (JSON.parse(body) as { message?: string }).message ?? `HTTP ${code}`;
  } catch {
    return `HTTP ${code}: ${body.slice(0, 200)}`;
  }
};

/** What reads answers, over any way to get them. */
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

export const openClient = (path: string): ApiClient => {
  const { server, ca, token, namespace } = readKubeconfig(path);

  const open = (method: string, to: string, body: string | undefined, contentType: string, signal?: AbortSignal) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const call = httpsRequest(`${server}${to}`, {
        method,
        ca,
        signal,
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

  const request: ApiClient['request'] = async (method, to, { body, contentType = 'application/json' } = {}) => {
    const response = await open(method, to, body, contentType);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return { code: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') };
  };

  return {
    server,
    namespace,
    ...parsing(request),
    stream: async function* <T>(to: string, signal: AbortSignal) {
      let rest = '';
      try {
        const response = await open('GET', to, undefined, '', signal);
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

/** An API server under load: address, credentials and processes. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { Agent, request as httpsRequest } from 'node:https';
import { parse } from 'yaml';

export interface Target {
  name: string;
  server: string;
  ca?: string;
  token?: string;
  certificate?: string;
  key?: string;
  /** Processes whose CPU is counted. */
  pids: number[];
}

interface Kubeconfig {
  'current-context'?: string;
  contexts?: { name: string; context: { cluster: string; user: string } }[];
  clusters?: { name: string; cluster: { server: string; 'certificate-authority-data'?: string } }[];
  users?: {
    name: string;
    user: { token?: string; 'client-certificate-data'?: string; 'client-key-data'?: string };
  }[];
}

const decoded = (data: string | undefined) => data && Buffer.from(data, 'base64').toString();

/** The process that listens on a local port; none without /proc. */
export const listenersOn = (port: number): number[] => {
  const listening = '0A';
  const inodes = new Set<string>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of readFileSync(table, 'utf8').split('\n').slice(1)) {
      const fields = line.trim().split(/\s+/);
      const [local = '', state, inode] = [fields[1], fields[3], fields[9]];
      if (state === listening && Number.parseInt(local.split(':').at(-1)!, 16) === port)
        inodes.add(`socket:[${inode}]`);
    }
  }
  const holds = (pid: string) => {
    try {
      return readdirSync(`/proc/${pid}/fd`).some((fd) => {
        try {
          return inodes.has(readlinkSync(`/proc/${pid}/fd/${fd}`));
        } catch {
          return false;
        }
      });
    } catch {
      return false;
    }
  };
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && holds(name))
    .map(Number);
};

/** The server of a kubeconfig with inline data, and its processes if they are found. */
export const targetOf = (name: string, file: string, morePids: number[] = []): Target => {
  const config = parse(readFileSync(file, 'utf8')) as Kubeconfig;
  const context = config.contexts?.find((one) => one.name === config['current-context'])?.context;
  const cluster = config.clusters?.find((one) => one.name === context?.cluster)?.cluster;
  const user = config.users?.find((one) => one.name === context?.user)?.user;
  if (!cluster) throw new Error(`${file} has no current context with a server`);
  const server = cluster.server.replace(/\/$/, '');
  const ca = decoded(cluster['certificate-authority-data']);
  const certificate = decoded(user?.['client-certificate-data']);
  const key = decoded(user?.['client-key-data']);
  return {
    name,
    server,
    ...(ca && { ca }),
    ...(user?.token && { token: user.token }),
    ...(certificate && { certificate }),
    ...(key && { key }),
    pids: [...new Set([...listenersOn(Number(new URL(server).port || 443)), ...morePids])],
  };
};

/** The kernel's clock ticks per second. */
const ticksPerSecond = 100;

/** The processes' CPU in milliseconds so far. */
export const cpuOf = ({ pids }: Target): number => {
  let ticks = 0;
  for (const pid of pids) {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return (ticks * 1000) / ticksPerSecond;
};

/** Resident memory in bytes. */
export const memoryOf = ({ pids }: Target): number =>
  pids.reduce((sum, pid) => {
    const kib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return sum + Number(kib ?? 0) * 1024;
  }, 0);

export const clientOf = ({ server, ca, token, certificate, key }: Target) => {
  const { hostname, port } = new URL(server);
  const agent = new Agent({
    keepAlive: true,
    maxSockets: Number.POSITIVE_INFINITY,
    // A local server whose kubeconfig names no CA, such as a bare kube-apiserver.
    ...(ca ? { ca } : { rejectUnauthorized: false }),
    ...(certificate && key && { cert: certificate, key }),
  });
  const open = (method: string, path: string, contentType = 'application/json') =>
    httpsRequest({
      agent,
      host: hostname,
      port,
      method,
      path,
      headers: { 'content-type': contentType, ...(token && { authorization: `Bearer ${token}` }) },
    });
  return {
    /** Sends a request and reads the whole response; throws unless it succeeds or its status is one of `also`. */
    send: (
      method: string,
      path: string,
      { body, contentType, also = [] }: { body?: string; contentType?: string; also?: number[] } = {},
    ): Promise<{ status: number; text: string }> =>
      new Promise((resolve, reject) => {
        const call = open(method, path, contentType);
        call.on('error', reject).on('response', (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part)).on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(parts).toString();
            const status = response.statusCode ?? 0;
            if (status < 300 || also.includes(status)) resolve({ status, text });
            else reject(new Error(`${method} ${path}: ${status} ${text}`));
          });
        });
        call.end(body);
      }),
    /** Resolves when the response begins. */
    watch: (path: string, onBytes: (bytes: Buffer) => void): Promise<void> =>
      new Promise((resolve, reject) => {
        const call = open('GET', path);
        call.on('error', reject).on('response', (response) => {
          if (response.statusCode !== 200) reject(new Error(`GET ${path}: ${response.statusCode}`));
          response.on('data', onBytes).on('error', () => {});
          resolve();
        });
        call.end();
      }),
    close: () => agent.destroy(),
  };
};
export type LoadClient = ReturnType<typeof clientOf>;

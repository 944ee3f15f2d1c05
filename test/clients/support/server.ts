/** A server in this process on a port of its own, with the kinds of Kubernetes itself and one custom kind. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../adapters/memory/clock.ts';
import { memoryKeys } from '../../../adapters/memory/keys.ts';
import { memoryNotifier } from '../../../adapters/memory/notifier.ts';
import { systemRandom } from '../../../adapters/memory/random.ts';
import { memoryTable } from '../../../adapters/memory/table.ts';
import { serve } from '../../../adapters/node/index.ts';
import { createAuthority, issue } from '../../../adapters/pki/index.ts';
import { configMap } from '../../../kinds/config-map/index.ts';
import { coreEvent, event } from '../../../kinds/event/index.ts';
import { lease } from '../../../kinds/lease/index.ts';
import { namespace } from '../../../kinds/namespace/index.ts';
import { secret } from '../../../kinds/secret/index.ts';
import { service } from '../../../kinds/service/index.ts';
import { crdKind, publishedCrds } from '../../../machinery/server/crds.ts';
import { createRegistry, createServer, ensureNamespaces, namespaceExtension } from '../../../machinery/server/index.ts';
import { openStore } from '../../../machinery/store/index.ts';
import { widget } from './widget.ts';

export const token = 'a-token-for-tests';

export interface RunningServer {
  port: number;
  url: string;
  kubeconfig: string;
  directory: string;
  close(): Promise<void>;
}

const kubeconfigFor = (port: number, authority: string, bearer = token) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'capstan',
    contexts: [{ name: 'capstan', context: { cluster: 'capstan', user: 'me' } }],
    clusters: [
      {
        name: 'capstan',
        cluster: {
          server: `https://127.0.0.1:${port}`,
          'certificate-authority-data': Buffer.from(authority).toString('base64'),
        },
      },
    ],
    users: [{ name: 'me', user: { token: bearer } }],
  });

export const createTestServer = async () => {
  const kinds = [namespace, secret, configMap, coreEvent, event, lease, service, widget];
  const registry = createRegistry(kinds, { namespaces: namespaceExtension });
  registry.add(crdKind, publishedCrds(registry, systemClock.now()));
  const store = openStore({
    table: memoryTable({ clock: systemClock }),
    clock: systemClock,
    random: systemRandom,
    keys: memoryKeys(systemRandom),
    kinds,
    notifier: memoryNotifier(systemClock),
  });
  await ensureNamespaces(store, systemClock, systemRandom);
  const server = createServer({
    kinds: registry,
    store,
    clock: systemClock,
    random: systemRandom,
    authenticate: (request) =>
      request.headers.get('authorization') === `Bearer ${token}`
        ? { username: 'tester', groups: ['system:authenticated'] }
        : undefined,
    version: {
      major: '1',
      minor: '33',
      gitVersion: 'v1.33.0+capstan',
      gitCommit: '',
      gitTreeState: 'clean',
      buildDate: '2026-01-01T00:00:00Z',
      goVersion: '',
      compiler: '',
      platform: 'linux/amd64',
    },
    log: { info: () => undefined, error: (message, keys) => console.error(message, keys) },
  });
  return { server, store, registry };
};

/** Serves in this process. */
export const serveHere = async (port = 0): Promise<RunningServer> => {
  const { server } = await createTestServer();
  const now = Date.now();
  const ca = createAuthority({ subject: { commonName: 'test' }, days: 2, algorithm: 'ECDSA-P256', now });
  const identity = issue({
    subject: { commonName: 'test' },
    sans: ['127.0.0.1', 'localhost'],
    usages: ['server'],
    ca,
    days: 1,
    now,
    algorithm: 'ECDSA-P256',
  });
  const listener = await serve({ port, identity: () => identity, fetch: server.fetch });
  const directory = mkdtempSync(join(tmpdir(), 'capstan-clients-'));
  const kubeconfig = join(directory, 'kubeconfig');
  writeFileSync(kubeconfig, kubeconfigFor(listener.port, ca.certificate), { mode: 0o600 });
  return {
    port: listener.port,
    url: `https://127.0.0.1:${listener.port}`,
    kubeconfig,
    directory,
    close: async () => {
      await listener.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

/** Serves in a process of its own. */
export const startServer = async (): Promise<RunningServer> => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const running = JSON.parse(line.toString()) as Omit<RunningServer, 'close'>;
  return {
    ...running,
    close: async () => {
      child.stdin.end();
      if (child.exitCode === null) await once(child, 'exit');
      rmSync(running.directory, { recursive: true, force: true });
    },
  };
};

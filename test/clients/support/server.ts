/** An in-process server on its own port, with the built-in kinds of Kubernetes and one custom kind. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '../../../adapters/node/index.ts';
import { createAuthority, issue } from '../../../adapters/pki/index.ts';
import { createTestServer, token } from '../../server/world.ts';

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

/** Serves in a separate process. */
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

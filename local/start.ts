/** The control plane on a laptop: a data directory, a port of 127.0.0.1, everything else in this process. */
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openKeys } from '../adapters/durable/keys.ts';
import { openObjectDirectory } from '../adapters/durable/object-directory.ts';
import { openStorage } from '../adapters/durable/storage.ts';
import { systemClock } from '../adapters/memory/clock.ts';
import { seededRandom, systemRandom } from '../adapters/memory/random.ts';
import { type Listener, type NodeNetwork, nodeNetwork, serve } from '../adapters/node/index.ts';
import { fileScratch } from '../adapters/snapshots/scratch.ts';
import { sealedStorage } from '../adapters/snapshots/sealed.ts';
import { newInstallationSpec } from '../kinds/capstan/installation/new.ts';
import { pushPath } from '../kinds/core/contract/push/configuration.ts';
import type { Freeze } from '../kinds/ports/installation.ts';
import { unavailable } from '../machinery/api/errors.ts';
import type { Random } from '../machinery/ports.ts';
import { failureResponse } from '../machinery/server/status.ts';
import { storedFormat } from '../machinery/store/format.ts';
import { auditFileOf, fileAudit } from './audit-file.ts';
import {
  type Credentials,
  expectReadable,
  kubeconfigOf,
  loadCredentials,
  saveCredentials,
  writeKubeconfig,
} from './credentials.ts';
import { stderrLog } from './log.ts';
import { fileLog, logFileOf } from './log-file.ts';
import { createSystem, type System } from './system.ts';

/** Why the control plane cannot start, in one line for its user. */
export class StartError extends Error {}

export interface LocalOptions {
  data: string;
  port?: number;
  speed?: number;
  seed?: number;
  requireCni?: boolean;
  apiOnly?: boolean;
  /** True by default. */
  workflows?: boolean;
}

export interface Local {
  port: number;
  /** Why the installation is frozen; undefined while it acts. */
  freeze(): Freeze | undefined;
  close(): Promise<void>;
}

/**
 * Recorded before any random draw: a restart with the same seed would otherwise repeat the draws for other
 * objects.
 */
const begin = (directory: string): Credentials => {
  const before = loadCredentials(directory, systemRandom, systemClock.now());
  const credentials = { ...before, format: storedFormat, starts: (before.starts ?? 0) + 1 };
  saveCredentials(directory, credentials);
  return credentials;
};

/** Derives the seed of each start from the given one, so that a restart repeats no draw. */
const randomOf = (seed: number | undefined, { starts }: Credentials): Random =>
  seed === undefined
    ? systemRandom
    : seededRandom(createHash('sha256').update(`${seed} ${starts}`).digest().readUInt32BE());

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

/** Opens the directory, or throws a one-line reason. */
const openDirectory = (directory: string) => {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    expectReadable(directory);
    return {
      objects: openStorage(join(directory, 'objects')),
      account: openStorage(join(directory, 'account')),
      keys: openKeys(join(directory, 'objects'), systemRandom),
      snapshotKeys: openKeys(join(directory, 'snapshot-keys'), systemRandom),
      credentials: begin(directory),
    };
  } catch (error) {
    throw new StartError(
      `cannot use the data directory ${directory}: ${(error as Error).message}; choose another with --data`,
      { cause: error },
    );
  }
};

type Serve = (port: number) => Promise<Listener>;

/** The port asked for, else the one used before, else a free one. */
const listen = async (serveOn: Serve, { port }: LocalOptions, { port: last }: Credentials): Promise<Listener> => {
  try {
    return await serveOn(port ?? last ?? 0);
  } catch (error) {
    const isBusy = codeOf(error) === 'EADDRINUSE';
    if (isBusy && port === undefined) return serveOn(0);
    const why = isBusy ? 'is in use; choose another with --port' : `cannot be used: ${(error as Error).message}`;
    throw new StartError(`port ${port ?? last} ${why}`, { cause: error });
  }
};

/** The first read of the directory may fail, for example because another key encrypted it. */
const startFrom = async (system: { start(): Promise<void> }, directory: string): Promise<void> => {
  try {
    await system.start();
  } catch (error) {
    throw new StartError(`cannot start from the data directory ${directory}: ${(error as Error).message}`, {
      cause: error,
    });
  }
};

/** Objects and kubeconfigs name the ports of workload clusters, so other ports cannot replace them. */
const requirePorts = async (network: NodeNetwork, directory: string): Promise<void> => {
  const busy = await network.busy();
  if (busy.length === 0) return;
  const ports = `${busy.length === 1 ? 'port' : 'ports'} ${busy.join(', ')}`;
  throw new StartError(
    `${ports} of the workload clusters in ${directory} ${busy.length === 1 ? 'is' : 'are'} in use: end the process that has ${busy.length === 1 ? 'it' : 'them'}, such as that of another copy of the directory, or choose another with --data`,
  );
};

/** On a local disk, space is cheaper than the CPU to compress small bodies. */
export const packFrom = 16 * 1024;

export const startLocal = async (options: LocalOptions): Promise<Local> => {
  const { data } = options;
  const { objects, account, keys, snapshotKeys, credentials } = openDirectory(data);
  const snapshots = openObjectDirectory({
    directory: join(data, 'snapshots'),
    clock: systemClock,
    random: systemRandom,
  });
  const log = fileLog(logFileOf(data), stderrLog, systemClock.now);
  const network = nodeNetwork(log);
  const systemAt = (port: number): System =>
    createSystem({
      ...options,
      push: { url: `https://127.0.0.1:${port}${pushPath}`, certificateAuthority: credentials.authority.certificate },
      certificateAuthority: credentials.authority.certificate,
      clock: systemClock,
      random: randomOf(options.seed, credentials),
      keys,
      objects: objects.table('objects'),
      work: objects.table('work'),
      account,
      network,
      log,
      // A snapshot holds the cluster's Secrets in clear.
      files: sealedStorage(snapshots, keys),
      // They outlive the key of the objects.
      keyFiles: sealedStorage(snapshots, snapshotKeys),
      toScratch: fileScratch,
      installation: credentials.installation,
      newInstallation: newInstallationSpec,
      // As in a real account, a key pair exists if a user created it; manifests often name this one.
      behaviour: { keyPairs: ['default'] },
      token: credentials.token,
      audit: fileAudit(auditFileOf(data)),
      packFrom,
    });
  let system: System | undefined;
  const { certificate, key } = credentials.serving;
  const serveOn: Serve = (port) =>
    serve({
      port,
      identity: () => ({ certificate, key }),
      fetch: async (request) =>
        system?.server.fetch(request) ?? failureResponse(unavailable('the control plane starts')),
      onError: (error) => log.error('A connection failed', { error }),
    });
  let listener: Listener | undefined;
  const close = async () => {
    await listener?.close();
    await system?.stop();
    await network.end();
    objects.close();
    account.close();
  };
  try {
    listener = await listen(serveOn, options, credentials);
    // User data names the port, so the port is known before a controller runs.
    system = systemAt(listener.port);
    await startFrom(system, data);
    await requirePorts(network, data);
    saveCredentials(data, { ...credentials, port: listener.port });
    writeKubeconfig(kubeconfigOf(data), credentials, listener.port);
    return { port: listener.port, freeze: system.freeze, close };
  } catch (error) {
    await close();
    throw error;
  }
};

/** The port of etcd snapshots over a transport and a storage. */

import { connectionOf } from '../../kinds/ports/kubeconfig.ts';
import {
  nothingStored,
  type SnapshotCheck,
  type SnapshotEffects,
  type SnapshotReads,
} from '../../kinds/ports/snapshots.ts';
import type { Transport } from '../../kinds/ports/transport.ts';
import { WorkloadError } from '../../kinds/ports/workload.ts';
import { BrokenDatabase } from '../../machinery/bolt.ts';
import type { Port } from '../../machinery/controller/index.ts';
import { ObjectDamaged, type ObjectStorage } from '../../machinery/object-storage.ts';
import type { Clock } from '../../machinery/ports.ts';
import { snapshotFrom, snapshotPath } from '../workload/etcd-snapshot.ts';
import { copyOf } from './copy.ts';
import { createDeleted } from './deleted.ts';
import { type Manifest, manifestIn, manifestKeyOf, onceOf } from './files.ts';
import { type Inspected, inspect } from './inspect.ts';
import { createKeptKeys } from './kept-keys.ts';
import type { LinkTo } from './links.ts';
import type { ToScratch } from './scratch.ts';

export interface SnapshotsOptions {
  transport: Pick<Transport, 'etcdStream'>;
  storage: ObjectStorage;
  /** Of the keys beside the files, encrypted under a key of their own. */
  keyStorage: ObjectStorage;
  linkTo: LinkTo;
  toScratch: ToScratch;
  clock: Pick<Clock, 'now'>;
}

/** Milliseconds: an upload must end before its pass loses its lease, or two would write one file. */
const longestUpload = 90_000;

async function* until(content: AsyncIterable<Uint8Array>, end: number, clock: Pick<Clock, 'now'>) {
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (clock.now() > end)
      throw new WorkloadError('Timeout', `only ${size} bytes arrived within ${longestUpload / 1000} s`);
    yield chunk;
  }
}

const codeOf = (error: unknown): string =>
  error instanceof ObjectDamaged || error instanceof BrokenDatabase ? 'Damaged' : 'InternalError';

/** Why the file is not the one that was stored. */
const faultOf = (manifest: Manifest, found: Omit<Inspected, 'fileChecksum'>): string | undefined => {
  if (found.size !== manifest.size) return `the file has ${found.size} bytes, not ${manifest.size}`;
  if (found.checksum !== manifest.checksum) return 'the file is valid, but not the one that was stored';
  if (found.revision < manifest.revision)
    return `the file ends at revision ${found.revision}, before revision ${manifest.revision} at which it began`;
  return undefined;
};

export const createSnapshots = ({ transport, storage, keyStorage, linkTo, toScratch, clock }: SnapshotsOptions) => {
  const deleted = createDeleted(storage);
  const keptKeys = createKeptKeys(keyStorage);

  // In this order: without its manifest a file counts as incomplete.
  const remove = async (location: string): Promise<void> => {
    await storage.delete(manifestKeyOf(location));
    await keptKeys.delete(location);
    await storage.delete(location);
  };
  const complete = (location: string, manifest: Omit<Manifest, 'file'>): Promise<void> => {
    const whole: Manifest = { ...manifest, file: location };
    return storage.put(manifestKeyOf(location), onceOf(`${JSON.stringify(whole, undefined, 2)}\n`));
  };

  const take = async ({ location, manifest, secrets, ...access }: SnapshotEffects['Take']): Promise<void> => {
    const { kubeconfig, nodes, ...proof } = access;
    const [node] = nodes;
    if (node === undefined) throw new WorkloadError('NotFound', 'no etcd member to read');
    const end = clock.now() + longestUpload;
    await remove(location);
    const etcd = { connection: connectionOf(kubeconfig), node, ...proof };
    const { content, summary } = snapshotFrom(await transport.etcdStream(etcd, snapshotPath, {}));
    await storage.put(location, until(content, end, clock));
    await keptKeys.put(location, manifest, secrets);
    await complete(location, { ...manifest, ...summary() });
  };

  const copy = async ({ from, checksum, without, location, manifest }: SnapshotEffects['Copy']): Promise<void> => {
    const end = clock.now() + longestUpload;
    await remove(location);
    const source = await storage.get(from);
    if (!source) throw new WorkloadError('NotFound', 'the file of the snapshot is gone');
    const scratch = await toScratch(source);
    try {
      if (inspect(scratch).checksum !== checksum)
        throw new ObjectDamaged('the file is not the snapshot that was taken');
      const { content, summary } = copyOf(scratch, without);
      await storage.put(location, until(content, end, clock));
      await complete(location, { ...manifest, ...summary() });
    } finally {
      scratch.dispose();
    }
  };

  const recover = async ({ from, location, manifest }: SnapshotEffects['Recover']): Promise<void> => {
    const end = clock.now() + longestUpload;
    await remove(location);
    const content = await storage.getDeleted(from);
    if (!content) throw new WorkloadError('NotFound', 'nothing is kept of the deleted file');
    await storage.put(location, until(content, end, clock));
    const { secrets, ...withoutSecrets } = manifest;
    const hasKeys = await keptKeys.recover(from, location);
    await complete(location, { ...withoutSecrets, ...(hasKeys && secrets && { secrets }) });
  };

  /** The controller retries at its own intervals, by which its deadline holds. */
  const retried = async (run: Promise<void>): Promise<void> => {
    try {
      await run;
    } catch (error) {
      const { code = codeOf(error), message } = error as Error & { code?: string };
      throw new WorkloadError(code, message, { cause: error, consequence: 'wait' });
    }
  };

  const check = async ({ location }: SnapshotReads['Check'][0]): Promise<SnapshotCheck | undefined> => {
    const text = await storage.get(manifestKeyOf(location));
    if (!text) return undefined;
    let manifest: Manifest;
    try {
      manifest = await manifestIn(text);
    } catch (error) {
      if (error instanceof ObjectDamaged) return { stored: nothingStored, fault: error.message };
      throw error;
    }
    const { size, checksum, member, etcdVersion, copy: report, secrets } = manifest;
    const stored = {
      size,
      checksum,
      member,
      etcdVersion,
      ...(report && { copy: report }),
      ...(secrets && { secrets }),
    };
    const content = await storage.get(location);
    if (!content) return { stored, fault: 'the file is gone' };
    try {
      const scratch = await toScratch(content);
      try {
        const { fileChecksum, ...found } = inspect(scratch);
        const fault = faultOf(manifest, found);
        return {
          stored: { ...stored, fileChecksum },
          revision: found.revision,
          keys: found.keys,
          ...(fault !== undefined && { fault }),
        };
      } catch (error) {
        return { stored, fault: (error as Error).message };
      } finally {
        scratch.dispose();
      }
    } catch (error) {
      if (error instanceof ObjectDamaged) return { stored, fault: error.message };
      throw error;
    }
  };

  return {
    check,
    link: async ({ location, seconds }: SnapshotReads['Link'][0]) => ({ url: await linkTo(location, seconds) }),
    take: (input: SnapshotEffects['Take']) => retried(take(input)),
    copy: (input: SnapshotEffects['Copy']) => retried(copy(input)),
    recover: (input: SnapshotEffects['Recover']) => retried(recover(input)),
    keys: ({ location, namespace }: SnapshotReads['Keys'][0]) => keptKeys.get(location, namespace),
    listDeleted: deleted.list,
    getDeleted: deleted.get,
    delete: ({ location }: SnapshotEffects['Delete']): Promise<void> => remove(location),
  };
};
export type Snapshots = ReturnType<typeof createSnapshots>;

export const snapshotsPort = (snapshots: Snapshots): Required<Port> => ({
  read: async (operation, input) => {
    switch (operation as keyof SnapshotReads) {
      case 'Check':
        return snapshots.check(input as SnapshotReads['Check'][0]);
      case 'Link':
        return snapshots.link(input as SnapshotReads['Link'][0]);
      case 'Keys':
        return snapshots.keys(input as SnapshotReads['Keys'][0]);
      case 'ListDeleted':
        return snapshots.listDeleted(input as SnapshotReads['ListDeleted'][0]);
      case 'GetDeleted':
        return snapshots.getDeleted(input as SnapshotReads['GetDeleted'][0]);
      default:
        throw new Error(`snapshots cannot be asked for ${operation}`);
    }
  },
  call: async (operation, input) => {
    switch (operation as keyof SnapshotEffects) {
      case 'Take':
        return snapshots.take(input as SnapshotEffects['Take']);
      case 'Copy':
        return snapshots.copy(input as SnapshotEffects['Copy']);
      case 'Recover':
        return snapshots.recover(input as SnapshotEffects['Recover']);
      case 'Delete':
        return snapshots.delete(input as SnapshotEffects['Delete']);
      default:
        throw new Error(`snapshots cannot be asked to ${operation}`);
    }
  },
});

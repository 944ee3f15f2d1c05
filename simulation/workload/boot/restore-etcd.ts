/** The script that puts a snapshot into etcd's data directory: what it downloads, and whether it is right. */
import { createHash } from 'node:crypto';
import type { Machine } from '../machine.ts';

const variable = (script: string, name: string): string | undefined =>
  new RegExp(`^${name}='([^']*)'$`, 'm').exec(script)?.[1];

/** Bytes of the hash that ends a snapshot. */
const hashBytes = 32;

/** Undefined if the script is another one. */
const requestIn = (script: string) => {
  const [url, checksum] = [variable(script, 'url'), variable(script, 'checksum')];
  const bump = /--bump-revision (\d+)/.exec(script)?.[1];
  return url !== undefined && checksum !== undefined && /\bsnapshot restore\b/.test(script)
    ? { url, checksum, bump: Number(bump ?? 0) }
    : undefined;
};

/** The file, or what the script that refuses it prints. */
export const downloadSnapshot = async (
  { services }: Machine,
  { url, checksum }: { url: string; checksum: string },
): Promise<Uint8Array | { refused: string[] }> => {
  const file = await services.download?.(url);
  if (!file)
    return {
      refused: ['curl: (22) The requested URL returned error: 403', 'restore-etcd: the snapshot cannot be downloaded'],
    };
  const hash = createHash('sha256').update(file.subarray(0, -hashBytes)).digest();
  if (!hash.equals(file.subarray(-hashBytes)) || hash.toString('hex') !== checksum)
    return { refused: ['restore-etcd: the file is not the snapshot'] };
  return file;
};

/** The exit status; undefined for a script that is none of a restore. */
export const restoreEtcd = async (machine: Machine, script: string): Promise<number | undefined> => {
  const request = requestIn(script);
  if (!request) return undefined;
  const file = await downloadSnapshot(machine, request);
  if ('refused' in file) {
    machine.print(...file.refused);
    return 1;
  }
  machine.record.restore = request;
  machine.save();
  machine.print('restored snapshot {"path": "/var/lib/capstan-restore/snapshot.db"}');
  return 0;
};

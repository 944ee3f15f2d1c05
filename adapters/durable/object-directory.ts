/** Objects as files of a directory. */
import { createReadStream } from 'node:fs';
import { link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { type DeletedObject, deletedFor, KeyTaken, type ObjectStorage } from '../../machinery/object-storage.ts';
import type { Clock, Random } from '../../machinery/ports.ts';

const day = 24 * 3600 * 1000;
/** Milliseconds after which a part belongs to a process that died, and a deleted file is removed. */
const keptFor = { parts: day, deleted: deletedFor };
const part = '.part';
/** Between the key of a deleted file and what tells it from others of that key; no key contains it. */
const separator = '~';

export interface ObjectDirectoryOptions {
  directory: string;
  clock: Pick<Clock, 'now'>;
  random: Random;
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;
/** Undefined for a file that is not there. */
const ifThere = async <T>(operation: Promise<T>): Promise<T | undefined> => {
  try {
    return await operation;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
};

async function* contentOf(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path, { highWaterMark: 1024 * 1024 });
}

export const openObjectDirectory = ({ directory, clock, random }: ObjectDirectoryOptions): ObjectStorage => {
  const trash = join(directory, '.deleted');
  const pathOf = (key: string): string => {
    const steps = key.split('/');
    if (steps.some((step) => step === '' || step.startsWith('.'))) throw new Error(`${key} is no key of an object`);
    return join(directory, ...steps);
  };

  /** Removes files by their last change. */
  const sweep = async (paths: readonly string[], age: number) => {
    for (const path of paths) {
      const seen = await ifThere(stat(path));
      if (seen && clock.now() - seen.mtimeMs > age) await rm(path, { force: true });
    }
  };

  const partsIn = async (folder: string): Promise<string[]> =>
    ((await ifThere(readdir(folder))) ?? []).filter((name) => name.endsWith(part)).map((name) => join(folder, name));

  const filesInTrash = async (): Promise<string[]> => {
    const entries = (await ifThere(readdir(trash, { recursive: true, withFileTypes: true }))) ?? [];
    return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  };

  /** The last deleted file of each key without a file. */
  const keptFiles = async (): Promise<(DeletedObject & { path: string })[]> => {
    const last = new Map<string, DeletedObject & { path: string }>();
    for (const path of await filesInTrash()) {
      const [key, id] = relative(trash, path).split(separator);
      const seen = await ifThere(stat(path));
      // Older versions kept deleted files without their keys.
      if (!key || id === undefined || !seen || clock.now() - seen.mtimeMs > keptFor.deleted) continue;
      const deletedAt = Math.floor(seen.mtimeMs);
      if ((last.get(key)?.deletedAt ?? -1) < deletedAt) last.set(key, { key, deletedAt, path });
    }
    const kept: (DeletedObject & { path: string })[] = [];
    for (const one of last.values()) if (!(await ifThere(stat(pathOf(one.key))))) kept.push(one);
    return kept;
  };

  const write = async (path: string, content: AsyncIterable<Uint8Array>): Promise<void> => {
    const file = await open(path, 'wx', 0o600);
    try {
      for await (const chunk of content) await file.writeFile(chunk);
      // A file that survives a power failure only by name would pass for a good one.
      await file.sync();
    } finally {
      await file.close();
    }
  };

  return {
    put: async (key, content) => {
      const path = pathOf(key);
      const draft = `${path}.${random.uuid()}${part}`;
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await sweep(await partsIn(dirname(path)), keptFor.parts);
      try {
        await write(draft, content);
        // Unlike a rename, a link never replaces a file.
        await link(draft, path);
      } catch (error) {
        throw codeOf(error) === 'EEXIST' ? new KeyTaken(`${key} is taken`) : error;
      } finally {
        await rm(draft, { force: true });
      }
    },
    get: async (key) => {
      const path = pathOf(key);
      return (await ifThere(stat(path))) && contentOf(path);
    },
    delete: async (key) => {
      const path = pathOf(key);
      await sweep(await filesInTrash(), keptFor.deleted);
      const kept = `${join(trash, key)}${separator}${random.uuid()}`;
      await mkdir(dirname(kept), { recursive: true, mode: 0o700 });
      if ((await ifThere(rename(path, kept).then(() => true))) === undefined) return;
      // Its age counts from the deletion.
      const now = new Date(clock.now());
      const file = await open(kept, 'r');
      try {
        await file.utimes(now, now);
      } finally {
        await file.close();
      }
    },
    deleted: async (prefix) =>
      (await keptFiles())
        .filter(({ key }) => key.startsWith(prefix))
        .map(({ key, deletedAt }) => ({ key, deletedAt }))
        .sort((a, b) => (a.key < b.key ? -1 : 1)),
    getDeleted: async (key) => {
      const kept = (await keptFiles()).find((one) => one.key === key);
      return kept && contentOf(kept.path);
    },
  };
};

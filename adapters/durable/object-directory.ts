/** Objects as files of a directory. */
import { createReadStream } from 'node:fs';
import { link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { KeyTaken, type ObjectStorage } from '../../machinery/object-storage.ts';
import type { Clock, Random } from '../../machinery/ports.ts';

const day = 24 * 3600 * 1000;
/** Milliseconds after which a part belongs to a process that died, and a deleted file is removed. */
const keptFor = { parts: day, deleted: 30 * day };
const part = '.part';

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

  /** Removes the files that `isOld` names, by their last change. */
  const sweep = async (folder: string, age: number, isOld: (name: string) => boolean) => {
    for (const name of (await ifThere(readdir(folder))) ?? []) {
      const path = join(folder, name);
      const seen = isOld(name) ? await ifThere(stat(path)) : undefined;
      if (seen && clock.now() - seen.mtimeMs > age) await rm(path, { force: true });
    }
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
      await sweep(dirname(path), keptFor.parts, (name) => name.endsWith(part));
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
      await mkdir(trash, { recursive: true, mode: 0o700 });
      await sweep(trash, keptFor.deleted, () => true);
      const kept = join(trash, `${random.uuid()}-${basename(path)}`);
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
  };
};

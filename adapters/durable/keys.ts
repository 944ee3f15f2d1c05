import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Keys, Random } from '../../machinery/ports.ts';
import { memoryKeys } from '../memory/keys.ts';

const masterBytes = 32;

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT';
const isThere = (error: unknown) => (error as NodeJS.ErrnoException).code === 'EEXIST';

/** The whole key or none: a crash in between must not leave half a key behind encrypted objects. */
const createMaster = (file: string, random: Random): void => {
  const draft = `${file}.${random.uuid()}`;
  writeFileSync(draft, random.bytes(masterBytes), { mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!isThere(error)) throw error;
  } finally {
    rmSync(draft);
  }
};

const readMaster = (file: string): Uint8Array => {
  const master = readFileSync(file);
  if (master.length !== masterBytes)
    throw new Error(`${file} is not a key: it has ${master.length} bytes, not ${masterBytes}`);
  return master;
};

/** Envelope encryption under a master key in `directory/key`, made at first use and readable by its owner only. */
export const openKeys = (directory: string, random: Random): Keys => {
  const file = join(directory, 'key');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  try {
    return memoryKeys(random, readMaster(file));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  createMaster(file, random);
  return memoryKeys(random, readMaster(file));
};

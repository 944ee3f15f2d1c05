/** Deletes the state in an emulator's folder, so that the next one starts with an empty account. */
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { portsOf } from './ports.ts';

/** A file that each folder of an emulator contains. */
const mark = 'ports.json';

/** Rejects for any other folder, and while an emulator runs on it. */
export const emptied = async (folder: string, say?: (line: string) => void): Promise<void> => {
  if (!existsSync(folder) || (await readdir(folder)).length === 0) return;
  if (!existsSync(join(folder, mark)))
    throw new Error(`${folder} is no folder of an emulator: it has no ${mark}. Nothing was deleted`);
  await portsOf(folder, say);
  await rm(folder, { recursive: true });
};

/** Deletes what an emulator has left in its folder, so that the next one starts with an empty account. */
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { portsOf } from './ports.ts';

/** Each folder of an emulator has it. */
const mark = 'ports.json';

/** Rejects for a folder of anything else, and while an emulator runs on it. */
export const emptied = async (folder: string, say?: (line: string) => void): Promise<void> => {
  if (!existsSync(folder) || (await readdir(folder)).length === 0) return;
  if (!existsSync(join(folder, mark)))
    throw new Error(`${folder} is no folder of an emulator: it has no ${mark}. Nothing was deleted`);
  await portsOf(folder, say);
  await rm(folder, { recursive: true });
};

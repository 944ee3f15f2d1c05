/** What the emulator lost when it stopped: each server leaves a note that it removes once its state is saved. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

interface Saved {
  /** A description of the server's state. */
  what: string;
  note: string;
  /** A file that is written with each save. */
  state: string;
}

const servers = (folder: string): Saved[] => [
  {
    what: 'instances, networks and load balancers',
    note: join(folder, 'moto.pickle.unsaved'),
    state: join(folder, 'moto.pickle'),
  },
  {
    what: 'tables, queues, functions and everything else',
    note: join(folder, 'state', 'unsaved'),
    state: join(folder, 'state', 'dynamodb.json'),
  },
];

const unlessMissing = async <T>(read: Promise<T>): Promise<T | undefined> => {
  try {
    return await read;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

/** A message for each part of the state that is older than the end of the last run. Call it before the servers start. */
export const lossesIn = async (folder: string): Promise<string[]> => {
  const losses: string[] = [];
  for (const { what, note, state } of servers(folder)) {
    const reason = await unlessMissing(readFile(note, 'utf8'));
    if (reason === undefined) continue;
    const saved = await unlessMissing(stat(state));
    const from = saved ? `are as they were at ${saved.mtime.toISOString()}` : 'are gone';
    losses.push(`The last run did not save its state (${reason}): ${what} ${from}.`);
  }
  if (losses.length > 0) losses.push('To begin with an empty account: --reset');
  return losses;
};

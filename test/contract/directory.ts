import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStorage } from '../../adapters/durable/storage.ts';
import type { Clock, Table } from '../../machinery/ports.ts';

/** A durable table in a directory that ends with the test. */
export const inDirectory = async (clock: Clock): Promise<{ table: Table; close: () => void }> => {
  const directory = mkdtempSync(join(tmpdir(), 'capstan-'));
  const storage = openStorage(directory, clock);
  return {
    table: storage.table('objects'),
    close: () => {
      storage.close();
      rmSync(directory, { recursive: true });
    },
  };
};

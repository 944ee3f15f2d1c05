import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStorage, type StorageOptions } from '../../adapters/durable/storage.ts';
import type { Clock, Table } from '../../machinery/ports.ts';

/** A durable table in a directory that is removed after the test. */
export const inDirectory = async (
  clock: Clock,
  options?: StorageOptions,
): Promise<{ table: Table; close: () => void }> => {
  const directory = mkdtempSync(join(tmpdir(), 'capstan-'));
  const storage = openStorage(directory, clock, options);
  return {
    table: storage.table('objects'),
    close: () => {
      storage.close();
      rmSync(directory, { recursive: true });
    },
  };
};

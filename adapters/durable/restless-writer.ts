/** Runs as a process of its own in the test: writes and says so until it is killed. */
import { writeSync } from 'node:fs';
import { openStorage } from './storage.ts';

const storage = openStorage(process.argv[2]!);
const table = storage.table('objects');
const records = storage.records<{ n: number }>('things');
const counter = await table.get({ pk: 'p', sk: 'counter' }, { consistent: true });
for (let n = ((counter?.n as number | undefined) ?? 0) + 1; ; n++) {
  await table.transact(`token-${n}`, [
    { put: { pk: 'p', sk: 'counter', n } },
    { put: { pk: 'log', sk: n, bytes: new Uint8Array(2000) } },
  ]);
  records.put(`r${n}`, { n });
  writeSync(1, `${n}\n`);
}

/** A child process of the test: writes and reports each write until it is killed. Several run at once. */
import { writeSync } from 'node:fs';
import { openStorage } from './storage.ts';

const [directory, writers] = [process.argv[2]!, Number(process.argv[3])];
const storage = openStorage(directory);
const table = storage.table('objects');
const records = storage.records<{ n: number }>('things');

const write = async (writer: number) => {
  const key = { pk: 'p', sk: `counter-${writer}` };
  const counter = await table.get(key, { consistent: true });
  for (let n = ((counter?.n as number | undefined) ?? 0) + 1; ; n++) {
    await table.transact(`token-${writer}-${n}`, [
      { put: { ...key, n } },
      { put: { pk: `log-${writer}`, sk: n, bytes: new Uint8Array(2000) } },
    ]);
    if (writer === 0) records.put(`r${n}`, { n });
    writeSync(1, `${writer} ${n}\n`);
  }
};
await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { seededRandom } from '../memory/random.ts';
import { openKeys } from './keys.ts';
import { openStorage } from './storage.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'capstan-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

describe('durable storage', () => {
  it('keeps everything in the order of the first put across a restart', async () => {
    const first = openStorage(join(directory, 'made', 'for', 'it'));
    const records = first.records<{ n: number; list?: string[] }>('a');
    for (const id of ['z', 'y', 'x']) records.put(id, { n: 1 });
    records.put('y', { n: 2, list: ['one'] });
    records.delete('x');
    first.records('b').put('z', { n: 9 });
    await first.table('t').write({ put: { pk: 'p', sk: 1, bytes: new Uint8Array([7]) } });
    await first.table('dropped').write({ put: { pk: 'p', sk: 1 } });
    first.dropTable('dropped');
    first.close();

    const second = openStorage(join(directory, 'made', 'for', 'it'));
    expect(second.records('a').entries()).toEqual([
      ['z', { n: 1 }],
      ['y', { n: 2, list: ['one'] }],
    ]);
    expect(second.records('b').get('z')).toEqual({ n: 9 });
    const item = await second.table('t').get({ pk: 'p', sk: 1 }, { consistent: true });
    expect([...(item!.bytes as Uint8Array)]).toEqual([7]);
    const { items } = await second.table('dropped').query({ pk: 'p', consistent: true });
    expect(items).toEqual([]);
    second.close();
  });

  it('returns copies of records', () => {
    const storage = openStorage(directory);
    const records = storage.records<{ list: number[] }>('a');
    records.put('x', { list: [1] });
    records.get('x')!.list.push(2);
    expect(records.get('x')).toEqual({ list: [1] });
    storage.close();
  });

  it('is readable by its owner only', () => {
    const storage = openStorage(directory);
    storage.records('a').put('x', {});
    openKeys(directory, seededRandom(1));
    const others = () => readdirSync(directory).filter((file) => statSync(join(directory, file)).mode & 0o077);
    expect(readdirSync(directory)).toContain('state.sqlite-wal');
    expect(others()).toEqual([]);
    storage.close();
    expect(others()).toEqual([]);
  });

  it('reports in one line that a directory cannot be opened', () => {
    const file = join(directory, 'file');
    writeFileSync(file, 'not a directory');
    expect(() => openStorage(file)).toThrow(`cannot open ${file}: `);
    const broken = join(directory, 'broken');
    mkdirSync(broken);
    writeFileSync(join(broken, 'state.sqlite'), 'this is not a database at all '.repeat(100));
    expect(() => openStorage(broken)).toThrow(`cannot open ${broken}: `);
  });
});

it('reports why a write failed when no file may grow', () => {
  const program = `
    const { openStorage } = await import(process.argv[1]);
    const table = openStorage(process.argv[2]).table('t');
    for (let sk = 0; ; sk++) await table.write({ put: { pk: 'p', sk, bytes: new Uint8Array(2000) } });`;
  const args = ['ulimit -f 200; exec "$0" "$@"', process.execPath, '--input-type=module', '-e', program];
  const storage = join(import.meta.dirname, 'storage.ts');
  const { stderr } = spawnSync('sh', ['-c', ...args, storage, directory], { encoding: 'utf8' });
  expect(stderr).toContain('Error: disk I/O error');
});

describe('the keys of a directory', () => {
  it('unwrap data keys of an earlier process, under the same context only', async () => {
    const { key, wrapped } = await openKeys(directory, seededRandom(1)).dataKey({ namespace: 'a' });
    const again = openKeys(directory, seededRandom(2));
    expect(Buffer.from(await again.unwrap(wrapped, { namespace: 'a' }))).toEqual(Buffer.from(key));
    await expect(again.unwrap(wrapped, { namespace: 'b' })).rejects.toThrow();
  });
});

it('report a truncated key file', () => {
  writeFileSync(join(directory, 'key'), 'short');
  expect(() => openKeys(directory, seededRandom(1))).toThrow('is not a key: it has 5 bytes, not 32');
});

describe('a killed process', () => {
  const writers: ChildProcess[] = [];
  afterEach(() => {
    for (const writer of writers.splice(0)) writer.kill('SIGKILL');
  });

  /** Runs until the process has printed `least` lines; `outputOf` returns the last number printed by each writer. */
  const startWriter = async (least: number, count = 1) => {
    const program = join(import.meta.dirname, 'restless-writer.ts');
    const writer = spawn(process.execPath, [program, directory, String(count)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    writers.push(writer);
    let text = '';
    writer.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    while (text.split('\n').length <= least) await once(writer.stdout, 'data');
    const outputOf = () => {
      const lines = text.slice(0, text.lastIndexOf('\n')).split('\n');
      return new Map(lines.map((line) => line.split(' ').map(Number) as [number, number]));
    };
    return { writer, outputOf };
  };

  it.each([
    { count: 1, rule: 'leaves whole transactions and every acknowledged write, each time it is killed' },
    { count: 8, rule: 'does so when several writers share a database transaction' },
  ])('$rule', async ({ count }) => {
    for (let round = 1; round <= 3; round++) {
      const { writer, outputOf } = await startWriter(20 * round * count, count);
      writer.kill('SIGKILL');
      await once(writer, 'close');
      const storage = openStorage(directory);
      const table = storage.table('objects');
      expect(outputOf().size).toBe(count);
      for (const [index, number] of outputOf()) {
        const key = { pk: 'p', sk: `counter-${index}` };
        const { n } = (await table.get(key, { consistent: true })) as unknown as { n: number };
        expect(n).toBeGreaterThanOrEqual(number);
        const last = await table.query({ pk: `log-${index}`, descending: true, limit: 1, consistent: true });
        expect(last.items[0]!.sk).toBe(n);
      }
      expect(storage.records('things').get(`r${outputOf().get(0)}`)).toEqual({ n: outputOf().get(0) });
      storage.close();
    }
  });

  it('locks the directory while it runs', async () => {
    await startWriter(1);
    expect(() => openStorage(directory)).toThrow(`cannot open ${directory}: another process uses it`);
  });
});

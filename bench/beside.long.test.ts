import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compare, startCapstan } from './api/beside.ts';
import { type Load, sequencesIn } from './api/loads.ts';
import { collection, objectOf } from './api/objects.ts';
import { clientOf } from './api/target.ts';

describe('the number parser of a stream', () => {
  const text = '{"labels":{"sequence":"00000012"}}\n{"labels":{"a":"b"}}\n{"labels":{"sequence":"00000345","x":"y"}}\n';
  const bytes = Buffer.from(text);

  it('finds each number once, wherever a chunk ends', () => {
    for (let first = 0; first <= bytes.length; first++) {
      const seen: number[] = [];
      const take = sequencesIn((sequence) => seen.push(sequence));
      take(bytes.subarray(0, first));
      take(bytes.subarray(first));
      expect(seen).toEqual([12, 345]);
    }
  });

  it('finds numbers that arrive byte by byte', () => {
    const seen: number[] = [];
    const take = sequencesIn((sequence) => seen.push(sequence));
    for (let at = 0; at < bytes.length; at++) take(bytes.subarray(at, at + 1));
    expect(seen).toEqual([12, 345]);
  });
});

describe('a comparison', () => {
  let capstan: Awaited<ReturnType<typeof startCapstan>>;
  beforeAll(async () => {
    capstan = await startCapstan();
  }, 60_000);
  afterAll(() => capstan.stop());

  it('loads both servers, each in its own process', async () => {
    const { target } = capstan;
    const client = clientOf(target);
    for (const name of ['bench-0', 'bench-1']) await client.send('POST', collection, { body: objectOf(name) });
    client.close();
    const loads: Load[] = [
      { of: 'patch', objects: 2, calls: 4, concurrency: 2 },
      { of: 'fan-out', objects: 2, watchers: 3, perSecond: 20, seconds: 1 },
    ];
    const seen: string[] = [];
    for await (const { load, ours, theirs } of compare(target, target, loads, 1)) {
      seen.push(load);
      for (const { perSecond, p50, p99, missing } of [ours, theirs]) {
        expect(perSecond).toBeGreaterThan(0);
        expect(p50).toBeGreaterThan(0);
        expect(p99).toBeGreaterThanOrEqual(p50);
        expect(missing).toBe(0);
      }
    }
    expect(seen).toEqual(['patch at 2', '3 watches × 20 changes a second']);
  }, 60_000);
});

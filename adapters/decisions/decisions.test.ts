import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../memory/clock.ts';
import { memoryObjects } from '../memory/object-storage.ts';
import { decisionsPort } from './index.ts';

const contentOf = async (storage: ReturnType<typeof memoryObjects>, key: string): Promise<unknown> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await storage.get(key))!) chunks.push(chunk);
  return JSON.parse(gunzipSync(Buffer.concat(chunks)).toString('utf8'));
};

describe('the port of decisions', () => {
  it('stores a record in the place of an older one', async () => {
    const storage = memoryObjects(systemClock);
    const { call } = decisionsPort(storage);
    await call('Keep', { location: 'a/0', record: { made: 1 } });
    await call('Keep', { location: 'a/0', record: { made: 2 } });
    expect(storage.keys()).toEqual(['a/0']);
    expect(await contentOf(storage, 'a/0')).toEqual({ made: 2 });
  });
  it('deletes what is there', async () => {
    const storage = memoryObjects(systemClock);
    const { call } = decisionsPort(storage);
    await call('Keep', { location: 'a/1', record: {} });
    await call('Delete', { locations: ['a/0', 'a/1'] });
    expect(storage.keys()).toEqual([]);
  });
  it('is asked for nothing', async () => {
    const { read, call } = decisionsPort(memoryObjects(systemClock));
    await expect(read('Link', {})).rejects.toThrow('cannot be asked for Link');
    await expect(call('Burn', {})).rejects.toThrow('cannot be asked to Burn');
  });
});

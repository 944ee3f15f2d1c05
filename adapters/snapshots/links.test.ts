import { describe, expect, it } from 'vitest';
import { systemClock } from '../memory/clock.ts';
import { memoryObjects } from '../memory/object-storage.ts';
import { createLinks } from './links.ts';

const storage = memoryObjects(systemClock);
let now = 1_000_000;
const links = createLinks({ storage, secret: 'secret', clock: { now: () => now } });
const key = 'installation/uid/2026-11-27T05:00:10Z-40-12345678.db';

const contentOf = async (url: string): Promise<string | undefined> => {
  const content = await links.open(url);
  if (!content) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
};

describe('a link to an object', async () => {
  await storage.put(
    key,
    (async function* () {
      yield Buffer.from('content');
    })(),
  );
  const link = await links.linkTo(key, 60);

  it('leads to it until its end', async () => {
    now = 1_060_000;
    expect(await contentOf(link)).toBe('content');
    now = 1_061_000;
    expect(await contentOf(link)).toBeUndefined();
    now = 1_000_000;
  });

  it.each([
    { rule: 'of another object', url: link.replace('12345678', '12345679') },
    { rule: 'of a later end', url: link.replace(/expires=(\d+)/, (_, end) => `expires=${Number(end) + 1}`) },
    { rule: 'without a signature', url: link.replace(/&signature=.*/, '') },
    { rule: 'of another secret', url: link.replace(/.$/, (last) => (last === '0' ? '1' : '0')) },
    { rule: 'of another place', url: link.replace('/snapshots/', '/account/') },
  ])('is refused if it is one $rule', async ({ url }) => expect(await contentOf(url)).toBeUndefined());
});

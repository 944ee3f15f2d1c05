import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { upstreamKeys } from '../../tools/upstream-keys.ts';

it('The table of upstream’s labels and annotations is that of its sources', () => {
  expect(readFileSync(join(import.meta.dirname, '../upstream/keys.json'), 'utf8')).toBe(upstreamKeys());
}, 120_000);

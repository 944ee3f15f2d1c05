/** How much more than its AWS clients a function loads at start. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compare, floorOf } from '../../bench/start.ts';
import { bundle, functions } from '../../tools/bundle.mjs';

const limit = 1.2;
/** Samples per function: at least, and at most while the ratio exceeds its limit. */
const runs = { least: 7, most: 60 };

let out = '';
let made: Awaited<ReturnType<typeof bundle>> = {};

beforeAll(async () => {
  out = mkdtempSync(join(tmpdir(), 'capstan-loading-'));
  made = await bundle(out);
});
afterAll(() => rmSync(out, { recursive: true, force: true }));

it.each(Object.keys(functions))('%s', async (name) => {
  const floor = await floorOf(made[name]!, join(out, `${name}-floor`), 'whole');
  const seen = compare(
    join(out, name, 'index.mjs'),
    floor,
    runs.least,
    ({ least, floor: of }, run) => least / of < limit || run >= runs.most,
  );
  expect(seen.least / seen.floor).toBeLessThan(limit);
});

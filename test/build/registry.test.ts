import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { registries } from '../../tools/registry.ts';

const root = join(import.meta.dirname, '../..');

it('holds every kind and controller of kinds/ (`npm run registry` writes it)', async () => {
  const written = Object.entries(await registries());
  const read = written.map(([path]) => [path, readFileSync(join(root, path), 'utf8')]);
  expect(Object.fromEntries(read)).toEqual(Object.fromEntries(written));
});

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

it('reach.json matches the bundles of the functions: node tools/reach.mjs writes it', { timeout: 120_000 }, () => {
  const found = execFileSync(join(root, 'node_modules/.bin/node'), [join(root, 'tools/reach.mjs'), '--print']);
  expect(readFileSync(join(root, 'cdk/permissions/reach.json'), 'utf8')).toBe(found.toString());
});

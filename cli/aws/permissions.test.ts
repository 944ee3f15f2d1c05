import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { callerPermissions, needed } from './permissions.ts';

const folder = join(import.meta.dirname, '..');
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(file),
);
const sent = new Set(
  sources.flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/\bnew ([A-Z]\w*?)Command\(/g)].map(([, name]) => name!),
  ),
);

it('declares exactly the commands that are sent to AWS', () =>
  expect([...sent].sort()).toEqual(Object.keys(callerPermissions).sort()));

it('maps every action to the Capstan command that needs it', () => {
  const all = new Set(Object.values(needed).flat());
  expect(Object.values(callerPermissions).flatMap((actions) => actions.filter((one) => !all.has(one)))).toEqual([]);
});

it.each(Object.entries(needed))('documents the actions for %s', (_, actions) => {
  const text = readFileSync(join(folder, '..', 'docs', 'deployment.md'), 'utf8');
  expect(actions.filter((action) => !text.includes(action))).toEqual([]);
});

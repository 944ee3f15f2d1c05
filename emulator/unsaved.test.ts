import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { lossesIn } from './unsaved.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unsaved-'));
  await mkdir(join(folder, 'state'));
});
afterEach(() => rm(folder, { recursive: true }));

it('reports nothing after a clean shutdown or in a new folder', async () => {
  await writeFile(join(folder, 'moto.pickle'), '');
  expect(await lossesIn(folder)).toEqual([]);
  expect(await lossesIn(join(folder, 'new'))).toEqual([]);
});

it('reports since when changes are lost, and why', async () => {
  await writeFile(join(folder, 'moto.pickle'), '');
  await utimes(join(folder, 'moto.pickle'), 1_795_000_000, 1_795_000_000);
  await writeFile(join(folder, 'moto.pickle.unsaved'), 'it was killed');
  await writeFile(join(folder, 'state', 'unsaved'), 'it could not save sqs');
  const [moto, ministack, remedy] = await lossesIn(folder);
  expect(moto).toBe(
    'The last run did not save its state (it was killed): instances, networks and load balancers are as they were at 2026-11-18T11:06:40.000Z.',
  );
  expect(ministack).toMatch(/it could not save sqs\): tables, .* are gone\.$/);
  expect(remedy).toContain('--reset');
});

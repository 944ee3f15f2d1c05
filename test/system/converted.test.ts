/** A manifest of an older version, converted, becomes a cluster. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { exitCodeOf } from '../../cli/convert/changes.ts';
import { convert, joined } from '../../cli/convert/convert.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { documentValue, yamlDocuments } from '../../machinery/api/yaml.ts';
import { expectWhole, isSettled } from './checks.ts';
import { createWorld, type World } from './world.ts';

let world: World;
afterEach(() => world.end());

it('becomes Available, with a cloud controller manager', { timeout: 120_000 }, async () => {
  const name = 'old-cluster.yaml';
  const { texts, changes } = await convert([{ name, text: readFileSync(join(import.meta.dirname, name), 'utf8') }]);
  expect(exitCodeOf(changes)).toBe(0);
  world = await createWorld();
  for (const document of yamlDocuments(joined(texts))) await world.apply(documentValue(document) as KubeObject);
  await world.until('settled', () => isSettled(world), 30);
  expectWhole(world);
  const [binding] = world.all('ClusterResourceSetBinding');
  expect(binding?.spec?.bindings).toMatchObject([{ resources: [{ applied: true, kind: 'ConfigMap' }] }]);
});

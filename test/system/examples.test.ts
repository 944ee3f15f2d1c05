/** The API takes every manifest in examples/ as it stands; examples.long.test.ts brings them up. */
import { afterEach, expect, it } from 'vitest';
import { exampleNames } from '../../cli/examples.ts';
import { example } from './manifests.ts';
import { createWorld, type World } from './world.ts';

let world: World;
afterEach(() => world.end());

it('takes them without a warning', async () => {
  world = await createWorld();
  for (const name of exampleNames()) {
    for (const object of example(`${name}.yaml`)) {
      const path = `${world.pathOf(object)}?fieldValidation=Strict&dryRun=All`;
      const { code, body } = await world.request('POST', path, object);
      expect(code, `${name}: ${object.kind} ${object.metadata.name}: ${body.message}`).toBe(201);
    }
  }
});

it('finds what they share the same in all, so that one does not change the clusters of another', () => {
  const shared = exampleNames()
    .flatMap((name) => example(`${name}.yaml`))
    .filter(({ metadata }) => metadata.name === 'cloud-controller-manager');
  for (const object of shared) expect(object).toEqual(shared.find(({ kind }) => kind === object.kind));
});

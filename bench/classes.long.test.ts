import { expect, it } from 'vitest';
import { runClasses } from './classes/run.ts';
import type { Measured } from './fleet/measure.ts';

it('the bench of classes shows what a change costs its clusters', async () => {
  const found: Record<string, Measured> = {};
  const errors = await runClasses({ clusters: 2, variables: 8, patches: 6 }, (what, measured) => {
    found[what] = measured;
  });
  expect(errors).toEqual([]);
  const [creation, description, infrastructure, workers] = Object.values(found);
  expect(creation?.detail.calls.RunInstances).toBe(4);
  // Each Cluster is looked at once, and its record of the class's generation is all that is written.
  expect(description?.detail.passes.topology).toBe(2);
  expect(description?.phase).toMatchObject({ mutatingCloudCalls: 0, virtualSeconds: 0 });
  expect(infrastructure?.phase.mutatingCloudCalls).toBeGreaterThan(0);
  expect(infrastructure?.detail.calls.RunInstances).toBeUndefined();
  expect(workers?.detail.calls.RunInstances).toBe(2);
});

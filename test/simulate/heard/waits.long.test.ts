import { expect, it } from 'vitest';
import { simulate } from '../simulation.ts';
import { listenToWaits, type Waits } from './waits.ts';

const lives = [
  { seed: 7, scenario: 'interference' },
  { seed: 324, action: 'upgrade the control plane' },
] as const;

it('lets no controller wait without a reason', async () => {
  const silent = new Set<string>();
  const tried = new Set<string>();
  for (const life of lives) {
    let waits: Waits | undefined;
    const { failure } = await simulate({
      ...life,
      only: [],
      listen: (world) => {
        waits = listenToWaits(world);
        return waits;
      },
    });
    expect(failure).toBeUndefined();
    // A Cluster has the prober's reason only after a second probe has failed: a single one may be lost.
    for (const one of waits!.silent()) if (!one.startsWith('workload-prober: ')) silent.add(one);
    for (const one of waits!.tried()) tried.add(one);
  }
  expect([...tried]).toContain('kubeadm-control-plane: workload get ConfigMap kubeadm-config');
  expect([...silent]).toEqual([]);
});

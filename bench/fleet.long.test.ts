import { describe, expect, it } from 'vitest';
import { criticalPath } from './fleet/critical-path.ts';
import { parseOptions } from './fleet/options.ts';
import { figuresOf, tableOf } from './fleet/report.ts';
import { runFleet } from './fleet/run.ts';
import { runStorm, stormText } from './fleet/storm.ts';

describe('the fleet bench', () => {
  it('measures the creation, settling, idling, rollout and deletion of a fleet', async () => {
    const options = { ...parseOptions(['--clusters', '2', '--workers', '2', '--add-ons']), idleHours: 2, units: true };
    const { phases, left } = await runFleet(options);
    const figures = figuresOf(options, phases);
    expect(left).toEqual([]);
    expect(figures).toMatchObject({ clusters: 2, machines: 6 });
    const { create, settle, idle, rollout, delete: end } = figures.phases;
    for (const phase of [create, rollout, end]) {
      expect(phase.objectWrites).toBeGreaterThan(0);
      expect(phase.mutatingCloudCalls).toBeGreaterThan(0);
      expect(phase.virtualSeconds).toBeGreaterThan(30);
    }
    expect(settle).toMatchObject({ mutatingCloudCalls: 0, virtualSeconds: 70 * 60 });
    expect(idle).toMatchObject({ objectWrites: 0, mutatingCloudCalls: 0, virtualSeconds: 2 * 3600 });
    // A worker of each template, and the control plane once.
    expect(phases.create.detail.calls.RunInstances).toBeGreaterThanOrEqual(6);
    expect(phases.create.detail.writes['clusterresourcesetbindings.addons.cluster.x-k8s.io']).toBeGreaterThanOrEqual(4);
    expect(phases.rollout.detail.calls.RunInstances).toBeGreaterThanOrEqual(4);
    expect(tableOf(figures, phases, criticalPath(options))).toContain('2 clusters, 6 machines');
    // Later clusters wait for hardly more than the simulated account and hosts.
    expect(create.virtualSeconds).toBeGreaterThanOrEqual(criticalPath(options));
    expect(create.virtualSeconds).toBeLessThanOrEqual(criticalPath(options) * 1.07);
  });

  it('creates a fleet at once under throughput limits', async () => {
    const { figures, errors } = await runStorm(parseOptions(['--clusters', '12', '--storm']));
    expect(errors).toEqual([]);
    expect(figures).toMatchObject({ clusters: 12, refused: 0 });
    expect(figures.objects).toBeGreaterThan(12 * 5);
    expect(figures.available).toBeGreaterThan(30);
    expect(figures.quiet).toBeGreaterThan(figures.creating);
    expect(stormText(figures)).toContain('12 clusters at once');
  });

  it.each([
    {
      rule: 'rejects a fleet without clusters',
      args: ['--clusters', '0'],
      message: '--clusters is a whole number from 1',
    },
    { rule: 'rejects an unknown key type', args: ['--keys', 'dsa'], message: '--keys is one of rsa, ecdsa' },
    { rule: 'rejects an unknown option', args: ['--cluster', '1'], message: "Unknown option '--cluster'" },
  ])('$rule', ({ args, message }) => expect(() => parseOptions(args)).toThrow(message));
});

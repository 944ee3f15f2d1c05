import { afterEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../machinery/api/object.ts';
import { expectNothingDoubled, expectWhole, isSettled } from './checks.ts';
import { example } from './manifests.ts';
import { createWorld, type World } from './world.ts';

let world: World;
afterEach(() => world.end());

const applyAll = async (objects: KubeObject[]) => {
  for (const object of objects) await world.apply(object);
};
const difference = (before: Record<string, number>, after: Record<string, number>) =>
  Object.fromEntries(Object.entries(after).filter(([name, count]) => count !== before[name]));

describe.each(['quickstart.yaml', 'classic-load-balancer.yaml', 'three-control-planes.yaml'])('%s', (name) => {
  it('becomes Available, complete and owned; then nothing happens', async () => {
    world = await createWorld();
    world.onCommit(({ type }) => type.startsWith('aws') && expectNothingDoubled(world));
    await applyAll(example(name));
    await world.until('settled', () => isSettled(world), 30);
    expectWhole(world);
    for (const machine of world.all('Machine')) {
      expect(machine.status?.nodeRef?.name, machine.metadata.name).toMatch(/^ip-/);
      expect(machine.status?.phase).toBe('Running');
      expect(machine.status?.failureDomain).toMatch(/^eu-(central|west)-1[abc]$/);
    }
    const [binding] = world.all('ClusterResourceSetBinding');
    expect(binding?.spec?.bindings).toMatchObject([{ resources: [{ applied: true, kind: 'ConfigMap' }] }]);

    // The last changes cause work for minutes; the orphan search comes ten minutes after the first AWSCluster.
    await world.pass(11);
    const calls = world.calls();
    const changes: string[] = [];
    // Events expire after an hour, as in any cluster.
    world.onCommit(({ type, name: object }) => type !== 'events' && changes.push(`${type} ${object}`));
    await world.pass(120);
    expect(changes).toEqual([]);
    expect(difference(calls, world.calls(true))).toEqual({});
    // Reads belong to the hourly resync and the orphan search, not to polling: no action more than a few times
    // per machine and hour, or six times an hour in total.
    const most = Math.max(
      ...Object.entries(difference(calls, world.calls())).map(([action, count]) => count - (calls[action] ?? 0)),
    );
    expect(most).toBeLessThanOrEqual(2 * 3 * (world.all('AWSMachine').length + 1) + 2 * 6);
    expect(isSettled(world)).toBe(true);
  });
});

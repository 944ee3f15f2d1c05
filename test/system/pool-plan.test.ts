/** Pools whose settings are in the ScalingPlan, as a repository of manifests has them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../machinery/api/object.ts';
import { yamlDocuments } from '../../machinery/api/yaml.ts';
import { expectWhole, isSettled } from './checks.ts';
import { settledMoment } from './moments.ts';
import { cluster, isDeciding, nodesIn, placedIn, poolLike, replicasOf, run, sizes } from './pools.fixture.ts';
import { createWorld, type Moment, type World } from './world.ts';

let quickstart: Moment;
let world: World;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);
afterEach(() => world.end());

const pool = 'burst';
const open = async (seed: number) => {
  world = await createWorld({ from: quickstart, seed });
};
const fast = { 'cluster.x-k8s.io/autoscaling-options-scaledownunneededtime': '2m' };
const planWith = (entry: object, name = cluster): KubeObject => ({
  apiVersion: 'capstan.dev/v1alpha1',
  kind: 'ScalingPlan',
  metadata: { name, namespace: 'default' },
  spec: { clusterName: name, pools: [{ name: pool, ...entry }] },
});
const post = (object: KubeObject) => world.request('POST', world.pathOf(object), object);
const created = async (object: KubeObject) => expect((await post(object)).code).toBe(201);
const notApplied = () => world.condition('ScalingPlan', cluster, 'SettingsNotApplied');
const becomes = (reason: string) => world.until(reason, () => notApplied()?.reason === reason, 5);

/** The manifest in the documentation. */
const documented = (): KubeObject => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/autoscaling.md'), 'utf8');
  const [, text = ''] = /```yaml\n(apiVersion: capstan\.dev\/v1alpha1\nkind: ScalingPlan\n[^`]*)```/.exec(page) ?? [];
  return yamlDocuments(text)[0]!.toJS() as KubeObject;
};

describe('a pool that only the plan declares', () => {
  it('scales from zero for pending pods, and back to its minimum', async () => {
    await open(1);
    await created(planWith({ min: 1, max: 5 }));
    await becomes('NoMachineDeployment');
    await created(poolLike(world, pool, fast));
    expect(replicasOf(world, pool), 'begins with its minimum').toBe(1);
    await world.until('opted in', () => isDeciding(world), 5);
    expect(notApplied()).toMatchObject({ status: 'False', reason: 'SettingsApplied' });
    await world.apply(planWith({ min: 0, max: 5 }));
    await world.until('none', () => replicasOf(world, pool) === 0 && nodesIn(world, pool) === 0, 20);
    await run(world, 6);
    await world.until('nodes', () => nodesIn(world, pool) === 4, 20);
    await world.pass(2);
    expect(await placedIn(world)).toBe(6);
    await world.apply(planWith({ min: 1, max: 5 }));
    await run(world, 0);
    await world.until('the minimum', () => replicasOf(world, pool) === 1 && nodesIn(world, pool) === 1, 20);
    await world.until('settled', () => isSettled(world), 20);
    expectWhole(world);
  });

  it('is told who changes its replicas', async () => {
    await open(2);
    await created(poolLike(world, pool, fast));
    await created(planWith({ min: 2, max: 5 }));
    await world.until('the minimum', () => replicasOf(world, pool) === 2, 5);
    expect((await world.scale('MachineDeployment', pool, 3)).code).toBe(200);
    const { annotations } = world.find('MachineDeployment', pool)!.metadata;
    expect(annotations).toHaveProperty(['capstan.dev/replicas-set-by']);
  });
});

describe('settings in both places', () => {
  it('are refused where they differ, whichever is written last', async () => {
    await open(3);
    await created(planWith({ min: 0, max: 5 }));
    const refused = await post(poolLike(world, pool, sizes(0, 7)));
    expect([refused.code, refused.body.message]).toEqual([
      422,
      expect.stringContaining(
        'metadata.annotations[capstan.dev/autoscale-max]: Invalid value: "7": ScalingPlan default/quickstart says 5 in spec.pools[burst].max: keep one of the two',
      ),
    ]);
    await created(poolLike(world, pool, sizes(0, 5)));
    const changed = await world.patch('ScalingPlan', cluster, { spec: { pools: [{ name: pool, min: 0, max: 6 }] } });
    expect([changed.code, changed.body.message]).toEqual([
      422,
      expect.stringContaining(
        'spec.pools[0].max: Invalid value: 6: MachineDeployment default/burst says "5" in the annotation capstan.dev/autoscale-max: keep one of the two',
      ),
    ]);
  });

  it('leave the pool alone where a race stored them, until one is removed', async () => {
    await open(4);
    await created(planWith({ min: 0, max: 5 }));
    await created(poolLike(world, pool, sizes(0, 5)));
    await world.until('opted in', () => isDeciding(world), 5);
    await world.wait(
      world.system.store.commit('scalingplans.capstan.dev', { namespace: 'default', name: cluster }, (current) => ({
        do: 'put',
        object: { ...current!, spec: planWith({ min: 0, max: 6 }).spec },
      })),
    );
    await becomes('Contradiction');
    await run(world, 6);
    await world.pass(5);
    expect(replicasOf(world, pool)).toBe(0);
    await world.patch('ScalingPlan', cluster, { spec: { pools: [] } });
    await becomes('SettingsApplied');
    await world.until('nodes', () => nodesIn(world, pool) === 4, 20);
  });
});

it('the plan in the documentation is one', async () => {
  await open(5);
  await created(documented());
});

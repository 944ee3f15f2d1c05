/** Pools that cannot create Machines leave their pods to others. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../machinery/api/object.ts';
import { settledMoment } from './moments.ts';
import {
  guestOf,
  isDeciding,
  machinesIn,
  nodesIn,
  placedIn,
  planOf,
  poolLike,
  replicasOf,
  run,
  sizes,
} from './pools.fixture.ts';
import { createWorld, type Moment, type World } from './world.ts';

let quickstart: Moment;
let world: World;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);
afterEach(() => world.end());

const open = async (seed: number, workflows = false) => {
  world = await createWorld({ from: quickstart, seed, workflows });
};

const condition = () => world.condition('ScalingPlan', 'quickstart', 'GrowthBlocked');
type PoolSpec = { template: { spec: { version: string; bootstrap: { configRef: object } } } };
const optIn = async (...pools: KubeObject[]) => {
  for (const one of pools) await world.apply(one);
  await world.until('opted in', () => isDeciding(world), 5);
};
const podEvents = async (): Promise<string[]> =>
  (await world.wait(guestOf(world).list<KubeObject & { message?: string }>('events'))).flatMap(
    ({ message }) => message ?? [],
  );

/** A pool whose bootstrap template does not exist. */
const dangling = (name: string): KubeObject => {
  const pool = poolLike(world, name, sizes(0, 5));
  const { template } = pool.spec as PoolSpec;
  const configRef = { ...template.spec.bootstrap.configRef, name: 'absent' };
  return {
    ...pool,
    spec: { ...(pool.spec as object), template: { spec: { ...template.spec, bootstrap: { configRef } } } },
  } as KubeObject;
};
const absentTemplate = (): KubeObject => {
  const { apiVersion, kind, spec } = world.find('KubeadmConfigTemplate', 'quickstart-workers') as KubeObject;
  return { apiVersion, kind, metadata: { name: 'absent', namespace: 'default' }, spec } as KubeObject;
};

describe('a pool without its bootstrap template', () => {
  it('leaves its pods to another pool', async () => {
    await open(1);
    await optIn(dangling('a-dangling'), poolLike(world, 'other', sizes(0, 5)));
    await run(world, 4);
    await world.until('nodes', () => nodesIn(world, 'other') === 2, 15);
    await world.pass(2);
    expect([replicasOf(world, 'a-dangling'), await placedIn(world)]).toEqual([0, 4]);
    expect(condition()).toMatchObject({ status: 'True', reason: 'CannotCreateMachines' });
  });

  it('says so, and grows once the template exists', async () => {
    await open(2);
    await optIn(dangling('dangling'));
    await run(world, 4);
    await world.pass(3);
    const why = 'no Machine can be created: KubeadmConfigTemplate does not exist';
    expect(replicasOf(world, 'dangling')).toBe(0);
    expect(planOf(world)?.status?.pools).toMatchObject([{ blocked: why }]);
    expect(planOf(world)?.status?.refused).toBe(2);
    expect(await podEvents()).toContain(`No pool is scaled up: dangling: ${why}`);
    await world.apply(absentTemplate());
    await world.until('nodes', () => nodesIn(world, 'dangling') === 2, 15);
    await world.pass(2);
    expect(await placedIn(world)).toBe(4);
    expect(condition()?.status).toBe('False');
  });
});

describe('an upgrade', () => {
  const version = 'v1.36.0';
  const toVersion = async (kind: 'KubeadmControlPlane' | 'MachineDeployment', name: string, spec: object) =>
    expect((await world.patch(kind, name, { spec })).code).toBe(200);
  const workers = { template: { spec: { version } } };

  it('that leaves a pool at its minor keeps it from growing, until its version is set', async () => {
    await open(3, true);
    await optIn(poolLike(world, 'a-old', sizes(0, 5)));
    await toVersion('KubeadmControlPlane', 'quickstart-control-plane', { version });
    await toVersion('MachineDeployment', 'quickstart-workers', workers);
    const upgraded = () => machinesIn(world, 'quickstart-workers').every(({ spec }) => spec?.version === version);
    await world.until('upgraded', upgraded, 90);
    await world.pass(5);
    await run(world, 8);
    await world.pass(3);
    expect(replicasOf(world, 'a-old')).toBe(0);
    expect(condition()?.message).toContain('do not conform to kubeadm version skew policy');
    await toVersion('MachineDeployment', 'a-old', workers);
    await world.until('nodes', () => nodesIn(world, 'a-old') > 0, 30);
    expect(condition()?.status).toBe('False');
  });

  it('in progress is no reason', async () => {
    await open(4, true);
    await optIn(poolLike(world, 'burst', sizes(0, 5)));
    const seen = new Set<string | undefined>();
    world.onCommit(() => {
      seen.add(condition()?.status);
    });
    await toVersion('KubeadmControlPlane', 'quickstart-control-plane', { version });
    for (const name of ['quickstart-workers', 'burst']) await toVersion('MachineDeployment', name, workers);
    await world.pass(2);
    await run(world, 8);
    await world.until('nodes', () => nodesIn(world, 'burst') > 1, 90);
    await world.until('placed', () => planOf(world)?.status?.pending === 0, 30);
    expect([...seen]).toEqual(['False']);
  });
});

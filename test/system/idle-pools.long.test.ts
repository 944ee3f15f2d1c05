/** Many pools at rest: no AWS call and no write is made because of them. */
import { afterAll, expect, it } from 'vitest';
import type { KubeObject } from '../../machinery/api/object.ts';
import { isSettled } from './checks.ts';
import { example } from './manifests.ts';
import { createWorld, type World } from './world.ts';

const names = ['a', 'b', 'c', 'd'];
const poolsEach = 50;

const documents = (name: string): KubeObject[] =>
  JSON.parse(JSON.stringify(example('quickstart.yaml')).replaceAll('quickstart', name)) as KubeObject[];

const poolsOf = (name: string): KubeObject[] => {
  const { apiVersion, kind, spec } = documents(name).find((one) => one.kind === 'MachineDeployment')!;
  const { replicas: _, template, ...more } = spec as { replicas?: number; template: { spec: object } };
  return Array.from({ length: poolsEach }, (_one, at) => ({
    apiVersion,
    kind,
    metadata: {
      name: `${name}-pool-${at}`,
      namespace: 'default',
      annotations: { 'capstan.dev/autoscale-min': '0', 'capstan.dev/autoscale-max': '5' },
    },
    spec: { ...more, selector: {}, template: { spec: template.spec } },
  }));
};

/** AWS calls of an hour, with those of the account sweeps. */
const idleHourOf = async (world: World) => {
  const total = () => Object.values(world.calls()).reduce((sum, count) => sum + count, 0);
  const decisions = () =>
    Object.entries(world.passes).reduce((sum, [key, count]) => sum + (key.includes('#autoscaler#') ? count : 0), 0);
  const before = { calls: total(), decisions: decisions() };
  let writes = 0;
  const stop = world.onCommit(() => {
    writes++;
  });
  await world.pass(60);
  stop();
  return { writes, calls: total() - before.calls, decisions: decisions() - before.decisions };
};

const created = async (hasPools: boolean): Promise<World> => {
  const world = await createWorld({ reports: true });
  const objects = names.flatMap((name) => [...documents(name), ...(hasPools ? poolsOf(name) : [])]);
  for (const object of objects) {
    const { code, body } = await world.apply(object);
    // The clusters share some objects.
    expect([200, 201], body.message).toContain(code);
  }
  await world.until('settled', () => isSettled(world), 60);
  await world.pass(90);
  return world;
};

let world: World | undefined;
afterAll(() => world?.end());

it(`${names.length} clusters with ${poolsEach} idle pools each make no write, and no call beyond those without pools`, async () => {
  world = await created(false);
  const without = await idleHourOf(world);
  world.end();
  world = await created(true);
  expect(world.all('ScalingPlan')).toHaveLength(names.length);
  const rest = await idleHourOf(world);
  expect(rest).toMatchObject({ writes: 0, calls: without.calls });
  expect(rest.decisions).toBeLessThanOrEqual(names.length * 13);
}, 600_000);

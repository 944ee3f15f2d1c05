/** EC2 takes spot instances away: their Machines are replaced and drained within seconds of the notice. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { NodeObject, PodObject } from '../../simulation/workload/objects.ts';
import { expectWhole, isSettled } from './checks.ts';
import { settledMoment } from './moments.ts';
import {
  cluster,
  eventsAbout,
  isDeciding,
  nodesIn,
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

const pool = 'spot';
const second = 1000;
const objects = (annotations: Record<string, string>): KubeObject[] => {
  const workers = world.find('MachineDeployment', 'quickstart-workers')!;
  const template = world.find('AWSMachineTemplate', 'quickstart-workers')!;
  const { clusterName, bootstrap, infrastructureRef, version } = workers.spec!.template.spec;
  const spec = { ...template.spec!.template.spec, spotMarketOptions: { maxPrice: '0.05' } };
  return [
    {
      apiVersion: template.apiVersion,
      kind: template.kind,
      metadata: { name: pool, namespace: 'default' },
      spec: { template: { spec } },
    },
    {
      apiVersion: workers.apiVersion,
      kind: workers.kind,
      metadata: { name: pool, namespace: 'default', annotations },
      spec: {
        clusterName,
        replicas: 2,
        selector: {},
        template: {
          spec: { clusterName, bootstrap, version, infrastructureRef: { ...infrastructureRef, name: pool } },
        },
      },
    },
  ];
};
const machines = () =>
  world
    .all('Machine')
    .filter(({ metadata }) => metadata.labels?.['cluster.x-k8s.io/deployment-name'] === pool)
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
const instanceOf = ({ spec }: KubeObject): string => (spec as { providerID?: string }).providerID!.split('/').at(-1)!;
const guest = () => world.system.guests.clusters.all()[0]!;
const nodeOf = (name: string) => world.wait(guest().get('nodes', '', name)) as Promise<NodeObject | undefined>;

const open = async (seed: number, annotations: Record<string, string> = {}) => {
  world = await createWorld({ from: quickstart, seed });
  for (const object of objects(annotations)) expect((await world.apply(object)).code).toBe(201);
  await world.until('the pool runs', () => machines().length === 2 && isSettled(world), 20);
  const [victim] = machines();
  return { name: victim!.metadata.name, id: instanceOf(victim!), node: victim!.status!.nodeRef!.name };
};
const seconds = (count: number) => world.pass(count / 60);
const isGoing = (name: string) => world.find('Machine', name)?.metadata.deletionTimestamp !== undefined;
const replaced = async (name: string) => {
  await world.until(`${name} is gone`, () => world.find('Machine', name) === undefined, 30);
  await world.until('settled', () => isSettled(world), 30);
  expect(machines()).toHaveLength(2);
  expectWhole(world);
};

it('marks the Nodes of spot instances', async () => {
  const { node } = await open(1);
  expect((await nodeOf(node))?.metadata.labels).toHaveProperty(['cluster.x-k8s.io/interruptible']);
});

describe('a warning', () => {
  it('starts the drain and the replacement within five seconds', async () => {
    const { name, id, node } = await open(2);
    world.system.account.interrupt(id);
    await seconds(5);
    expect(isGoing(name)).toBe(true);
    expect((await nodeOf(node))?.spec?.unschedulable).toBe(true);
    expect(machines()).toHaveLength(3);
    expect(world.condition('Machine', name, 'HostInterrupted')).toMatchObject({ reason: 'SpotInterruption' });
    await replaced(name);
  });

  it.each([
    1, 2, 3, 4, 5, 6, 8, 11, 15, 20,
  ])('is acted on once, whatever the process is killed at (change %i)', async (n) => {
    const { name, id } = await open(3);
    world.crashAfter(n);
    world.system.account.interrupt(id);
    // A killed process may lose the warning. Then the end of the instance tells.
    await world.until('the Machine is being deleted', () => isGoing(name), 4);
    expect(machines().length).toBeLessThanOrEqual(3);
    await replaced(name);
  });

  it('bounds a drain that a disruption budget blocks by the end of the instance', async () => {
    const { name, id, node } = await open(4);
    const labels = { app: 'web' };
    await world.wait(
      guest().create({
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { namespace: 'default', name: 'web' },
        spec: { maxUnavailable: 0, selector: { matchLabels: labels } },
      } as KubeObject),
    );
    await world.wait(
      guest().create({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { namespace: 'default', name: 'web' },
        spec: {
          replicas: 1,
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: { nodeSelector: { 'kubernetes.io/hostname': node }, containers: [{ name: 'web', image: 'web:1' }] },
          },
        },
      } as KubeObject),
    );
    await seconds(30);
    const pods = await world.wait(guest().list<PodObject>('pods'));
    expect(pods.filter(({ spec, metadata }) => metadata.labels?.app === 'web' && spec?.nodeName === node)).toHaveLength(
      1,
    );
    const from = world.now();
    world.system.account.interrupt(id);
    await seconds(110);
    expect(world.condition('Machine', name, 'Deleting')).toMatchObject({ reason: 'DrainingNode' });
    await world.until(
      'the drain is over',
      () => world.condition('Machine', name, 'Deleting')?.reason !== 'DrainingNode',
      2,
    );
    expect(world.now() - from).toBeLessThanOrEqual(126 * second);
    await replaced(name);
  });
});

describe('a pool with a fallback from the spot market', () => {
  const openScaled = async (seed: number) => {
    world = await createWorld({ from: quickstart, seed });
    const [template, deployment] = objects(sizes(0, 6));
    const { spec } = (template!.spec as { template: { spec: object } }).template;
    const metadata = { annotations: { 'capstan.dev/spot-fallback': 'OnDemand' } };
    const { replicas: _, ...rest } = deployment!.spec as { replicas: number };
    for (const object of [
      { ...template!, spec: { template: { metadata, spec } } },
      { ...deployment!, spec: rest },
    ])
      expect((await world.apply(object)).code).toBe(201);
    await world.until('opted in', () => isDeciding(world), 5);
    world.system.account.faults.add({
      action: 'RunInstances',
      code: 'InsufficientInstanceCapacity',
      market: 'spot',
    });
  };
  /** Pods that run on the other workers. */
  const resident = 2;
  const hosts = () => machines().map(({ metadata }) => world.find('AWSMachine', metadata.name)!);

  it('grows on demand, remembers why, and keeps what it bought', async () => {
    await openScaled(20);
    await run(world, resident + 2);
    await world.until('two more nodes', () => nodesIn(world, pool) === 2, 15);
    const bought = machines().map(({ metadata }) => metadata.name);
    for (const { status } of hosts()) expect(status).toMatchObject({ interruptible: false });
    for (const name of bought)
      expect(world.condition('Machine', name, 'SpotFallback')).toMatchObject({
        status: 'True',
        reason: 'InsufficientInstanceCapacity',
      });
    const { history, pools } = planOf(world)!.status as { history: { offerings: object }; pools: object[] };
    // A launch without a zone has tried each of them.
    const zones = ['a', 'b', 'c'].map((zone) => `t3.large/eu-central-1${zone}/spot`);
    expect(Object.keys(history.offerings).filter((key) => key.endsWith('/spot'))).toEqual(zones);
    expect(pools).toMatchObject([{ pool: `MachineDeployment/default/${pool}` }]);
    expect(pools[0]).not.toHaveProperty('blocked');
    await run(world, resident + 4);
    await world.until('two more nodes', () => nodesIn(world, pool) === 4, 15);
    const grown = machines().map(({ metadata }) => metadata.name);
    world.system.account.faults.clear();
    await world.pass(30);
    expect(machines().map(({ metadata }) => metadata.name)).toEqual(grown);
    expectWhole(world);
  });
});

describe('the expander priority', () => {
  const second = 'on-demand';
  const configMap = (priorities: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'kube-system', name: 'cluster-autoscaler-priority-expander' },
    data: { priorities },
  });
  const openBoth = async (seed: number, priorities: string) => {
    world = await createWorld({ from: quickstart, seed });
    const [template, deployment] = objects(sizes(0, 6));
    const { replicas: _, ...spec } = deployment!.spec as { replicas: number };
    await world.apply(template!);
    await world.apply({ ...deployment!, spec });
    await world.apply(poolLike(world, second, sizes(0, 6)));
    await world.until('opted in', () => isDeciding(world), 5);
    await world.wait(guest().create(configMap(priorities)));
    const { code } = await world.patch('ScalingPlan', cluster, { spec: { expanders: ['priority'] } });
    expect(code).toBe(200);
    await world.pass(1);
  };
  const resident = 2;
  const order = (first: string, then: string) => `100: [".*/${first}$"]\n10: [".*/${then}$"]\n`;

  it.each([
    [pool, second],
    [second, pool],
  ])('grows %s before %s, which follows without capacity', async (first, then) => {
    await openBoth(30, order(first, then));
    await run(world, resident + 2);
    await world.until('the first grows', () => nodesIn(world, first) === 2, 15);
    expect(replicasOf(world, then)).toBe(0);
    const market = first === pool ? 'spot' : 'on-demand';
    world.system.account.faults.add({ action: 'RunInstances', code: 'InsufficientInstanceCapacity', market });
    await run(world, resident + 4);
    await world.until('the other follows', () => nodesIn(world, then) === 2, 15);
    expect(replicasOf(world, first)).toBe(2);
    expect(world.condition('ScalingPlan', cluster, 'PrioritiesRead')).toMatchObject({ status: 'True' });
  });

  it('is skipped with a Warning while its ConfigMap is broken', async () => {
    await openBoth(31, 'high: [a]');
    await run(world, resident + 2);
    await world.until('a pool grows', () => nodesIn(world, pool) + nodesIn(world, second) === 2, 15);
    expect(world.condition('ScalingPlan', cluster, 'PrioritiesRead')).toMatchObject({
      status: 'False',
      reason: 'PriorityConfigMapInvalid',
    });
    const warnings = (await eventsAbout(world, cluster)).filter((event) =>
      event.startsWith('PriorityConfigMapInvalid'),
    );
    expect(warnings).toEqual([expect.stringContaining('"high" is no integer')]);
  });
});

describe('a recommendation to rebalance', () => {
  it('is reported, and replaces nothing', async () => {
    const { name, id } = await open(6);
    world.system.account.rebalance(id);
    await world.pass(5);
    expect(world.condition('Machine', name, 'HostAtRisk')).toMatchObject({
      status: 'True',
      reason: 'RebalanceRecommendation',
    });
    expect([isGoing(name), machines().length]).toEqual([false, 2]);
    world.system.account.interrupt(id);
    await seconds(5);
    expect(isGoing(name)).toBe(true);
    await replaced(name);
  });

  const optedIn = { 'capstan.dev/replace-on-rebalance': 'true' };
  const isReady = ({ status }: KubeObject) =>
    (status as { conditions?: { type: string; status: string }[] }).conditions?.some(
      ({ type, status: is }) => type === 'NodeReady' && is === 'True',
    );

  it('has the Machine of a pool that opted in replaced within ten seconds, and drained after that', async () => {
    const { name, id, node } = await open(7, optedIn);
    world.system.account.rebalance(id);
    await seconds(10);
    expect([isGoing(name), machines().length]).toEqual([false, 3]);
    await world.until('the drain begins', () => isGoing(name), 15);
    expect(machines().filter((one) => one.metadata.name !== name && isReady(one))).toHaveLength(2);
    await seconds(5);
    expect((await nodeOf(node))?.spec?.unschedulable ?? true).toBe(true);
    await replaced(name);
  });

  it('drains at once when a warning follows', async () => {
    const { name, id } = await open(9, optedIn);
    world.system.account.rebalance(id);
    await seconds(10);
    world.system.account.interrupt(id);
    await seconds(5);
    expect([isGoing(name), machines().length]).toEqual([true, 3]);
    await replaced(name);
  });

  it('drains after the provision time when no replacement comes', async () => {
    const { name, id } = await open(10, {
      ...optedIn,
      'cluster.x-k8s.io/autoscaling-options-maxnodeprovisiontime': '6m',
    });
    world.system.account.faults.add({ action: 'RunInstances', code: 'InsufficientInstanceCapacity' });
    world.system.account.rebalance(id);
    await world.pass(5);
    expect([isGoing(name), machines().length]).toEqual([false, 3]);
    await world.until('the drain begins', () => isGoing(name), 2);
    expect(machines()).toHaveLength(3);
    world.system.account.faults.clear();
    await replaced(name);
  });

  it.each([1, 2, 4, 6, 9, 13, 18, 25])('replaces it once, whatever the process is killed at (change %i)', async (n) => {
    const { name, id } = await open(11, optedIn);
    world.system.account.rebalance(id);
    await seconds(2);
    world.crashAfter(n);
    let most = 0;
    world.onCommit(() => {
      most = Math.max(most, machines().length);
    });
    await world.until('the drain begins', () => isGoing(name), 20);
    await replaced(name);
    expect(most).toBeLessThanOrEqual(3);
  });

  it('replaces nothing beyond a quota before the bound', async () => {
    const { name, id } = await open(12, optedIn);
    const all = world.all('Machine').length;
    await world.patch('Namespace', 'default', {
      metadata: { annotations: { 'capstan.dev/max-machines': String(all) } },
    });
    world.system.account.rebalance(id);
    await world.pass(5);
    expect([isGoing(name), machines().length]).toEqual([false, 2]);
    await world.pass(12);
    expect(isGoing(name) || world.find('Machine', name) === undefined).toBe(true);
    await replaced(name);
  });

  it('rejects an option that means nothing', async () => {
    await open(8);
    const { code, body } = await world.patch('MachineDeployment', pool, {
      metadata: { annotations: { 'capstan.dev/replace-on-rebalance': 'yes' } },
    });
    expect([code, body.message]).toEqual([422, expect.stringContaining('supported values: "false", "true"')]);
  });
});

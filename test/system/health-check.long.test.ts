/** MachineHealthChecks find Machines whose hosts fail, and the owners of the Machines replace them. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../machinery/api/object.ts';
import { expectWhole, isSettled } from './checks.ts';
import { settledMoment } from './moments.ts';
import { createWorld, type Moment, type World } from './world.ts';

let world: World;
let quickstart: Moment;
let threePlanes: Moment;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
  threePlanes = await settledMoment('three-control-planes.yaml');
}, 120_000);
afterEach(() => world.end());

const controlPlaneLabel = 'cluster.x-k8s.io/control-plane';
const check = (cluster: string, selector: object, remediation?: object): KubeObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineHealthCheck',
  metadata: { name: 'check', namespace: 'default' },
  spec: {
    clusterName: cluster,
    selector,
    checks: { unhealthyNodeConditions: [{ type: 'Ready', status: 'Unknown', timeoutSeconds: 120 }] },
    ...(remediation && { remediation }),
  },
});
const ofWorkers = { matchExpressions: [{ key: controlPlaneLabel, operator: 'DoesNotExist' }] };
const ofControlPlane = { matchLabels: { [controlPlaneLabel]: '' } };

const machines = (isOfControlPlane: boolean) =>
  world.all('Machine').filter(({ metadata }) => controlPlaneLabel in (metadata.labels ?? {}) === isOfControlPlane);
const instanceOf = (machine: KubeObject): string =>
  world.all('AWSMachine').find(({ metadata }) => metadata.name === machine.metadata.name)!.spec!.instanceID!;
const healthOf = (name: string) => world.condition('Machine', name, 'HealthCheckSucceeded');

const open = async (from: Moment, object: KubeObject, isOfControlPlane: boolean) => {
  world = await createWorld({ from, seed: 11 });
  const { code, body } = await world.apply(object);
  expect(code, body.message).toBe(201);
  const targets = machines(isOfControlPlane);
  await world.until('every Machine is healthy', () =>
    targets.every(({ metadata }) => healthOf(metadata.name)?.status === 'True'),
  );
  return targets.map(({ metadata }) => metadata.name);
};
const fail = (name: string) => world.system.account.terminate(instanceOf(world.find('Machine', name)!));
const replaced = async (name: string) => {
  await world.until(`${name} is gone`, () => world.find('Machine', name) === undefined, 30);
  await world.until('settled', () => isSettled(world), 60);
  expectWhole(world);
};

it('a worker whose host fails is replaced once its Node has been unhealthy for the timeout', async () => {
  const [first] = await open(quickstart, check('quickstart', ofWorkers), false);
  const failedAt = world.now();
  world.system.account.halt(instanceOf(world.find('Machine', first!)!));
  await world.until('the Machine is unhealthy', () => healthOf(first!)?.status === 'False', 30);
  expect(healthOf(first!)).toMatchObject({ reason: 'UnhealthyNode' });
  expect(world.now() - failedAt).toBeGreaterThanOrEqual(120_000);
  await replaced(first!);
  expect(world.find('MachineHealthCheck', 'check')).toMatchObject({
    status: { expectedMachines: 2, currentHealthy: 2 },
  });
});

it('a worker whose host was terminated is replaced before its Node counts as lost', async () => {
  const [first] = await open(quickstart, check('quickstart', ofWorkers), false);
  const failedAt = world.now();
  fail(first!);
  await world.until('the Machine is unhealthy', () => healthOf(first!)?.status === 'False', 30);
  expect(healthOf(first!)).toMatchObject({
    reason: 'UnhealthyMachine',
    message: expect.stringMatching(/The host is gone: .*EC2 instance \S+ was terminated/),
  });
  expect(world.now() - failedAt).toBeLessThan(120_000);
  await replaced(first!);
});

it('a control-plane Machine whose host fails is replaced, and etcd keeps its quorum', async () => {
  const [first] = await open(threePlanes, check('production', ofControlPlane), true);
  fail(first!);
  await replaced(first!);
  const [cluster] = world.system.guests.clusters.all();
  expect(cluster!.record.etcd.members).toHaveLength(3);
});

it('checks that disagree about a Machine leave it alone once it is marked', async () => {
  const [only] = await open(quickstart, check('quickstart', ofControlPlane), true);
  const strict = check('quickstart', ofControlPlane);
  const conditions = [{ type: 'Ready', status: 'True', timeoutSeconds: 10 }];
  await world.apply({
    ...strict,
    metadata: { ...strict.metadata, name: 'strict' },
    spec: { ...(strict.spec as object), checks: { unhealthyNodeConditions: conditions } },
  });
  await world.until('the Machine is unhealthy', () => healthOf(only!)?.status === 'False');
  await world.pass(2);
  const { resourceVersion } = world.find('Machine', only!)!.metadata;
  await world.pass(10);
  expect(healthOf(only!)?.status).toBe('False');
  expect(world.find('Machine', only!)!.metadata.resourceVersion).toBe(resourceVersion);
  await world.remove('MachineHealthCheck', 'strict');
  await world.until('the Machine is healthy again', () => healthOf(only!)?.status === 'True', 1);
});

it('nothing is replaced while more Machines are unhealthy than the check permits', async () => {
  const names = await open(
    quickstart,
    check('quickstart', ofWorkers, { triggerIf: { unhealthyLessThanOrEqualTo: '50%' } }),
    false,
  );
  for (const name of names) fail(name);
  await world.until('both are unhealthy', () => names.every((name) => healthOf(name)?.status === 'False'), 30);
  await world.pass(30);
  expect(world.condition('MachineHealthCheck', 'check', 'RemediationAllowed')).toMatchObject({
    status: 'False',
    reason: 'TooManyUnhealthy',
  });
  expect(names.every((name) => world.find('Machine', name) !== undefined)).toBe(true);
});

describe('EC2 reports', () => {
  const trouble = (name: string, what: Parameters<World['system']['account']['trouble']>[1]) =>
    world.system.account.trouble(instanceOf(world.find('Machine', name)!), what);
  const hostOf = (name: string, type: string) => world.condition('Machine', name, type);

  it('a failed status check: the worker is replaced once the instance has had ten minutes to recover', async () => {
    const [first] = await open(quickstart, check('quickstart', ofWorkers), false);
    const failedAt = world.now();
    trouble(first!, { impaired: ['system'] });
    await world.until('the Machine is unhealthy', () => healthOf(first!)?.status === 'False', 30);
    expect(healthOf(first!)).toMatchObject({ reason: 'UnhealthyMachine' });
    expect(hostOf(first!, 'HostHealthy')).toMatchObject({ reason: 'SystemStatusCheckFailed' });
    expect(world.now() - failedAt).toBeGreaterThanOrEqual(600_000);
    expect(world.now() - failedAt).toBeLessThanOrEqual(930_000);
    await replaced(first!);
  });

  it('a failed status check that passes again: the worker stays, and nothing is reported', async () => {
    const [first] = await open(quickstart, check('quickstart', ofWorkers), false);
    trouble(first!, { impaired: ['instance'] });
    await world.until('it is reported', () => hostOf(first!, 'HostHealthy')?.status === 'False', 10);
    trouble(first!, {});
    await world.until('it is withdrawn', () => hostOf(first!, 'HostHealthy') === undefined, 10);
    await world.pass(30);
    expect(healthOf(first!)?.status).toBe('True');
  });

  it('nothing: the checks of a calm cluster cause no writes', async () => {
    const names = await open(quickstart, check('quickstart', ofWorkers), false);
    await world.pass(10);
    const versions = () => names.map((name) => world.find('Machine', name)!.metadata.resourceVersion);
    const before = versions();
    const calls = world.calls().DescribeInstanceStatus ?? 0;
    await world.pass(60);
    expect(versions()).toEqual(before);
    expect((world.calls().DescribeInstanceStatus ?? 0) - calls).toBeLessThanOrEqual(13);
  });

  it('status checks of a cluster without a MachineHealthCheck are not read', async () => {
    world = await createWorld({ from: quickstart, seed: 11 });
    await world.pass(60);
    expect(world.calls().DescribeInstanceStatus).toBeUndefined();
  });
});

const workerSet = () => world.all('MachineSet')[0]!;

describe('a Machine that a user wants to debug', () => {
  const keep = async (duration: string) => {
    const [first] = await open(quickstart, check('quickstart', ofWorkers), false);
    await world.patch('Machine', first!, { metadata: { annotations: { 'capstan.dev/preserve': duration } } });
    const id = instanceOf(world.find('Machine', first!)!);
    world.system.account.trouble(id, { impaired: ['system'] });
    const stage = () => world.condition('Machine', first!, 'Deleting')?.reason;
    await world.until('it is preserved', () => stage() === 'Preserved', 40);
    return { name: first!, id };
  };
  const isRunning = (id: string) => world.live('instance').some((one) => one.id === id && one.state === 'running');

  it('is replaced, kept out of service for that time, and then deleted', async () => {
    const { name, id } = await keep('2h');
    const since = Date.parse(world.find('Machine', name)!.metadata.deletionTimestamp!);
    await world.until('it is replaced', () => workerSet().status?.availableReplicas === 2, 15);
    const { metadata } = world.find('Machine', name)!;
    expect(metadata.ownerReferences?.map(({ kind }) => kind)).toEqual(['Cluster']);
    expect(metadata.annotations?.['capstan.dev/preserved-from']).toBe(workerSet().metadata.name);
    expect(world.condition('Machine', name, 'Deleting')?.message).toContain('Kept out of service until');
    expect(workerSet().status).toMatchObject({ replicas: 2 });
    const workers = () => world.find('Cluster', 'quickstart')!.status?.workers;
    await world.until('the Cluster counts the replacement only', () => workers()?.availableReplicas === 2, 5);
    expect(workers()).toMatchObject({ desiredReplicas: 2, replicas: 2 });
    const [cluster] = world.system.guests.clusters.all();
    const nodes = await world.wait(cluster!.list('nodes'));
    const node = nodes.find(({ spec }) => (spec as { providerID?: string } | undefined)?.providerID?.endsWith(id));
    expect(node).toMatchObject({
      spec: { unschedulable: true },
      metadata: { labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': '' } },
    });
    expect(isRunning(id)).toBe(true);
    await world.until('it is gone', () => world.find('Machine', name) === undefined, 150);
    expect(world.now() - since).toBeGreaterThanOrEqual(7_200_000);
    expect(world.now() - since).toBeLessThan(7_500_000);
    expect(isRunning(id)).toBe(false);
    await world.until('settled', () => isSettled(world), 10);
    expectWhole(world);
  });

  it('is deleted as soon as the user removes the annotation', async () => {
    const { name } = await keep('24h');
    await world.patch('Machine', name, { metadata: { annotations: { 'capstan.dev/preserve': null } } });
    await world.until('it is gone', () => world.find('Machine', name) === undefined, 10);
  });

  it('is deleted with its cluster', async () => {
    const { name } = await keep('24h');
    await world.remove('Cluster', 'quickstart');
    await world.until('it is gone', () => world.find('Machine', name) === undefined, 30);
    await world.until('nothing is left', () => world.find('Cluster', 'quickstart') === undefined, 60);
  });

  it.each([
    { rule: 'must not be kept for a time that is none', value: 'long' },
    { rule: 'must not be kept for longer than a month', value: '721h' },
  ])('$rule', async ({ value }) => {
    const [first] = await open(quickstart, check('quickstart', ofWorkers), false);
    const answer = await world.patch('Machine', first!, {
      metadata: { annotations: { 'capstan.dev/preserve': value } },
    });
    expect(answer.code).toBe(422);
    expect(answer.body.message).toContain('must be a duration such as 24h');
  });

  it('must not be of the control plane', async () => {
    const [only] = await open(quickstart, check('quickstart', ofControlPlane), true);
    const answer = await world.patch('Machine', only!, { metadata: { annotations: { 'capstan.dev/preserve': '1h' } } });
    expect(answer.code).toBe(422);
    expect(answer.body.message).toContain('a control plane Machine cannot be preserved');
  });
});

import { describe, expect, it } from 'vitest';
import type { Target } from '../../kinds/core/contract/target.ts';
import type { AWSCluster } from '../../kinds/infrastructure-aws/aws-cluster/index.ts';
import type { AWSMachine } from '../../kinds/infrastructure-aws/aws-machine/index.ts';
import { secretsLast } from '../../kinds/infrastructure-aws/aws-machine/withdraw.ts';
import { appliedTagsAnnotation } from '../../kinds/infrastructure-aws/engine/additional-tags.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { BehaviourOptions } from '../../simulation/aws/index.ts';
import { seeds } from '../seeds.ts';
import { addCluster, addMachine, createWorld, type World } from './world.ts';

const cluster = (world: World) => world.get<AWSCluster>('AWSCluster', 'demo');
const machine = (world: World, name = 'one') => world.get<AWSMachine>('AWSMachine', name);
const conditionOf = ({ status }: KubeObject, type: string) =>
  (status as AWSCluster['status'])?.conditions?.find((condition) => condition.type === type);
const calls = (world: World, pattern = /./) =>
  world.account
    .calls()
    .filter(({ action, mutating }) => mutating && pattern.test(action))
    .reduce((sum, one) => sum + one.calls, 0);
const isReady = (world: World) => () => cluster(world).status?.ready === true;
const isRunning = (world: World) => () => machine(world).status?.ready === true;
const saysTornDown = (object: KubeObject, type: string) => conditionOf(object, type)?.reason === 'TornDown';
const isTornDown = (world: World) => () =>
  saysTornDown(cluster(world), 'VpcReady') &&
  (!world.find('AWSMachine', 'one') || saysTornDown(machine(world), 'InstanceReady'));

/** Sets the target of the cluster's operation. */
const admit = (world: World, target: Target, annotations: Record<string, string> = {}) => {
  const object = world.get('Cluster', 'demo');
  const decided: Record<string, string> = target === 'Wait' ? {} : { 'capstan.dev/target': target };
  world.put({
    ...object,
    metadata: {
      ...object.metadata,
      annotations: { 'capstan.dev/operation': 'demo-create-1', ...decided, ...annotations },
    },
  });
};

const begun = (target: Target, { seed = 1, behaviour }: { seed?: number; behaviour?: BehaviourOptions } = {}) => {
  const world = createWorld({ seed, workflows: true, ...(behaviour && { behaviour }) });
  addCluster(world, { additionalTags: { team: 'a' } });
  admit(world, target);
  return world;
};
const shaky = { inconsistency: 8_000, staleReads: 0.6 };

/** The fields of an object that its user did not set. */
const traces = ({ metadata }: KubeObject) =>
  Object.keys(metadata.annotations ?? {}).filter(
    (name) => name.startsWith('capstan.dev/') || name === appliedTagsAnnotation,
  );

describe('a cluster that is not admitted', () => {
  it('creates nothing, reports that it waits, and is idle', async () => {
    const world = begun('Wait');
    const given = cluster(world).spec;
    addMachine(world, 'one');
    await world.run(30);
    const before = world.writes;
    await world.run(600);
    expect(world.writes).toBe(before);
    expect(calls(world)).toBe(0);
    expect(conditionOf(cluster(world), 'VpcReady')).toMatchObject({
      status: 'False',
      severity: 'Info',
      reason: 'WaitingForOperation',
      message: 'Waiting for ClusterOperation demo-create-1 to admit the cluster',
    });
    expect(cluster(world).spec).toEqual(given);
    admit(world, 'Build');
    await world.until(isReady(world));
    expect(conditionOf(cluster(world), 'Ready')?.status).toBe('True');
    await world.until(isRunning(world));
  });

  it('reports a refusal anyway', async () => {
    const world = createWorld({ workflows: true });
    addCluster(world, { controlPlaneLoadBalancer: { loadBalancerType: 'alb' } });
    await world.run(30);
    expect(conditionOf(cluster(world), 'LoadBalancerReady')?.message).toMatch(/loadBalancerType to classic or nlb/);
  });

  it('follows its spec without workflows', async () => {
    const world = createWorld();
    addCluster(world);
    await world.until(isReady(world));
  });
});

describe('a cluster on hold', () => {
  it.each([1, 4, 9, 20, 45])('creates and loses nothing further, %i s after its creation began', async (seconds) => {
    const world = begun('Build', { seed: seconds, behaviour: shaky });
    await world.run(seconds);
    admit(world, 'Hold');
    const before = { calls: calls(world), resources: world.live() };
    await world.run(300);
    expect({ calls: calls(world), resources: world.live() }).toEqual(before);
    const writes = world.writes;
    await world.run(600);
    expect(world.writes).toBe(writes);
    expect(conditionOf(cluster(world), 'Ready')?.status).toBe('False');
    admit(world, 'Build');
    await world.until(isReady(world));
    expect(world.live('vpc')).toHaveLength(1);
    expect(world.live('elastic-ip')).toHaveLength(3);
  });

  it('keeps its tags until it continues', async () => {
    const world = begun('Build');
    await world.until(isReady(world));
    await world.run(300);
    admit(world, 'Hold');
    world.put({ ...cluster(world), spec: { ...cluster(world).spec, additionalTags: { team: 'b' } } } as AWSCluster);
    const before = calls(world);
    await world.run(600);
    expect(calls(world)).toBe(before);
    expect(conditionOf(cluster(world), 'Ready')?.status).toBe('True');
    admit(world, 'Build');
    await world.run(300);
    expect(new Set(world.account.list().flatMap(({ tags }) => tags.team ?? []))).toEqual(new Set(['b']));
  });

  it('keeps reporting why it could not continue', async () => {
    const world = begun('Build');
    world.account.faults.add({ action: 'CreateNatGateway', code: 'NatGatewayLimitExceeded', message: 'too many' });
    await world.run(60);
    admit(world, 'Hold');
    await world.run(300);
    expect(conditionOf(cluster(world), 'NatGatewaysReady')?.message).toMatch(/NatGatewayLimitExceeded/);
    expect(conditionOf(cluster(world), 'RouteTablesReady')?.reason).toMatch(/OnHold|RouteTables/);
  });

  it('keeps observing an instance, and launches none', async () => {
    const world = begun('Build');
    await world.until(isReady(world));
    addMachine(world, 'one');
    await world.until(() => world.live('instance').length === 1);
    admit(world, 'Hold');
    await world.until(isRunning(world), 120);
    addMachine(world, 'two');
    await world.run(300);
    expect(world.live('instance')).toHaveLength(1);
    expect(conditionOf(machine(world, 'two'), 'InstanceReady')).toMatchObject({ status: 'False', reason: 'OnHold' });
    // No node joins here, so its bootstrap data is withdrawn.
    await world.run(secretsLast / 1000);
    const writes = world.writes;
    await world.run(600);
    expect(world.writes).toBe(writes);
    admit(world, 'Build');
    await world.until(() => machine(world, 'two').status?.ready === true);
  });

  it.each([1, 2, 3, 4])('does not repeat a recorded launch (crash after %i actions)', async (actions) => {
    const world = begun('Build', { behaviour: shaky });
    await world.until(isReady(world));
    addMachine(world, 'one');
    world.crashAfter(actions);
    await world.run(2);
    world.crashAfter(Number.POSITIVE_INFINITY);
    admit(world, 'Hold');
    const before = calls(world, /RunInstances/);
    await world.run(300);
    expect(calls(world, /RunInstances/)).toBe(before);
    admit(world, 'Build');
    await world.until(isRunning(world));
    expect(world.live('instance')).toHaveLength(1);
  });

  it('completes a user’s deletion', async () => {
    const world = begun('Build');
    await world.until(isReady(world));
    addMachine(world, 'one');
    await world.until(isRunning(world));
    admit(world, 'Hold');
    world.remove('AWSMachine', 'one');
    await world.until(() => world.find('AWSMachine', 'one') === undefined);
    world.remove('AWSCluster', 'demo');
    await world.until(() => world.find('AWSCluster', 'demo') === undefined);
    expect(world.account.list()).toEqual([]);
  });
});

describe('a cluster in a teardown', () => {
  const expectNew = async (world: World, given: unknown) => {
    await world.run(60);
    expect(world.account.list()).toEqual([]);
    expect(cluster(world).spec).toEqual(given);
    expect(traces(cluster(world))).toEqual([]);
    const { conditions, ...status } = cluster(world).status!;
    expect(status).toEqual({ ready: false });
    expect(conditions?.map(({ type, reason }) => [type, reason])).toEqual([
      ['Ready', 'TornDown'],
      ['VpcReady', 'TornDown'],
    ]);
    const before = { writes: world.writes, calls: calls(world) };
    await world.run(600);
    expect({ writes: world.writes, calls: calls(world) }).toEqual(before);
  };

  it.each([
    0, 1, 3, 6, 10, 20, 45, 120,
  ])('leaves only its user-provided spec, %i s after its creation began, and can be created again', async (seconds) => {
    const world = begun('Build', { seed: seconds + 1, behaviour: shaky });
    const given = cluster(world).spec;
    await world.run(seconds);
    admit(world, 'Nothing');
    await world.until(isTornDown(world));
    await expectNew(world, given);
    admit(world, 'Wait');
    await world.run(30);
    expect(conditionOf(cluster(world), 'VpcReady')?.reason).toBe('WaitingForOperation');
    admit(world, 'Build');
    await world.until(isReady(world));
    expect(world.live('vpc')).toHaveLength(1);
    expect(world.live('natgateway')).toHaveLength(3);
    expect(cluster(world).status?.conditions?.filter(({ status }) => status !== 'True')).toEqual([]);
  });

  it.each([
    0, 1, 2, 3, 5, 8, 20, 60,
  ])('terminates the instance of a user-created machine, %i s after its launch', async (seconds) => {
    const world = begun('Build', { seed: seconds + 1, behaviour: shaky });
    const given = cluster(world).spec;
    await world.until(isReady(world));
    addMachine(world, 'one');
    const wanted = machine(world).spec;
    await world.run(seconds);
    admit(world, 'Nothing');
    await world.until(isTornDown(world));
    await expectNew(world, given);
    expect(machine(world).spec).toEqual({ ...wanted, cloudInit: { secureSecretsBackend: 'secrets-manager' } });
    expect(traces(machine(world))).toEqual([]);
    expect(machine(world).status).toEqual({ ready: false, conditions: expect.any(Array) });
    admit(world, 'Build');
    await world.until(isRunning(world));
    expect(world.live('instance')).toHaveLength(1);
  });

  it.each(seeds(6))('survives a crash between any two calls (seed %i)', async (seed) => {
    const world = begun('Build', { seed, behaviour: shaky });
    const given = cluster(world).spec;
    addMachine(world, 'one');
    world.crashAfter(10 + seed * 7);
    await world.run(20 + seed * 20);
    admit(world, 'Nothing');
    for (let crash = 0; crash < 10; crash += 1) {
      world.crashAfter(1 + ((seed + crash * 3) % 5));
      await world.run(8);
    }
    world.crashAfter(Number.POSITIVE_INFINITY);
    await world.until(isTornDown(world));
    await expectNew(world, given);
  });

  it.each(seeds(6))('finds the instance of a launch whose process crashed after the call (seed %i)', async (seed) => {
    const world = begun('Build', { seed, behaviour: { inconsistency: 20_000, staleReads: 0.9 } });
    await world.until(isReady(world));
    addMachine(world, 'one', { spec: { cloudInit: { insecureSkipSecretsManager: true } } });
    world.crashAfter(1);
    await world.until(() => world.live('instance').length > 0, 60);
    admit(world, 'Nothing');
    world.crashAfter(Number.POSITIVE_INFINITY);
    expect(machine(world).spec?.providerID).toBeUndefined();
    await world.until(isTornDown(world));
    await world.run(60);
    expect(world.account.list()).toEqual([]);
  });

  const removals = [
    'TerminateInstances',
    'DeleteSecret',
    'DeregisterTargets',
    'DeleteLoadBalancer',
    'DeleteTargetGroup',
    'RevokeSecurityGroupIngress',
    'DeleteSecurityGroup',
    'DeleteNatGateway',
    'ReleaseAddress',
    'DeleteSubnet',
    'DeleteRouteTable',
    'DetachInternetGateway',
    'DeleteInternetGateway',
    'DeleteVpc',
  ];
  it.each(
    removals.flatMap((action) => [false, true].map((afterEffect) => ({ action, afterEffect }))),
  )('continues when $action fails, after its effect: $afterEffect', async ({ action, afterEffect }) => {
    const world = begun('Build');
    const given = cluster(world).spec;
    await world.until(isReady(world));
    addMachine(world, 'one');
    await world.until(() => conditionOf(machine(world), 'Ready')?.status === 'True');
    world.account.faults.add({ action, code: 'InternalError', count: 2, afterEffect });
    admit(world, 'Nothing');
    await world.until(isTornDown(world));
    // A resource that exists once is deleted once, if the first call took effect.
    expect(world.account.faults.list().filter(({ count }) => count === 2)).toEqual([]);
    await expectNew(world, given);
  });

  it('reports what blocks it, and completes afterwards', async () => {
    const world = begun('Build');
    await world.until(isReady(world));
    const given = world.get<AWSCluster>('AWSCluster', 'demo').spec?.network?.vpc?.id;
    world.account.faults.add({ action: 'DeleteSubnet', code: 'UnauthorizedOperation', message: 'not you' });
    admit(world, 'Nothing');
    await world.run(600);
    expect(conditionOf(cluster(world), 'SubnetsReady')).toMatchObject({
      status: 'False',
      severity: 'Error',
      message: expect.stringMatching(/DeleteSubnet: UnauthorizedOperation: not you/),
    });
    expect(cluster(world).spec?.network?.vpc?.id).toBe(given);
    world.account.faults.clear();
    await world.until(isTornDown(world));
    expect(world.account.list()).toEqual([]);
  });

  it.each([
    'TerminateInstances',
    'DeleteSecret',
    'DeregisterTargets',
  ])('reports what blocks a machine: %s', async (action) => {
    const world = begun('Build');
    await world.until(isReady(world));
    addMachine(world, 'one');
    await world.until(() => conditionOf(machine(world), 'Ready')?.status === 'True');
    const fault = world.account.faults.add({ action, code: 'UnauthorizedOperation', message: 'not you' });
    admit(world, 'Nothing');
    const says = () => conditionOf(machine(world), 'InstanceReady');
    if (action !== 'DeregisterTargets') await world.until(() => says()?.severity === 'Error', 300);
    else await world.run(1);
    expect(says()?.message ?? '').toMatch(`${action}: UnauthorizedOperation: not you`);
    expect(world.live('vpc')).toHaveLength(1);
    world.account.faults.clear(fault.id);
    await world.until(isTornDown(world));
    expect(world.account.list()).toEqual([]);
  });

  it('completes at once in a region that does not exist', async () => {
    const world = createWorld({ workflows: true });
    addCluster(world, { region: 'mars-north-1' });
    const given = cluster(world).spec;
    admit(world, 'Build');
    await world.run(60);
    admit(world, 'Nothing');
    await world.until(isTornDown(world), 60);
    await expectNew(world, given);
  });

  it('waits for machines created for it, which are deleted with their owners', async () => {
    const world = begun('Build');
    await world.until(isReady(world));
    addMachine(world, 'one');
    const object = world.get('Machine', 'one');
    const set = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineSet', name: 'set', uid: 's', controller: true };
    world.put({ ...object, metadata: { ...object.metadata, ownerReferences: [set] } });
    await world.until(isRunning(world));
    admit(world, 'Nothing');
    await world.run(300);
    expect(world.live('instance')).toHaveLength(1);
    expect(world.live('vpc')).toHaveLength(1);
    world.remove('AWSMachine', 'one');
    await world.until(isTornDown(world));
    expect(world.account.list()).toEqual([]);
  });

  it.each([
    {
      rule: 'was ever Available',
      change: (world: World) => admit(world, 'Nothing', { 'capstan.dev/was-available': 'true' }),
    },
    {
      rule: 'is not the owner in its tags',
      change: (world: World) => {
        const object = world.get('Cluster', 'demo');
        world.put({ ...object, metadata: { ...object.metadata, uid: 'another' } });
        admit(world, 'Nothing');
      },
    },
  ])('never happens to a cluster that $rule', async ({ change }) => {
    const world = begun('Build');
    await world.until(isReady(world));
    addMachine(world, 'one');
    await world.until(() => conditionOf(machine(world), 'Ready')?.status === 'True');
    const before = { calls: calls(world, /Delete|Terminate|Release|Detach|Revoke/), resources: world.live() };
    change(world);
    await world.run(600);
    expect({ calls: calls(world, /Delete|Terminate|Release|Detach|Revoke/), resources: world.live() }).toEqual(before);
  });
});

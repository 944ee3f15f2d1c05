import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { AWSMachine } from '../../kinds/infrastructure-aws/aws-machine/index.ts';
import { hasAttempted, launchOf } from '../../kinds/infrastructure-aws/aws-machine/launch.ts';
import { splitForSecrets } from '../../kinds/infrastructure-aws/aws-machine/user-data.ts';
import { CloudError } from '../../kinds/ports/cloud/index.ts';
import type { BehaviourOptions, FaultSpec } from '../../simulation/aws/index.ts';
import { readUserData } from '../../simulation/workload/boot/user-data.ts';
import { conditionOf, instances, isGone, isRunning, machineOf, started } from './machines.ts';
import { addMachine, type World } from './world.ts';

describe('an AWSMachine with an Elastic IP from a pool', () => {
  const pool = 'ipv4pool-ec2-0123456789abcdef0';
  const spec = (fallback: string) => ({
    publicIP: true,
    elasticIpPool: { publicIpv4Pool: pool, publicIpv4PoolFallbackOrder: fallback },
  });
  const addressOf = async (world: World) => {
    const { Addresses } = await world.account.call('eu-west-1', 'DescribeAddresses', {
      Filters: [{ Name: 'tag:Name', Values: ['one'] }],
    });
    return Addresses;
  };
  const free = async (world: World) => {
    const answer = await world.account.call('eu-west-1', 'DescribePublicIpv4Pools', { PoolIds: [pool] });
    return answer.PublicIpv4Pools[0]!.TotalAvailableAddressCount;
  };

  it.each([
    1, 2, 3, 4, 5, 6,
  ])('gets one address and releases it, despite crashes and stale reads (seed %i)', async (seed) => {
    const behaviour = { inconsistency: 8_000, staleReads: 0.6, addressPools: { [pool]: 2 } };
    const world = await started({ seed, behaviour });
    addMachine(world, 'one', { spec: spec('none') });
    for (let crash = 0; crash < 8; crash += 1) {
      world.crashAfter(1 + ((seed + crash * 3) % 5));
      await world.run(10);
    }
    world.crashAfter(Number.POSITIVE_INFINITY);
    await world.run(150);
    const [address, ...more] = await addressOf(world);
    expect(more).toEqual([]);
    expect(address?.InstanceId).toBe(machineOf(world).spec?.instanceID);
    expect(machineOf(world).status?.addresses).toContainEqual({ type: 'ExternalIP', address: address?.PublicIp });
    expect(await free(world)).toBe(1);
    const before = world.writes;
    await world.run(120);
    expect(world.writes).toBe(before);
    world.crashAfter(2 + (seed % 3));
    world.remove('AWSMachine', 'one');
    await world.run(5);
    world.crashAfter(Number.POSITIVE_INFINITY);
    await world.until(isGone(world));
    expect(await addressOf(world)).toEqual([]);
    expect(await free(world)).toBe(2);
  });

  it('falls back to an Amazon address when the pool is empty and the spec allows it', async () => {
    const world = await started({ behaviour: { addressPools: { [pool]: 0 } } });
    addMachine(world, 'one', { spec: spec('amazon-pool') });
    await world.until(isRunning(world));
    await world.run(30);
    expect(await addressOf(world)).toMatchObject([{ InstanceId: machineOf(world).spec?.instanceID }]);
  });

  it('reports an empty pool when the spec allows no fallback', async () => {
    const world = await started({ behaviour: { addressPools: { [pool]: 0 } } });
    addMachine(world, 'one', { spec: spec('none') });
    await world.until(isRunning(world));
    await world.run(30);
    expect(await addressOf(world)).toEqual([]);
    expect(conditionOf(world, 'InstanceReady')).toMatchObject({
      status: 'False',
      message: expect.stringMatching(/AllocateAddress: InsufficientAddressCapacity/),
    });
    world.remove('AWSMachine', 'one');
    await world.until(isGone(world));
  });

  it('works for NAT gateways, too', async () => {
    const elasticIpPool = spec('amazon-pool').elasticIpPool;
    const world = await started(
      { behaviour: { addressPools: { [pool]: 2 } } },
      { network: { vpc: { elasticIpPool } } },
    );
    expect(await free(world)).toBe(0);
    expect(world.live('elastic-ip')).toHaveLength(3);
  });
});

describe('an AWSMachine on the simulated account', () => {
  it('becomes one instance, which is registered, reported and terminated', async () => {
    const world = await started();
    addMachine(world, 'one');
    await world.until(isRunning(world));
    expect(conditionOf(world, 'ELBAttached')?.status).toBe('True');
    await world.until(() => conditionOf(world, 'Ready')?.status === 'True');
    const { spec, status } = machineOf(world);
    const [id] = instances(world);
    expect(instances(world)).toHaveLength(1);
    expect(spec).toMatchObject({ instanceID: id, providerID: `aws:///eu-west-1a/${id}` });
    expect(status?.addresses?.map(({ type }) => type)).toEqual(expect.arrayContaining(['InternalIP', 'InternalDNS']));
    expect(world.live('secret')).toHaveLength(spec?.cloudInit?.secretCount ?? -1);
    const { tags } = world.account.list().find((one) => one.id === id)!;
    expect(tags).toMatchObject({
      Name: 'one',
      MachineName: 'default/one',
      'kubernetes.io/cluster/demo': 'owned',
      'sigs.k8s.io/cluster-api-provider-aws/role': 'control-plane',
      'capstan.dev/installation': 'here',
      'capstan.dev/cluster-uid': 'uid-of-demo',
    });

    const machine = world.get('Machine', 'one');
    world.put({ ...machine, status: { nodeRef: { name: 'node' } } });
    await world.until(() => world.live('secret').length === 0);
    expect(machineOf(world).spec?.cloudInit?.secretPrefix).toBeUndefined();
    await world.run(70);
    const before = world.writes;
    await world.run(150);
    expect(world.writes).toBe(before);

    world.remove('AWSMachine', 'one');
    await world.until(isGone(world));
    expect(instances(world)).toEqual([]);
  });

  it('lists missing preconditions when none is reported', async () => {
    const world = await started();
    addMachine(world, 'one');
    const { spec: _, ...nothing } = machineOf(world);
    world.remove('AWSMachine', 'one');
    await world.until(isGone(world));
    world.put({ ...nothing, metadata: { ...nothing.metadata, uid: 'another' } });
    await world.until(() => conditionOf(world, 'InstanceReady') !== undefined);
    expect(conditionOf(world, 'InstanceReady')).toMatchObject({
      reason: 'InstanceProvisionFailed',
      message: 'spec is not set',
    });
    world.remove('AWSMachine', 'one');
    await world.until(isGone(world));
  });

  it('is deregistered when its Machine is deleted, while it still runs', async () => {
    const world = await started();
    addMachine(world, 'one');
    await world.until(isRunning(world));
    await world.until(() => conditionOf(world, 'ELBAttached')?.status === 'True');
    const machine = world.get('Machine', 'one');
    const deletionTimestamp = new Date(world.now()).toISOString();
    const finalizers = ['machine.cluster.x-k8s.io'];
    world.put({ ...machine, metadata: { ...machine.metadata, finalizers, deletionTimestamp } });
    await world.run(30);
    const { TargetGroups } = await world.account.call('eu-west-1', 'DescribeTargetGroups', {});
    const { TargetHealthDescriptions } = await world.account.call('eu-west-1', 'DescribeTargetHealth', {
      TargetGroupArn: TargetGroups[0]!.TargetGroupArn,
    });
    const serving = TargetHealthDescriptions.filter(({ TargetHealth }) => TargetHealth.State !== 'draining');
    expect(serving).toEqual([]);
    expect(isRunning(world)()).toBe(true);
  });

  /** A machine that has observed the deletion of its target group. */
  const bereft = async () => {
    const world = await started();
    addMachine(world, 'one');
    await world.until(() => conditionOf(world, 'ELBAttached')?.status === 'True');
    await world.run(60);
    const { call } = world.account;
    const [group] = (await call('eu-west-1', 'DescribeTargetGroups', {})).TargetGroups;
    const [LoadBalancerArn = ''] = group!.LoadBalancerArns;
    const [listener] = (await call('eu-west-1', 'DescribeListeners', { LoadBalancerArn })).Listeners;
    await call('eu-west-1', 'DeleteListener', { ListenerArn: listener!.ListenerArn });
    await call('eu-west-1', 'DeleteTargetGroup', { TargetGroupArn: group!.TargetGroupArn });
    const touch = (kind: 'AWSMachine' | 'AWSCluster', name: string) => {
      const object = world.get(kind, name);
      const annotations = { ...object.metadata.annotations, 'example.com/touched': 'yes' };
      world.put({ ...object, metadata: { ...object.metadata, annotations } });
    };
    touch('AWSMachine', 'one');
    await world.until(() => conditionOf(world, 'ELBAttached')?.status === 'False', 30);
    return { world, call, touch };
  };

  it('is registered again when a deleted target group is recreated, even if it looked before', async () => {
    const { world, call, touch } = await bereft();
    touch('AWSCluster', 'demo');
    await world.until(() => conditionOf(world, 'ELBAttached')?.status === 'True', 60);
    await world.run(40);
    const [anew] = (await call('eu-west-1', 'DescribeTargetGroups', {})).TargetGroups;
    const { TargetGroupArn } = anew!;
    const { TargetHealthDescriptions } = await call('eu-west-1', 'DescribeTargetHealth', { TargetGroupArn });
    expect(TargetHealthDescriptions.map(({ Target }) => Target.Id)).toEqual([machineOf(world).spec?.instanceID]);
  });

  it('polls for a missing target group with increasing delays', async () => {
    const { world } = await bereft();
    const looks = () => world.account.calls().find(({ action }) => action === 'DescribeTargetGroups')!.calls;
    const before = looks();
    await world.run(3600);
    expect(looks() - before).toBeGreaterThan(30);
    expect(looks() - before).toBeLessThan(100);
  });

  describe('whose Machine is deleted and held by a hook', () => {
    const hook = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/kcp-cleanup';
    const deleting = (reason: string) => ({ conditions: [{ type: 'Deleting', status: 'True', reason }] });
    /** The state after a foreground deletion of the Machine. */
    const heldMachine = async (annotations: Record<string, string>) => {
      const world = await started();
      addMachine(world, 'one');
      await world.until(() => conditionOf(world, 'ELBAttached')?.status === 'True');
      const machine = world.get('Machine', 'one');
      const deletionTimestamp = new Date(world.now()).toISOString();
      const metadata = { ...machine.metadata, annotations, finalizers: ['x'], deletionTimestamp };
      world.put({ ...machine, metadata });
      world.remove('AWSMachine', 'one');
      return { world, machine: { ...machine, metadata } };
    };

    it.each([
      hook,
      'pre-terminate.delete.hook.machine.cluster.x-k8s.io/backup',
      'pre-drain.delete.hook.machine.cluster.x-k8s.io/backup',
    ])('keeps its instance until the hook is released, although both objects are deleted (%s)', async (annotation) => {
      const { world, machine } = await heldMachine({ [annotation]: '' });
      await world.run(120);
      world.put({ ...machine, status: deleting('WaitingForPreTerminateHook') });
      await world.run(600);
      expect(instances(world)).toHaveLength(1);
      world.put({ ...machine, metadata: { ...machine.metadata, annotations: {} } });
      await world.until(isGone(world), 180);
      expect(instances(world)).toEqual([]);
    });

    it('is deleted when the Machine no longer waits for the hook', async () => {
      const { world, machine } = await heldMachine({ [hook]: '' });
      await world.run(120);
      expect(instances(world)).toHaveLength(1);
      world.put({ ...machine, status: deleting('WaitingForInfrastructureDeletion') });
      await world.until(isGone(world), 180);
      expect(instances(world)).toEqual([]);
    });

    it('is deleted when the Machine is gone', async () => {
      const { world, machine } = await heldMachine({ [hook]: '' });
      await world.run(120);
      world.put({ ...machine, metadata: { ...machine.metadata, finalizers: [] } });
      world.remove('Machine', 'one');
      await world.until(isGone(world), 180);
      expect(instances(world)).toEqual([]);
    });

    it('has its bootstrap data withdrawn regardless', async () => {
      const { world } = await heldMachine({ [hook]: '' });
      expect(world.live('secret').length).toBeGreaterThan(0);
      await world.run(16 * 60);
      expect(world.live('secret')).toEqual([]);
      expect(instances(world)).toHaveLength(1);
    });
  });

  describe('whose Machine is deleted before its launch is visible', () => {
    const launchOf = (world: World) =>
      JSON.parse(machineOf(world).metadata.annotations?.['capstan.dev/launch'] ?? '{}');
    const going = async (behaviour: BehaviourOptions, fault?: FaultSpec) => {
      const world = await started({ behaviour });
      if (fault) world.account.faults.add(fault);
      addMachine(world, 'one');
      await world.until(() => launchOf(world).token !== undefined);
      const machine = world.get('Machine', 'one');
      const deletionTimestamp = new Date(world.now()).toISOString();
      world.put({ ...machine, metadata: { ...machine.metadata, finalizers: ['x'], deletionTimestamp } });
      return world;
    };

    it('reports its instance once that is visible', async () => {
      const world = await going({ inconsistency: 50_000, staleReads: 1 });
      await world.run(60);
      const [instance] = instances(world);
      expect(machineOf(world).spec?.instanceID).toBe(instance);
      expect(launchOf(world)).not.toHaveProperty('cameToNothing');
    });

    it.each([
      'InvalidParameterValue',
      'UnauthorizedOperation',
      'VcpuLimitExceeded',
    ])('reports at once that EC2 refused every call: %s', async (code) => {
      const world = await started();
      world.account.faults.add({ action: 'RunInstances', code });
      addMachine(world, 'one');
      // The call is repeated meanwhile.
      await world.run(40);
      const machine = world.get('Machine', 'one');
      const deletionTimestamp = new Date(world.now()).toISOString();
      world.put({ ...machine, metadata: { ...machine.metadata, finalizers: ['x'], deletionTimestamp } });
      await world.run(2);
      expect(launchOf(world)).toMatchObject({ cameToNothing: true });
    });

    it('reports once that no instance appeared in time', async () => {
      const world = await going({}, { action: 'RunInstances', code: 'InternalError' });
      await world.run(50);
      expect(launchOf(world)).not.toHaveProperty('cameToNothing');
      await world.run(30);
      expect(launchOf(world)).toMatchObject({ cameToNothing: true });
      const { writes } = world;
      await world.run(600);
      expect(world.writes).toBe(writes);
      expect(world.live('instance')).toEqual([]);
    });
  });

  it('is deleted at once when its Machine has no hook', async () => {
    const world = await started();
    addMachine(world, 'one');
    await world.until(isRunning(world));
    const machine = world.get('Machine', 'one');
    const deletionTimestamp = new Date(world.now()).toISOString();
    world.put({ ...machine, metadata: { ...machine.metadata, finalizers: ['x'], deletionTimestamp } });
    world.remove('AWSMachine', 'one');
    await world.until(() => machineOf(world).status?.instanceState === 'shutting-down', 5);
  });

  it.each([1, 2, 3])('terminates an instance that no call shows yet (seed %i)', async (seed) => {
    const world = await started({ seed, behaviour: { inconsistency: 50_000, staleReads: 1 } });
    addMachine(world, 'one');
    await world.until(() => world.live('instance').length > 0);
    world.remove('AWSMachine', 'one');
    await world.until(isGone(world));
    expect(world.live('instance')).toEqual([]);
  });

  it('reports a found instance before its termination, because it may be a Node already', async () => {
    const world = await started({ behaviour: { inconsistency: 50_000, staleReads: 1 } });
    addMachine(world, 'one');
    await world.until(() => world.live('instance').length > 0);
    expect(machineOf(world).spec?.providerID).toBeUndefined();
    world.remove('AWSMachine', 'one');
    await world.until(() => machineOf(world).status?.instanceState === 'shutting-down');
    const { spec, status } = machineOf(world);
    expect(spec?.providerID).toBe(`aws:///eu-west-1a/${spec?.instanceID}`);
    expect(status?.addresses?.map(({ type }) => type)).toEqual(['InternalIP', 'InternalDNS']);
  });

  it('keeps the network of its subnet', async () => {
    const world = await started();
    addMachine(world, 'one');
    await world.until(isRunning(world));
    const there = () => ['vpc', 'subnet', 'load-balancer', 'security-group'].map((type) => world.live(type).length);
    const before = there();
    world.remove('AWSCluster', 'demo');
    await world.run(120);
    expect(there()).toEqual(before);
    world.remove('AWSMachine', 'one');
    await world.until(() => world.find('AWSCluster', 'demo') === undefined);
    expect(world.account.list()).toEqual([]);
  });

  it('has its bootstrap data withdrawn when no node joins within a quarter of an hour', async () => {
    const world = await started();
    addMachine(world, 'one');
    await world.until(isRunning(world));
    await world.run(13 * 60);
    expect(world.live('secret').length).toBeGreaterThan(0);
    await world.run(3 * 60);
    expect(world.live('secret')).toEqual([]);
    expect(machineOf(world).spec?.cloudInit?.secretPrefix).toBeUndefined();
    expect(instances(world)).toHaveLength(1);
  });

  it('is deregistered from the load balancer as soon as its Machine is being deleted', async () => {
    const world = await started();
    addMachine(world, 'one');
    await world.until(() => conditionOf(world, 'ELBAttached')?.status === 'True');
    const machine = world.get('Machine', 'one');
    world.put({
      ...machine,
      metadata: { ...machine.metadata, finalizers: ['x'], deletionTimestamp: '2026-01-01T00:00:00Z' },
    });
    await world.until(() => conditionOf(world, 'ELBAttached')?.status === 'False', 30);
    expect(instances(world)).toHaveLength(1);
  });

  it.each([
    1, 2, 3, 4, 5, 6, 7, 8,
  ])('has exactly one instance despite crashes and stale reads (seed %i)', async (seed) => {
    const world = await started({ seed, behaviour: { inconsistency: 8_000, staleReads: 0.6 } });
    const names = ['one', 'two', 'three'];
    for (const name of names) addMachine(world, name);
    for (let crash = 0; crash < 10; crash += 1) {
      world.crashAfter(1 + ((seed + crash) % 4));
      await world.run(6);
    }
    world.crashAfter(Number.POSITIVE_INFINITY);
    await world.until(() => names.every((name) => isRunning(world, name)()));
    expect(instances(world)).toHaveLength(3);
    expect(new Set(names.map((name) => machineOf(world, name).spec?.instanceID)).size).toBe(3);
    for (const name of names) world.remove('AWSMachine', name);
    world.remove('AWSCluster', 'demo');
    await world.until(() => world.find('AWSCluster', 'demo') === undefined);
    expect(world.account.list()).toEqual([]);
  });

  it('repeats only the launch when it is throttled', async () => {
    const world = await started({ behaviour: { throttling: true } });
    const names = Array.from({ length: 12 }, (_, index) => `m${index}`);
    const calls = (action: string) => world.account.calls().find((one) => one.action === action)?.calls ?? 0;
    for (const name of names) addMachine(world, name, { controlPlane: false });
    await world.until(() => names.every((name) => isRunning(world, name)()));
    expect(calls('RunInstances')).toBeGreaterThan(names.length);
    expect(calls('CreateSecret')).toBe(names.length);
    expect(calls('DescribeImages')).toBeLessThan(2 * names.length);
  });

  it('is not launched for a Machine in deletion', async () => {
    const world = await started();
    addMachine(world, 'one');
    const machine = world.get('Machine', 'one');
    const deletionTimestamp = new Date(world.now()).toISOString();
    world.put({ ...machine, metadata: { ...machine.metadata, finalizers: ['x'], deletionTimestamp } });
    await world.run(300);
    expect(world.live('instance')).toEqual([]);
    world.remove('AWSMachine', 'one');
    await world.until(isGone(world));
  });

  it('calls nothing before it can launch', async () => {
    const world = await started();
    const before = JSON.stringify(world.account.calls());
    addMachine(world, 'one', { machine: { bootstrap: {} } });
    await world.run(10);
    expect(conditionOf(world, 'InstanceReady')).toMatchObject({ reason: 'WaitingForBootstrapData' });
    expect(JSON.stringify(world.account.calls())).toBe(before);
  });

  it('reports an instance terminated by another client, and does not replace it', async () => {
    const world = await started();
    addMachine(world, 'one');
    await world.until(isRunning(world));
    world.account.terminate(instances(world)[0]!);
    await world.run(40);
    world.enqueue('AWSMachine', 'one');
    await world.until(() => machineOf(world).status?.failureReason !== undefined, 120);
    expect(machineOf(world).status).toMatchObject({ ready: false, instanceState: 'terminated' });
    expect(conditionOf(world, 'InstanceReady')).toMatchObject({ status: 'False', reason: 'InstanceTerminated' });
    await world.run(120);
    expect(instances(world)).toEqual([]);
    world.remove('AWSMachine', 'one');
    await world.until(isGone(world));
  });

  const missing = [
    { kind: 'instance-type', name: 't3.large', says: /InvalidInstanceType/ },
    { kind: 'image', name: 'v1.35.0', says: /capa-ami-ubuntu-24.04-\?1.35.0-\*/ },
    {
      kind: 'instance-profile',
      name: 'control-plane.cluster-api-provider-aws.sigs.k8s.io',
      says: /IAM Instance Profile/,
    },
    { kind: 'key-pair', name: 'default', says: /InvalidKeyPair.NotFound/ },
  ] as const;
  it.each(missing)('reports a missing $kind, and continues once it exists', async ({ kind, name, says }) => {
    const world = await started();
    world.account.remove(kind, name);
    addMachine(world, 'one', { spec: { sshKeyName: 'default' } });
    await world.until(() => conditionOf(world, 'InstanceReady')?.reason === 'InstanceProvisionFailed', 60);
    expect(conditionOf(world, 'InstanceReady')?.message).toMatch(says);
    await world.run(100);
    expect(instances(world)).toEqual([]);
    world.account.restore(kind, name);
    await world.until(isRunning(world), 120);
    expect(instances(world)).toHaveLength(1);
  });

  it.each([
    { rule: 'refuses it', action: 'CreateSecret', more: {} },
    {
      rule: 'already has the parameter',
      action: 'PutParameter',
      more: { cloudInit: { secureSecretsBackend: 'ssm-parameter-store' } },
    },
  ] as const)('reports why nothing is launched, not that its secret exists, where AWS $rule', async ({
    action,
    more,
  }) => {
    const world = await started();
    world.account.remove('key-pair', 'default');
    // Some implementations of the API never create a secret twice, whatever its token is.
    const { call } = world.account;
    const made = new Set<string>();
    const repeated: string[] = [];
    world.account.call = async (region, operation, input) => {
      const { Name = '' } = input as { Name?: string };
      if (operation === action && made.has(Name)) {
        repeated.push(Name);
        const code = action === 'CreateSecret' ? 'ResourceExistsException' : 'ParameterAlreadyExists';
        throw new CloudError(code, `${Name} already exists.`);
      }
      const output = await call(region, operation, input);
      if (operation === action) made.add(Name);
      return output;
    };
    addMachine(world, 'one', { spec: { sshKeyName: 'default', ...more } });
    const message = () => conditionOf(world, 'InstanceReady')?.message ?? '';
    await world.until(() => conditionOf(world, 'InstanceReady')?.reason === 'InstanceProvisionFailed', 60);
    const messages = new Set<string>();
    for (let second = 0; second < 120; second += 1) {
      await world.run(1);
      messages.add(message());
    }
    expect([...messages]).toEqual([expect.stringMatching(/^RunInstances: InvalidKeyPair.NotFound/)]);
    expect(world.events.filter((event) => /already exists|Exists/.test(event))).toEqual([]);
    expect(repeated).toEqual([]);
    world.account.restore('key-pair', 'default');
    await world.until(isRunning(world), 120);
    expect(instances(world)).toHaveLength(1);
  });

  it('launches with a secret that it created before a crash', async () => {
    const world = await started();
    const { call } = world.account;
    let isMade = false;
    world.account.call = async (region, operation, input) => {
      if (operation !== 'CreateSecret') return call(region, operation, input);
      if (isMade) throw new CloudError('ResourceExistsException', 'already exists.');
      isMade = true;
      await call(region, operation, input);
      throw new CloudError('InternalServiceError', 'it was made all the same');
    };
    addMachine(world, 'one', {});
    const messages = new Set<string>();
    await world.until(() => {
      messages.add(conditionOf(world, 'InstanceReady')?.message ?? '');
      return isRunning(world)();
    }, 180);
    expect([...messages].filter((message) => message.includes('ResourceExists'))).toEqual([]);
    expect(instances(world)).toHaveLength(1);
  });

  it('treats throttling as waiting, and reports after a minute what it waits for', async () => {
    const world = await started();
    world.account.faults.add({
      action: 'RunInstances',
      code: 'RequestLimitExceeded',
      message: 'Request limit exceeded.',
    });
    addMachine(world, 'one', { controlPlane: false });
    const reason = () => conditionOf(world, 'InstanceReady')?.reason;
    await world.until(() => reason() === 'InstanceProvisionStarted', 30);
    const begun = world.now();
    await world.until(() => reason() === 'InstanceProvisionFailed', 120);
    expect(world.now() - begun).toBeGreaterThan(50_000);
    expect(conditionOf(world, 'InstanceReady')?.message).toBe(
      'RunInstances: RequestLimitExceeded: Request limit exceeded. It is tried again.',
    );
    world.account.faults.clear();
    await world.until(isRunning(world), 120);
  });

  it('moves to another zone when one has no capacity', async () => {
    const world = await started();
    world.account.faults.add({
      action: 'RunInstances',
      zone: 'eu-west-1a',
      code: 'InsufficientInstanceCapacity',
      message: 'none left',
    });
    addMachine(world, 'one', { controlPlane: false });
    await world.until(isRunning(world), 300);
    expect(machineOf(world).spec?.providerID).toMatch(/eu-west-1[bc]/);
  });

  it('makes no call with the token of one that a restore took back', async () => {
    const world = await started();
    const { call } = world.account;
    let tokens = new Set<string>();
    let first: AWSMachine | undefined;
    world.account.call = (region, operation, input) => {
      if (operation !== 'RunInstances') return call(region, operation, input);
      first ??= structuredClone(machineOf(world));
      tokens.add((input as { ClientToken: string }).ClientToken);
      return Promise.reject(new CloudError('InsufficientInstanceCapacity', 'none left'));
    };
    addMachine(world, 'one', { controlPlane: false });
    await world.until(() => tokens.size === 3);
    const before = tokens;
    tokens = new Set();
    world.put(first!);
    await world.until(() => tokens.size === 3);
    const launch = launchOf(first!.metadata)!;
    expect([...before].filter((token) => token !== launch.token && tokens.has(token))).toEqual([]);
    expect([...before, ...tokens].every((token) => hasAttempted(launch, token))).toBe(true);
  });

  it('adopts its instance when a user had removed all tags of it', async () => {
    const world = await started();
    addMachine(world, 'one');
    await world.until(() => instances(world).length > 0);
    const [id] = instances(world);
    expect(machineOf(world).spec?.providerID).toBeUndefined();
    const keys = ['installation', 'cluster-uid', 'machine-uid'].map((name) => `capstan.dev/${name}`);
    await world.account.call('eu-west-1', 'DeleteTags', { Resources: [id!], Tags: keys.map((Key) => ({ Key })) });
    await world.until(isRunning(world), 300);
    await world.run(300);
    expect([instances(world), machineOf(world).spec?.instanceID]).toEqual([[id], id]);
    const { Reservations } = await world.account.call('eu-west-1', 'DescribeInstances', { InstanceIds: [id!] });
    expect(Reservations[0]!.Instances[0]!.Tags.map(({ Key }) => Key)).toEqual(expect.arrayContaining(keys));
  });

  it('destroys nothing that has lost its tags', async () => {
    const world = await started();
    addMachine(world, 'one');
    await world.until(isRunning(world));
    const [id] = instances(world);
    await world.account.call('eu-west-1', 'DeleteTags', {
      Resources: [id!],
      Tags: [{ Key: 'capstan.dev/machine-uid' }],
    });
    world.remove('AWSMachine', 'one');
    await world.run(120);
    expect(instances(world)).toEqual([id]);
    expect(conditionOf(world, 'InstanceReady')?.message).toMatch(/no longer carries the tags/);
  });
});

describe('the spec of an AWSMachine reaches its instance', () => {
  const describeOne = async (world: World) => {
    const { Reservations } = await world.account.call('eu-west-1', 'DescribeInstances', {
      InstanceIds: instances(world),
    });
    return Reservations[0]!.Instances[0]!;
  };
  const volumesOf = async (world: World) =>
    (await world.account.call('eu-west-1', 'DescribeVolumes', {})).Volumes.map(({ Size, Encrypted }) => ({
      Size,
      Encrypted,
    }));

  it.each([
    {
      rule: 'session tokens and encrypted volumes by default',
      spec: {},
      has: { MetadataOptions: { HttpTokens: 'required' } },
      volumes: [{ Size: 8, Encrypted: true }],
    },
    {
      rule: 'a key, a public address and weaker settings',
      spec: { sshKeyName: 'default', publicIP: true, instanceMetadataOptions: { httpTokens: 'optional' } },
      has: { KeyName: 'default', PublicIpAddress: expect.any(String), MetadataOptions: { HttpTokens: 'optional' } },
      volumes: [{ Size: 8, Encrypted: true }],
    },
    {
      rule: 'larger and additional volumes',
      spec: {
        rootVolume: { size: 30, type: 'gp3', throughput: 200 },
        nonRootVolumes: [{ deviceName: '/dev/sdb', size: 9 }],
      },
      has: {},
      volumes: [
        { Size: 30, Encrypted: true },
        { Size: 9, Encrypted: true },
      ],
    },
    {
      rule: 'dedicated hardware',
      spec: { tenancy: 'dedicated' },
      has: { Placement: { Tenancy: 'dedicated' } },
      volumes: [{ Size: 8, Encrypted: true }],
    },
    {
      rule: 'another architecture',
      spec: { instanceType: 'm6g.large' },
      has: { InstanceType: 'm6g.large' },
      volumes: [{ Size: 8, Encrypted: true }],
    },
    {
      rule: 'a subnet by filters',
      spec: { subnet: { filters: [{ name: 'tag:Name', values: ['demo-subnet-private-eu-west-1c'] }] } },
      has: { Placement: { AvailabilityZone: 'eu-west-1c' } },
      volumes: [{ Size: 8, Encrypted: true }],
    },
    {
      rule: 'a subnet by its name in the cluster',
      spec: { subnet: { id: 'demo-subnet-private-eu-west-1b' } },
      has: { Placement: { AvailabilityZone: 'eu-west-1b' } },
      volumes: [{ Size: 8, Encrypted: true }],
    },
    {
      rule: 'plain user data',
      spec: { cloudInit: { insecureSkipSecretsManager: true } },
      has: {},
      volumes: [{ Size: 8, Encrypted: true }],
    },
  ])('$rule', async ({ spec, has, volumes }) => {
    const world = await started({ behaviour: { inconsistency: 0 } });
    addMachine(world, 'one', { spec, controlPlane: false });
    await world.until(isRunning(world));
    const instance = await describeOne(world);
    expect(instance).toMatchObject(has);
    // No key unless one is named.
    expect('KeyName' in instance).toBe('sshKeyName' in spec);
    expect(await volumesOf(world)).toEqual(volumes);
    expect(world.live('secret').length > 0).toBe(!('cloudInit' in spec));
  });

  it('ownership tags on everything that is launched', async () => {
    const world = await started();
    addMachine(world, 'one');
    await world.until(isRunning(world));
    const { NetworkInterfaces } = await describeOne(world);
    const { Volumes } = await world.account.call('eu-west-1', 'DescribeVolumes', {});
    const ids = NetworkInterfaces.map(({ NetworkInterfaceId }) => NetworkInterfaceId);
    const interfaces = await world.account.call('eu-west-1', 'DescribeNetworkInterfaces', { NetworkInterfaceIds: ids });
    const launched = [...Volumes.map(({ Tags }) => Tags), ...interfaces.NetworkInterfaces.map(({ TagSet }) => TagSet)];
    expect(launched).toHaveLength(2);
    for (const tags of launched)
      expect(tags).toEqual(
        expect.arrayContaining([
          { Key: 'capstan.dev/installation', Value: 'here' },
          { Key: 'capstan.dev/cluster-uid', Value: 'uid-of-demo' },
        ]),
      );
  });

  it('its failure domain', async () => {
    const world = await started();
    addMachine(world, 'one', { machine: { failureDomain: 'eu-west-1c' } });
    await world.until(isRunning(world));
    expect(machineOf(world).spec?.providerID).toMatch(/^aws:\/\/\/eu-west-1c\//);
  });

  it('additional groups and tags, even when they are added later', async () => {
    const world = await started({ behaviour: { inconsistency: 0 } });
    addMachine(world, 'one');
    await world.until(isRunning(world));
    const { VpcId } = await describeOne(world);
    const { GroupId } = await world.account.call('eu-west-1', 'CreateSecurityGroup', {
      GroupName: 'more',
      Description: 'more',
      VpcId: VpcId!,
      TagSpecifications: [],
    });
    const object = machineOf(world);
    world.put({
      ...object,
      spec: { ...object.spec, additionalSecurityGroups: [{ id: GroupId }], additionalTags: { team: 'blue' } },
    });
    await world.run(10);
    const { SecurityGroups, Tags } = await describeOne(world);
    expect(SecurityGroups.map((group) => group.GroupId)).toContain(GroupId);
    expect(SecurityGroups).toHaveLength(4);
    expect(Tags).toContainEqual({ Key: 'team', Value: 'blue' });
  });

  it('names the filters of security groups that match nothing, and keeps its own groups', async () => {
    const world = await started();
    addMachine(world, 'one');
    await world.until(isRunning(world));
    const filters = [{ name: 'group-name', values: ['none'] }];
    const object = machineOf(world);
    world.put({ ...object, spec: { ...object.spec, additionalSecurityGroups: [{ filters }] } } as AWSMachine);
    await world.run(120);
    expect(conditionOf(world, 'SecurityGroupsReady')).toMatchObject({
      status: 'False',
      message: `no security group matches ${JSON.stringify(filters)}`,
    });
    expect((await describeOne(world)).SecurityGroups).toHaveLength(3);
  });

  it('is not given groups by a reference that selects none', async () => {
    const world = await started();
    addMachine(world, 'one', { spec: { additionalSecurityGroups: [{}, { filters: [] }] } });
    await world.until(isRunning(world));
    expect((await describeOne(world)).SecurityGroups).toHaveLength(3);
  });

  it.each([
    { spec: { tenancy: 'host', hostID: 'h-0123456789abcdef0' }, says: /hostID: Dedicated hosts/ },
  ])('reports unsupported settings: $says', async ({ spec, says }) => {
    const world = await started();
    addMachine(world, 'one', { spec });
    await world.until(isRunning(world));
    expect(conditionOf(world, 'SpecActedOn')).toMatchObject({ status: 'False', message: expect.stringMatching(says) });
  });

  it('waits for room in its reservation, says so, and takes it', async () => {
    const zone = 'eu-west-1a';
    const behaviour = { capacityReservations: { 'cr-1': { type: 't3.large', zone, count: 1 } } };
    const world = await started({ behaviour });
    const spec = { instanceType: 't3.large', capacityReservationId: 'cr-1' };
    const fault = world.account.faults.add({ action: 'RunInstances', code: 'ReservationCapacityExceeded', zone });
    addMachine(world, 'one', { spec });
    await world.run(120);
    expect(instances(world)).toEqual([]);
    expect(conditionOf(world, 'InstanceReady')).toMatchObject({
      status: 'False',
      message: expect.stringMatching(/ReservationCapacityExceeded.*raise the reservation/),
    });
    world.account.faults.clear(fault.id);
    await world.until(isRunning(world), 3600);
    expect((await describeOne(world)).Placement.AvailabilityZone).toBe(zone);
  });

  it('is not launched with unsupported Ignition', async () => {
    const world = await started();
    addMachine(world, 'one', { spec: { ignition: { version: '3.4' } } });
    await world.run(30);
    expect(instances(world)).toEqual([]);
    expect(conditionOf(world, 'InstanceReady')?.message).toMatch(/ignition is not acted on/);
  });
});

describe('bootstrap data in Parameter Store', () => {
  const spec = { cloudInit: { secureSecretsBackend: 'ssm-parameter-store' } };
  /** Larger than a parameter even when compressed. */
  const fill = (world: World) => {
    const lines = Array.from({ length: 800 }, (_, i) => `# ${createHash('sha256').update(String(i)).digest('hex')}`);
    const text = ['## template: jinja', '#cloud-config', ...lines].join('\n');
    const secret = world.get('Secret', 'one');
    world.put({ ...secret, data: { value: Buffer.from(text).toString('base64') } } as never);
    return text;
  };
  /** The result of the user data on the instance. */
  const read = (world: World, id: string) => {
    const { userData, region } = world.account.instance(id)!;
    return readUserData(userData, { region, read: (name) => world.account.readSecret(id, name) });
  };

  it.each([
    1, 2, 3, 4, 5, 6,
  ])('is complete, and deleted when the node exists, despite crashes (seed %i)', async (seed) => {
    const world = await started({ seed, behaviour: { inconsistency: 8_000, staleReads: 0.6 } });
    addMachine(world, 'one', { spec });
    const text = fill(world);
    world.crashAfter(1 + seed * 2);
    await world.run(20);
    world.crashAfter(Number.POSITIVE_INFINITY);
    await world.until(isRunning(world));
    const [id, ...more] = instances(world);
    expect(more).toEqual([]);
    expect(machineOf(world).spec?.cloudInit?.secretPrefix).toMatch(/^\/cluster\.x-k8s\.io\/[0-9a-f-]{36}$/);
    expect(read(world, id!)).toMatchObject({ documents: [text], faults: [] });
    expect(world.live('parameter').length).toBeGreaterThan(3);
    expect(world.live('secret')).toEqual([]);
    const machine = world.get('Machine', 'one');
    world.put({ ...machine, status: { nodeRef: { name: 'node' } } });
    await world.until(() => world.live('parameter').length === 0);
    await world.until(() => machineOf(world).spec?.cloudInit?.secretPrefix === undefined);
  });

  it('is deleted with a machine that never became a node', async () => {
    const world = await started();
    addMachine(world, 'one', { spec });
    await world.until(isRunning(world));
    world.remove('AWSMachine', 'one');
    await world.until(isGone(world));
    expect(world.live('parameter')).toEqual([]);
  });
});

it('looks up EKS images only with an EKS control plane, as CAPA does', async () => {
  const world = await started();
  addMachine(world, 'one', { spec: { ami: { eksLookupType: 'AmazonLinux2023' } } });
  await world.until(isRunning(world));
  expect(world.account.instance(instances(world)[0]!)?.imageName).toMatch(/^capa-ami-/);
  expect(conditionOf(world, 'SpecActedOn')).toBeUndefined();
});

describe('splitForSecrets', () => {
  let chunks: string[];
  beforeAll(() => {
    const noise = Buffer.from(Array.from({ length: 30_000 }, (_, i) => (i * 7919 + (i % 97) * i) % 256));
    chunks = splitForSecrets('p', noise).chunks;
  });
  it('splits data that is larger than a chunk, without loss', async () => {
    expect(chunks.length).toBeGreaterThan(1);
    const { gunzipSync } = await import('node:zlib');
    expect(gunzipSync(Buffer.concat(chunks.map((chunk) => Buffer.from(chunk, 'base64')))).length).toBe(30_000);
    for (const chunk of chunks) expect(Buffer.from(chunk, 'base64').length).toBeLessThanOrEqual(7000);
  });
});

it('looks up a 64-bit image when its type supports several architectures', async () => {
  const world = await started();
  addMachine(world, 'one', { spec: { instanceType: 't2.medium' } });
  await world.until(isRunning(world), 300);
});

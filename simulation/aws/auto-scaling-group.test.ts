import { describe, expect, it } from 'vitest';
import { refusal } from './account.fixture.ts';
import { hook, groupName as name, openGroup } from './group.fixture.ts';

const second = 1000;

describe('a group', () => {
  it('launches its desired capacity, spread over its zones, with its tags', async () => {
    const { world, read, states, pass } = await openGroup({
      DesiredCapacity: 4,
      Tags: [
        { ResourceId: name, ResourceType: 'auto-scaling-group', Key: 'team', Value: 'a', PropagateAtLaunch: true },
      ],
    });
    await pass(10);
    expect(await states()).toEqual(['Pending', 'Pending', 'Pending', 'Pending']);
    await pass(20);
    expect(await states()).toEqual(['InService', 'InService', 'InService', 'InService']);
    const zones = (await read()).Instances.map(({ AvailabilityZone }) => AvailabilityZone).sort();
    expect(zones).toEqual(['us-east-1a', 'us-east-1a', 'us-east-1b', 'us-east-1b']);
    expect(world.recorded.booted[0]?.tags).toMatchObject({ team: 'a', 'aws:autoscaling:groupName': name });
  });

  it('is listed with its template, but not by the tagging API', async () => {
    const { world, call } = await openGroup({
      Tags: [
        { ResourceId: name, ResourceType: 'auto-scaling-group', Key: 'team', Value: 'a', PropagateAtLaunch: false },
      ],
    });
    const types = world.account.list().map(({ type }) => type);
    expect(types).toContain('launch-template');
    expect(types).toContain('auto-scaling-group');
    const { ResourceTagMappingList } = await call('GetResources', { TagFilters: [{ Key: 'team', Values: ['a'] }] });
    expect(ResourceTagMappingList).toEqual([]);
  });

  it.each([
    { rule: 'its desired capacity is above its maximum', sizes: { MaxSize: 1, DesiredCapacity: 2 } },
    { rule: 'its desired capacity is below its minimum', sizes: { MinSize: 3, DesiredCapacity: 2 } },
    { rule: 'its minimum is above its maximum', sizes: { MinSize: 20, MaxSize: 1 } },
  ])('is refused when $rule', async ({ sizes }) => {
    const { update } = await openGroup();
    expect(await refusal(update(sizes))).toBe('ValidationError');
  });

  it('follows its bounds when an update sets no desired capacity', async () => {
    const { read, update } = await openGroup({ DesiredCapacity: 2 });
    await update({ MinSize: 4 });
    expect(await read()).toMatchObject({ MinSize: 4, DesiredCapacity: 4 });
    await update({ MinSize: 0, MaxSize: 1 });
    expect(await read()).toMatchObject({ MaxSize: 1, DesiredCapacity: 1 });
  });

  it('replaces an instance that was terminated outside of it', async () => {
    const { world, ids, states, pass } = await openGroup({ DesiredCapacity: 2 });
    await pass(30);
    const [gone] = await ids();
    world.account.terminate(gone!);
    await pass(120);
    expect(await states()).toEqual(['InService', 'InService']);
    expect(await ids()).not.toContain(gone);
  });

  it('keeps an unhealthy instance while replacing is suspended', async () => {
    const { world, call, ids, read, pass } = await openGroup({ DesiredCapacity: 1 });
    await pass(30);
    await call('SuspendProcesses', { AutoScalingGroupName: name, ScalingProcesses: ['ReplaceUnhealthy'] });
    const [ill] = await ids();
    world.account.trouble(ill!, { impaired: ['system'] });
    await pass(120);
    expect((await read()).Instances).toMatchObject([{ InstanceId: ill, HealthStatus: 'Unhealthy' }]);
    await call('ResumeProcesses', { AutoScalingGroupName: name, ScalingProcesses: ['ReplaceUnhealthy'] });
    await pass(120);
    expect(await ids()).not.toContain(ill);
  });

  it('gives up the oldest version of the template in the fullest zone', async () => {
    const { read, update, newVersion, pass } = await openGroup({ DesiredCapacity: 2 });
    await pass(30);
    await newVersion();
    await update({ DesiredCapacity: 4 });
    await pass(30);
    await update({ DesiredCapacity: 2 });
    await pass(60);
    const { Instances } = await read();
    expect(Instances.map(({ LaunchTemplate }) => LaunchTemplate?.Version)).toEqual(['2', '2']);
    expect(new Set(Instances.map(({ AvailabilityZone }) => AvailabilityZone)).size).toBe(2);
  });

  it('tries its other zones when one has no capacity, and reports when none has', async () => {
    const { world, read, activities, update, pass } = await openGroup();
    const { faults } = world.account;
    faults.add({ action: 'RunInstances', code: 'InsufficientInstanceCapacity', zone: 'us-east-1a' });
    await update({ DesiredCapacity: 2 });
    await pass(30);
    expect((await read()).Instances.map(({ AvailabilityZone }) => AvailabilityZone)).toEqual([
      'us-east-1b',
      'us-east-1b',
    ]);
    faults.add({ action: 'RunInstances', code: 'InsufficientInstanceCapacity' });
    await update({ DesiredCapacity: 3 });
    await pass(10);
    expect((await activities())[0]).toMatchObject({
      StatusCode: 'Failed',
      StatusMessage: expect.stringMatching(
        /^We currently do not have sufficient t3.large capacity .* Launching EC2 instance failed\.$/,
      ),
    });
    faults.clear();
    await pass(90);
    expect((await read()).Instances).toHaveLength(3);
  });

  it('terminates an instance on request, with or without a replacement', async () => {
    const { call, ids, read, pass } = await openGroup({ DesiredCapacity: 2, MinSize: 1 });
    await pass(30);
    const end = async (ShouldDecrementDesiredCapacity: boolean) =>
      call('TerminateInstanceInAutoScalingGroup', { InstanceId: (await ids())[0]!, ShouldDecrementDesiredCapacity });
    await end(true);
    await pass(60);
    expect((await read()).Instances).toHaveLength(1);
    expect(await refusal(end(true))).toBe('ValidationError');
    await end(false);
    await pass(60);
    expect(await read()).toMatchObject({ DesiredCapacity: 1, Instances: [{ LifecycleState: 'InService' }] });
  });

  it('is deleted when it is empty, or by force', async () => {
    const { world, call, pass } = await openGroup({
      DesiredCapacity: 1,
      LifecycleHookSpecificationList: [hook('TERMINATING')],
    });
    await pass(30);
    const remove = (more = {}) => call('DeleteAutoScalingGroup', { AutoScalingGroupName: name, ...more });
    expect(await refusal(remove())).toBe('ResourceInUse');
    await remove({ ForceDelete: true });
    await pass(5);
    const list = async () => (await call('DescribeAutoScalingGroups', {})).AutoScalingGroups;
    expect(await list()).toMatchObject([{ Status: 'Delete in progress' }]);
    await pass(60);
    expect(await list()).toEqual([]);
    expect(world.account.list().filter(({ type }) => /^(instance|auto-scaling-group)$/.test(type))).toEqual([]);
  });
});

describe('lifecycle hooks', () => {
  it('hold a launching instance until they are answered', async () => {
    const { world, call, ids, states, pass } = await openGroup({
      DesiredCapacity: 1,
      LifecycleHookSpecificationList: [hook('LAUNCHING')],
    });
    await pass(30);
    expect(await states()).toEqual(['Pending:Wait']);
    const [InstanceId] = await ids();
    expect(world.recorded.groupEvents).toEqual([`EC2 Instance-launch Lifecycle Action ${InstanceId}`]);
    const action = { AutoScalingGroupName: name, LifecycleHookName: 'launching', InstanceId: InstanceId! };
    await call('CompleteLifecycleAction', { ...action, LifecycleActionResult: 'CONTINUE' });
    await pass(10);
    expect(await states()).toEqual(['InService']);
    expect(await refusal(call('CompleteLifecycleAction', { ...action, LifecycleActionResult: 'CONTINUE' }))).toBe(
      'ValidationError',
    );
  });

  it.each([
    { default: 'ABANDON' as const, rule: 'replaces an instance whose launch is abandoned', isKept: false },
    { default: 'CONTINUE' as const, rule: 'puts it into service when that is the default', isKept: true },
  ])('a timeout $rule', async ({ default: DefaultResult, isKept }) => {
    const { ids, pass } = await openGroup({
      DesiredCapacity: 1,
      LifecycleHookSpecificationList: [hook('LAUNCHING', { DefaultResult })],
    });
    await pass(30);
    const [first] = await ids();
    await pass(400);
    expect((await ids()).includes(first!)).toBe(isKept);
  });

  it('hold a terminating instance; a heartbeat starts its timeout again, and a restart loses nothing', async () => {
    const { world, call, ids, states, update, pass } = await openGroup({
      DesiredCapacity: 1,
      LifecycleHookSpecificationList: [hook('TERMINATING')],
    });
    await pass(30);
    const [InstanceId] = await ids();
    await update({ DesiredCapacity: 0 });
    await pass(200);
    expect(await states()).toEqual(['Terminating:Wait']);
    const action = { AutoScalingGroupName: name, LifecycleHookName: 'terminating', InstanceId: InstanceId! };
    await call('RecordLifecycleActionHeartbeat', action);
    await world.restart(200 * second);
    expect(await states()).toEqual(['Terminating:Wait']);
    expect(await world.state(InstanceId!)).toBe('running');
    await pass(150);
    expect(await states()).toEqual([]);
  });
});

describe('a group of several types and markets', () => {
  const open = (distribution: object, types = ['t3.large', 'm5.large'], behaviour = {}) =>
    openGroup(
      (LaunchTemplateId) => ({
        DesiredCapacity: 4,
        MixedInstancesPolicy: {
          LaunchTemplate: {
            LaunchTemplateSpecification: { LaunchTemplateId, Version: '$Latest' },
            Overrides: types.map((InstanceType) => ({ InstanceType })),
          },
          InstancesDistribution: distribution,
        },
      }),
      { behaviour },
    );
  const marketsOf = async ({ call, ids }: Awaited<ReturnType<typeof open>>) => {
    const { Reservations } = await call('DescribeInstances', { InstanceIds: await ids() });
    return Reservations.map(({ Instances }) => Instances[0]!.InstanceLifecycle ?? 'on-demand').sort();
  };

  it('has its base and its share of instances on demand', async () => {
    const opened = await open({ OnDemandBaseCapacity: 1, OnDemandPercentageAboveBaseCapacity: 33 });
    await opened.pass(30);
    expect(await marketsOf(opened)).toEqual(['on-demand', 'on-demand', 'spot', 'spot']);
  });

  it.each([
    { strategy: 'prioritized', type: 't3.large' },
    { strategy: 'lowest-price', type: 'm5.large' },
  ])('takes types by $strategy', async ({ strategy, type }) => {
    const behaviour = { onDemandPrices: { 'm5.large': 0.001 } };
    const { instances, pass } = await open({ OnDemandAllocationStrategy: strategy }, undefined, behaviour);
    await pass(30);
    expect(new Set((await instances()).map(({ InstanceType }) => InstanceType))).toEqual(new Set([type]));
  });

  it('takes another type where the first has no capacity', async () => {
    const { world, instances, pass } = await open({});
    world.account.faults.add({ action: 'RunInstances', code: 'InsufficientInstanceCapacity', type: 't3.large' });
    await pass(30);
    expect((await instances()).map(({ InstanceType }) => InstanceType)).toEqual(Array(4).fill('m5.large'));
  });

  it('takes no template that asks for spot instances itself', async () => {
    const { call, template, update, newVersion } = await open({});
    await newVersion('spot');
    const { LaunchTemplateVersions } = await call('DescribeLaunchTemplateVersions', { LaunchTemplateId: template });
    await call('CreateLaunchTemplateVersion', {
      LaunchTemplateId: template,
      ClientToken: 'spot itself',
      LaunchTemplateData: {
        ...LaunchTemplateVersions[0]!.LaunchTemplateData,
        InstanceMarketOptions: {
          MarketType: 'spot',
          SpotOptions: { SpotInstanceType: 'one-time', InstanceInterruptionBehavior: 'terminate' },
        },
      },
    });
    expect(await refusal(update({ DesiredCapacity: 5 }))).toBe('ValidationError');
  });

  it.each([
    { CapacityRebalance: true, rule: 'replaces a spot instance before its interruption', least: 4 },
    { CapacityRebalance: false, rule: 'replaces it after its interruption', least: 3 },
  ])('$rule where CapacityRebalance is $CapacityRebalance', async ({ CapacityRebalance, least }) => {
    const { world, ids, instances, update, pass } = await open({ OnDemandPercentageAboveBaseCapacity: 0 });
    await update({ CapacityRebalance });
    await pass(60);
    const [leaving] = await ids();
    world.account.interrupt(leaving!);
    let fewest = 4;
    for (let passed = 0; passed < 400; passed += 2) {
      await pass(2);
      const inService = (await instances()).filter(({ LifecycleState }) => LifecycleState === 'InService');
      const states = await Promise.all(inService.map(({ InstanceId }) => world.state(InstanceId)));
      fewest = Math.min(fewest, states.filter((state) => state === 'running').length);
    }
    expect(fewest).toBe(least);
    expect(await ids()).toHaveLength(4);
    expect(await ids()).not.toContain(leaving);
  });
});

describe('the zones of a group', () => {
  it('are balanced again, one instance after the other, once a zone has capacity', async () => {
    const { world, instances, zones, update, pass } = await openGroup();
    const fault = world.account.faults.add({
      action: 'RunInstances',
      code: 'InsufficientInstanceCapacity',
      zone: 'us-east-1a',
    });
    await update({ DesiredCapacity: 4 });
    await pass(60);
    expect(await zones()).toEqual(Array(4).fill('us-east-1b'));
    world.account.faults.clear(fault.id);
    let fewest = 4;
    for (let passed = 0; passed < 1200; passed += 5) {
      await pass(5);
      const inService = (await instances()).filter(({ LifecycleState }) => LifecycleState === 'InService');
      fewest = Math.min(fewest, inService.length);
    }
    expect(await zones()).toEqual(['us-east-1a', 'us-east-1a', 'us-east-1b', 'us-east-1b']);
    expect(fewest).toBe(4);
  });

  it('stay as they are while one has no capacity, or while balancing is suspended', async () => {
    const { world, call, ids, zones, update, pass } = await openGroup();
    const fault = { action: 'RunInstances', code: 'InsufficientInstanceCapacity', zone: 'us-east-1a' };
    world.account.faults.add(fault);
    await update({ DesiredCapacity: 4 });
    await pass(60);
    const before = await ids();
    await pass(3600);
    expect(await ids()).toEqual(before);
    await call('SuspendProcesses', { AutoScalingGroupName: name, ScalingProcesses: ['AZRebalance'] });
    world.account.faults.clear();
    await pass(3600);
    expect(await zones()).toEqual(Array(4).fill('us-east-1b'));
  });
});

describe('an instance refresh', () => {
  it.each([
    { rule: 'terminates first', preferences: { MinHealthyPercentage: 50 }, least: 2, most: 4 },
    {
      rule: 'launches first',
      preferences: { MinHealthyPercentage: 100, MaxHealthyPercentage: 125 },
      least: 4,
      most: 5,
    },
    {
      rule: 'terminates first where nothing may be missing',
      preferences: { MinHealthyPercentage: 100 },
      least: 3,
      most: 4,
    },
    {
      rule: 'launches first where nothing may be missing or too much',
      preferences: { MinHealthyPercentage: 100, MaxHealthyPercentage: 100 },
      least: 4,
      most: 5,
    },
    { rule: 'does both', preferences: { MinHealthyPercentage: 75, MaxHealthyPercentage: 150 }, least: 3, most: 6 },
  ])('$rule within its bounds', async ({ preferences, least, most }) => {
    const { ids, read, newVersion, refresh, lastRefresh, pass } = await openGroup({ DesiredCapacity: 4 });
    await pass(60);
    const before = await ids();
    await newVersion();
    await refresh({ ...preferences, InstanceWarmup: 60 });
    const counts = { least: 4, most: 0 };
    for (let passed = 0; passed < 1800; passed += 5) {
      await pass(5);
      const { Instances } = await read();
      const inState = (pattern: RegExp) =>
        Instances.filter(({ LifecycleState }) => pattern.test(LifecycleState)).length;
      counts.least = Math.min(counts.least, inState(/^InService/));
      counts.most = Math.max(counts.most, inState(/^(InService|Pending)/));
    }
    expect(counts).toEqual({ least, most });
    expect(await lastRefresh()).toMatchObject({ Status: 'Successful', PercentageComplete: 100 });
    expect((await ids()).some((id) => before.includes(id))).toBe(false);
    expect((await read()).Instances.map(({ LaunchTemplate }) => LaunchTemplate?.Version)).toEqual(['2', '2', '2', '2']);
  });

  it('is the only one, and can be cancelled', async () => {
    const { world, call, refresh, lastRefresh, pass } = await openGroup({ DesiredCapacity: 4 });
    await pass(60);
    expect(await refusal(call('CancelInstanceRefresh', { AutoScalingGroupName: name }))).toBe(
      'ActiveInstanceRefreshNotFound',
    );
    await refresh({ InstanceWarmup: 300 });
    await pass(60);
    expect(await refusal(refresh())).toBe('InstanceRefreshInProgress');
    await call('CancelInstanceRefresh', { AutoScalingGroupName: name });
    expect(await lastRefresh()).toMatchObject({ Status: 'Cancelling' });
    await pass(10);
    expect(await lastRefresh()).toMatchObject({ Status: 'Cancelled' });
    await pass(300);
    expect(world.recorded.groupEvents.filter((event) => event.includes('Refresh'))).toEqual([
      'EC2 Auto Scaling Instance Refresh Started',
      'EC2 Auto Scaling Instance Refresh Cancelled',
    ]);
  });
});

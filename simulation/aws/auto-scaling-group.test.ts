import { describe, expect, it } from 'vitest';
import type { CloudInput, LifecycleHook } from '../../kinds/ports/cloud/index.ts';
import { openWorld, refusal } from './account.fixture.ts';

const second = 1000;
const name = 'workers';

const open = async (group: Partial<CloudInput<'CreateAutoScalingGroup'>> = {}, behaviour = {}) => {
  const world = openWorld({ behaviour });
  const { call, make } = world;
  const vpc = await make.vpc();
  const subnets = [await make.subnet(vpc, '10.0.0.0/20'), await make.subnet(vpc, '10.0.16.0/20', {}, 'us-east-1b')];
  const template = await make.launchTemplate(name);
  await make.autoScalingGroup(name, subnets, template, group);
  const read = async () =>
    (await call('DescribeAutoScalingGroups', { AutoScalingGroupNames: [name] })).AutoScalingGroups[0]!;
  const ids = async () => (await read()).Instances.map(({ InstanceId }) => InstanceId);
  /** Lifecycle states, sorted. */
  const states = async () => (await read()).Instances.map(({ LifecycleState }) => LifecycleState).sort();
  const update = (change: Partial<CloudInput<'UpdateAutoScalingGroup'>>) =>
    call('UpdateAutoScalingGroup', { AutoScalingGroupName: name, ...change });
  const activities = async () => (await call('DescribeScalingActivities', { AutoScalingGroupName: name })).Activities;
  const newVersion = async (token = 'v2') =>
    call('CreateLaunchTemplateVersion', {
      LaunchTemplateId: template,
      ClientToken: token,
      LaunchTemplateData: (await call('DescribeLaunchTemplateVersions', { LaunchTemplateId: template }))
        .LaunchTemplateVersions[0]!.LaunchTemplateData,
    });
  const pass = (seconds: number) => world.clock.advance(seconds * second);
  return { world, call, subnets, template, read, ids, states, update, activities, newVersion, pass };
};

const hook = (transition: 'LAUNCHING' | 'TERMINATING', more: Partial<LifecycleHook> = {}): LifecycleHook => ({
  LifecycleHookName: transition.toLowerCase(),
  LifecycleTransition: `autoscaling:EC2_INSTANCE_${transition}`,
  DefaultResult: 'ABANDON',
  HeartbeatTimeout: 300,
  ...more,
});

describe('a group', () => {
  it('launches its desired capacity, spread over its zones, with its tags', async () => {
    const { world, read, states, pass } = await open({
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

  it.each([
    { rule: 'its desired capacity is above its maximum', sizes: { MaxSize: 1, DesiredCapacity: 2 } },
    { rule: 'its desired capacity is below its minimum', sizes: { MinSize: 3, DesiredCapacity: 2 } },
    { rule: 'its minimum is above its maximum', sizes: { MinSize: 20, MaxSize: 1 } },
  ])('is refused when $rule', async ({ sizes }) => {
    const { update } = await open();
    expect(await refusal(update(sizes))).toBe('ValidationError');
  });

  it('follows its bounds when an update sets no desired capacity', async () => {
    const { read, update } = await open({ DesiredCapacity: 2 });
    await update({ MinSize: 4 });
    expect(await read()).toMatchObject({ MinSize: 4, DesiredCapacity: 4 });
    await update({ MinSize: 0, MaxSize: 1 });
    expect(await read()).toMatchObject({ MaxSize: 1, DesiredCapacity: 1 });
  });

  it('replaces an instance that was terminated outside of it', async () => {
    const { world, ids, states, pass } = await open({ DesiredCapacity: 2 });
    await pass(30);
    const [gone] = await ids();
    world.account.terminate(gone!);
    await pass(120);
    expect(await states()).toEqual(['InService', 'InService']);
    expect(await ids()).not.toContain(gone);
  });

  it('keeps an unhealthy instance while replacing is suspended', async () => {
    const { world, call, ids, read, pass } = await open({ DesiredCapacity: 1 });
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
    const { read, update, newVersion, pass } = await open({ DesiredCapacity: 2 });
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
    const { world, read, activities, update, pass } = await open();
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
    const { call, ids, read, pass } = await open({ DesiredCapacity: 2, MinSize: 1 });
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
    const { world, call, pass } = await open({
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
    expect(world.account.list().filter(({ type }) => type === 'instance')).toEqual([]);
  });
});

describe('lifecycle hooks', () => {
  it('hold a launching instance until they are answered', async () => {
    const { world, call, ids, states, pass } = await open({
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
    const { ids, pass } = await open({
      DesiredCapacity: 1,
      LifecycleHookSpecificationList: [hook('LAUNCHING', { DefaultResult })],
    });
    await pass(30);
    const [first] = await ids();
    await pass(400);
    expect((await ids()).includes(first!)).toBe(isKept);
  });

  it('hold a terminating instance; a heartbeat starts its timeout again, and a restart loses nothing', async () => {
    const { world, call, ids, states, update, pass } = await open({
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

describe('an instance refresh', () => {
  const start = (call: Awaited<ReturnType<typeof open>>['call'], Preferences = {}) =>
    call('StartInstanceRefresh', { AutoScalingGroupName: name, Strategy: 'Rolling', Preferences });
  const last = async (call: Awaited<ReturnType<typeof open>>['call']) =>
    (await call('DescribeInstanceRefreshes', { AutoScalingGroupName: name })).InstanceRefreshes[0]!;

  it.each([
    { rule: 'terminates first', preferences: { MinHealthyPercentage: 50 }, least: 2, most: 4 },
    {
      rule: 'launches first',
      preferences: { MinHealthyPercentage: 100, MaxHealthyPercentage: 125 },
      least: 4,
      most: 5,
    },
    { rule: 'does both', preferences: { MinHealthyPercentage: 75, MaxHealthyPercentage: 150 }, least: 3, most: 6 },
  ])('$rule within its bounds', async ({ preferences, least, most }) => {
    const { call, ids, read, newVersion, pass } = await open({ DesiredCapacity: 4 });
    await pass(60);
    const before = await ids();
    await newVersion();
    await start(call, { ...preferences, InstanceWarmup: 60 });
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
    expect(await last(call)).toMatchObject({ Status: 'Successful', PercentageComplete: 100 });
    expect((await ids()).some((id) => before.includes(id))).toBe(false);
    expect((await read()).Instances.map(({ LaunchTemplate }) => LaunchTemplate?.Version)).toEqual(['2', '2', '2', '2']);
  });

  it('is the only one, and can be cancelled', async () => {
    const { world, call, pass } = await open({ DesiredCapacity: 4 });
    await pass(60);
    expect(await refusal(call('CancelInstanceRefresh', { AutoScalingGroupName: name }))).toBe(
      'ActiveInstanceRefreshNotFound',
    );
    await start(call, { InstanceWarmup: 300 });
    await pass(60);
    expect(await refusal(start(call))).toBe('InstanceRefreshInProgress');
    await call('CancelInstanceRefresh', { AutoScalingGroupName: name });
    expect(await last(call)).toMatchObject({ Status: 'Cancelling' });
    await pass(10);
    expect(await last(call)).toMatchObject({ Status: 'Cancelled' });
    await pass(300);
    expect(world.recorded.groupEvents.filter((event) => event.includes('Refresh'))).toEqual([
      'EC2 Auto Scaling Instance Refresh Started',
      'EC2 Auto Scaling Instance Refresh Cancelled',
    ]);
  });
});

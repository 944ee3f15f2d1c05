import { describe, expect, it } from 'vitest';
import type { AutoScalingGroup } from '../../ports/cloud/index.ts';
import { creationOf, missingTags, sizeOf, updateOf, type Wanted } from './group.ts';

const wanted = (spec: object = {}, more: Partial<Wanted> = {}): Wanted => ({
  name: 'pool',
  spec: { minSize: 1, maxSize: 5, awsLaunchTemplate: {}, ...spec },
  launchTemplateId: 'lt-1',
  subnets: ['subnet-b', 'subnet-a'],
  replicas: 3,
  isScaledByOthers: false,
  tags: { team: 'blue' },
  ...more,
});
const group = (change: Partial<AutoScalingGroup> = {}): AutoScalingGroup => {
  const { LifecycleHookSpecificationList: _, ...made } = creationOf(wanted());
  return {
    ...made,
    AutoScalingGroupARN: 'arn',
    DesiredCapacity: 3,
    DefaultCooldown: 300,
    AvailabilityZones: [],
    Instances: [],
    SuspendedProcesses: [],
    ...change,
  };
};

describe('the size', () => {
  it.each([
    { rule: 'is that of the MachinePool', more: {}, size: 3 },
    { rule: 'is at least the minimum', spec: { minSize: 4 }, size: 4 },
    { rule: 'is at most the maximum', spec: { maxSize: 2 }, size: 2 },
    { rule: 'is that of the group where another program scales it', more: { isScaledByOthers: true }, now: 5, size: 5 },
    { rule: 'keeps to the bounds there, too', spec: { maxSize: 4 }, more: { isScaledByOthers: true }, now: 5, size: 4 },
    { rule: 'begins with the MachinePool there, too', more: { isScaledByOthers: true }, size: 3 },
  ])('$rule', ({ spec, more, now, size }) => expect(sizeOf(wanted(spec, more), now)).toBe(size));
});

describe('an update', () => {
  it('is none of a group that is as wanted', () => expect(updateOf(wanted(), group())).toBeUndefined());

  it.each([
    {
      rule: 'sets minimum, maximum and size in one call: a minimum above the size is no error',
      spec: { minSize: 4 },
      has: { MinSize: 4, MaxSize: 5, DesiredCapacity: 4 },
    },
    { rule: 'sets the cooldown', spec: { defaultCoolDown: '1m' }, has: { DefaultCooldown: 60 } },
    { rule: 'sets the warmup', spec: { defaultInstanceWarmup: '2m' }, has: { DefaultInstanceWarmup: 120 } },
    { rule: 'sets rebalancing', spec: { capacityRebalance: true }, has: { CapacityRebalance: true } },
    { rule: 'sets other subnets', more: { subnets: ['subnet-c'] }, has: { VPCZoneIdentifier: 'subnet-c' } },
    {
      rule: 'sets a mixed policy in place of the template',
      spec: { mixedInstancesPolicy: { overrides: [{ instanceType: 'm5.large' }] } },
      has: {
        MixedInstancesPolicy: {
          LaunchTemplate: {
            LaunchTemplateSpecification: { LaunchTemplateId: 'lt-1', Version: '$Latest' },
            Overrides: [{ InstanceType: 'm5.large' }],
          },
        },
      },
    },
  ])('$rule', ({ spec, more, has }) =>
    expect(updateOf(wanted(spec, more), group())).toEqual({ AutoScalingGroupName: 'pool', ...has }));

  it('ignores the order of subnets, and fields that only the answer has', () => {
    const { MixedInstancesPolicy } = creationOf(
      wanted({ mixedInstancesPolicy: { instancesDistribution: { onDemandBaseCapacity: 1 } } }),
    );
    const { LaunchTemplate: _, ...mixed } = group({
      VPCZoneIdentifier: 'subnet-b,subnet-a',
      MixedInstancesPolicy: {
        ...MixedInstancesPolicy!,
        InstancesDistribution: { ...MixedInstancesPolicy!.InstancesDistribution, SpotInstancePools: 2 } as object,
      },
    });
    const spec = { mixedInstancesPolicy: { instancesDistribution: { onDemandBaseCapacity: 1 } } };
    expect(updateOf(wanted(spec), mixed)).toBeUndefined();
  });
});

it('adds tags that are missing, and leaves others', () => {
  const other = {
    ResourceId: 'pool',
    ResourceType: 'auto-scaling-group' as const,
    Key: 'a',
    Value: 'b',
    PropagateAtLaunch: true,
  };
  expect(missingTags(wanted(), group({ Tags: [other] }))).toMatchObject([{ Key: 'team', Value: 'blue' }]);
});

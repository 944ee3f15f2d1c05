/** An account with a launch template and a group over two zones. */
import type { CloudInput, LaunchTemplateData, LifecycleHook } from '../../kinds/ports/cloud/index.ts';
import { openWorld } from './account.fixture.ts';

const second = 1000;
export const groupName = 'workers';

export interface GroupOptions {
  template?: LaunchTemplateData;
  behaviour?: NonNullable<Parameters<typeof openWorld>[0]>['behaviour'];
  seed?: number;
}

export const openGroup = async (
  group:
    | Partial<CloudInput<'CreateAutoScalingGroup'>>
    | ((template: string) => Partial<CloudInput<'CreateAutoScalingGroup'>>) = {},
  { template: data = {}, behaviour = {}, seed = 1 }: GroupOptions = {},
) => {
  const world = openWorld({ behaviour, seed });
  const { call, make } = world;
  const vpc = await make.vpc();
  const subnets = [await make.subnet(vpc, '10.0.0.0/20'), await make.subnet(vpc, '10.0.16.0/20', {}, 'us-east-1b')];
  const template = await make.launchTemplate(groupName, data);
  await make.autoScalingGroup(groupName, subnets, template, typeof group === 'function' ? group(template) : group);
  const AutoScalingGroupName = groupName;
  const read = async () =>
    (await call('DescribeAutoScalingGroups', { AutoScalingGroupNames: [groupName] })).AutoScalingGroups[0]!;
  const instances = async () => (await read()).Instances;
  return {
    world,
    call,
    subnets,
    template,
    read,
    instances,
    ids: async () => (await instances()).map(({ InstanceId }) => InstanceId),
    /** Lifecycle states, sorted. */
    states: async () => (await instances()).map(({ LifecycleState }) => LifecycleState).sort(),
    zones: async () => (await instances()).map(({ AvailabilityZone }) => AvailabilityZone).sort(),
    update: (change: Partial<CloudInput<'UpdateAutoScalingGroup'>>) =>
      call('UpdateAutoScalingGroup', { AutoScalingGroupName, ...change }),
    activities: async () => (await call('DescribeScalingActivities', { AutoScalingGroupName })).Activities,
    newVersion: async (ClientToken = 'another') => {
      const { LaunchTemplateVersions } = await call('DescribeLaunchTemplateVersions', { LaunchTemplateId: template });
      const { LaunchTemplateData } = LaunchTemplateVersions[0]!;
      return call('CreateLaunchTemplateVersion', { LaunchTemplateId: template, ClientToken, LaunchTemplateData });
    },
    refresh: (Preferences = {}) =>
      call('StartInstanceRefresh', { AutoScalingGroupName, Strategy: 'Rolling', Preferences }),
    lastRefresh: async () => (await call('DescribeInstanceRefreshes', { AutoScalingGroupName })).InstanceRefreshes[0],
    pass: (seconds: number) => world.clock.advance(seconds * second),
  };
};

export const hook = (transition: 'LAUNCHING' | 'TERMINATING', change: Partial<LifecycleHook> = {}): LifecycleHook => ({
  LifecycleHookName: transition.toLowerCase(),
  LifecycleTransition: `autoscaling:EC2_INSTANCE_${transition}`,
  DefaultResult: 'ABANDON',
  HeartbeatTimeout: 300,
  ...change,
});

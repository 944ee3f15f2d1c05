/** What Capstan relies on of launch templates and Auto Scaling groups, in any implementation of the Cloud port. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type AutoScalingGroup,
  type CloudAction,
  CloudError,
  type CloudInput,
  type CloudOutput,
  type LifecycleHook,
} from '../../kinds/ports/cloud/index.ts';
import type { CloudUnderTest } from './cloud.fixture.ts';
import { inputs } from './cloud.inputs.ts';
import { type Deviations, expectDeviations } from './deviations.ts';

export const autoScalingContract = (name: string, open: () => Promise<CloudUnderTest>, deviations: Deviations = {}) =>
  describe(`groups of the Cloud port: ${name}`, () => {
    expectDeviations(deviations);
    let under: CloudUnderTest;
    let make: ReturnType<typeof inputs>;
    beforeEach(async () => {
      under = await open();
      make = inputs(under.cloud, under.region, 'groups');
    });
    afterEach(() => under.close());

    const call = <A extends CloudAction>(action: A, input: CloudInput<A>): Promise<CloudOutput<A>> =>
      under.cloud.call(under.region, action, input);
    const refusal = async (promise: Promise<unknown>): Promise<string> => {
      try {
        await promise;
      } catch (error) {
        if (error instanceof CloudError) return error.code;
        throw error;
      }
      return 'accepted';
    };

    describe('a launch template', () => {
      const describeOne = async (LaunchTemplateId: string) =>
        (await call('DescribeLaunchTemplates', { LaunchTemplateIds: [LaunchTemplateId] })).LaunchTemplates[0];
      const addVersion = async (LaunchTemplateId: string, InstanceType: string) =>
        call('CreateLaunchTemplateVersion', {
          LaunchTemplateId,
          ClientToken: `version of ${InstanceType}`.replaceAll(' ', '-'),
          VersionDescription: InstanceType,
          LaunchTemplateData: { InstanceType },
        });
      const typesOf = async (LaunchTemplateId: string, ...Versions: string[]) => {
        const input = { LaunchTemplateId, ...(Versions.length > 0 && { Versions }) };
        const { LaunchTemplateVersions } = await call('DescribeLaunchTemplateVersions', input);
        return LaunchTemplateVersions.map(({ LaunchTemplateData }) => LaunchTemplateData.InstanceType).sort();
      };

      it('keeps what it was made of', async () => {
        const data = {
          InstanceType: 'm5.large',
          UserData: Buffer.from('#cloud-config').toString('base64'),
          MetadataOptions: { HttpTokens: 'required', HttpPutResponseHopLimit: 2 },
          BlockDeviceMappings: [{ DeviceName: '/dev/sda1', Ebs: { VolumeSize: 20, VolumeType: 'gp3' } }],
          TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'team', Value: 'a' }] }],
        };
        const id = await make.launchTemplate('kept', data);
        const { LaunchTemplateVersions } = await call('DescribeLaunchTemplateVersions', { LaunchTemplateId: id });
        expect(LaunchTemplateVersions[0]).toMatchObject({ VersionNumber: 1, LaunchTemplateData: data });
      });

      it('is found by the tags of its creation', async () => {
        const TagSpecifications = [{ ResourceType: 'launch-template', Tags: [{ Key: 'team', Value: 'a' }] }];
        const input = { LaunchTemplateData: { InstanceType: 'm5.large' }, TagSpecifications };
        await call('CreateLaunchTemplate', { LaunchTemplateName: 'tagged', ClientToken: 'tagged', ...input });
        await make.launchTemplate('other');
        const Filters = [{ Name: 'tag:team', Values: ['a'] }];
        const { LaunchTemplates } = await call('DescribeLaunchTemplates', { Filters });
        expect(LaunchTemplates).toMatchObject([{ LaunchTemplateName: 'tagged', Tags: [{ Key: 'team', Value: 'a' }] }]);
      });

      it('has a name of its own', async () => {
        await make.launchTemplate('taken');
        expect(await refusal(make.launchTemplate('taken'))).toBe('InvalidLaunchTemplateName.AlreadyExistsException');
      });

      it('is not found under another id', async () => {
        const LaunchTemplateIds = ['lt-00000000000000000'];
        const code = await refusal(call('DescribeLaunchTemplates', { LaunchTemplateIds }));
        expect(code).toBe('InvalidLaunchTemplateId.NotFound');
      });

      it('is not found under another name', async () => {
        const LaunchTemplateNames = ['none'];
        const code = await refusal(call('DescribeLaunchTemplates', { LaunchTemplateNames }));
        expect(code).toBe('InvalidLaunchTemplateName.NotFoundException');
      });

      it('has numbered versions, of which the first is the default one', async () => {
        const id = await make.launchTemplate('versions', { InstanceType: 'm5.large' });
        await addVersion(id, 'c5.large');
        await addVersion(id, 'r5.large');
        expect(await describeOne(id)).toMatchObject({ DefaultVersionNumber: 1, LatestVersionNumber: 3 });
        expect(await typesOf(id)).toEqual(['c5.large', 'm5.large', 'r5.large']);
        expect(await typesOf(id, '$Latest')).toEqual(['r5.large']);
        expect(await typesOf(id, '$Default', '2')).toEqual(['c5.large', 'm5.large']);
      });

      it('loses versions, but not the default one', async () => {
        const id = await make.launchTemplate('pruned', { InstanceType: 'm5.large' });
        await addVersion(id, 'c5.large');
        await addVersion(id, 'r5.large');
        const remove = async (...Versions: string[]) =>
          (await call('DeleteLaunchTemplateVersions', { LaunchTemplateId: id, Versions }))
            .UnsuccessfullyDeletedLaunchTemplateVersions;
        expect(await remove('2')).toEqual([]);
        expect(await typesOf(id)).toEqual(['m5.large', 'r5.large']);
        expect(await remove('1')).toMatchObject([{ VersionNumber: 1 }]);
      });

      it('is gone once it is deleted', async () => {
        const id = await make.launchTemplate('deleted');
        await call('DeleteLaunchTemplate', { LaunchTemplateId: id });
        expect((await call('DescribeLaunchTemplates', {})).LaunchTemplates).toEqual([]);
        expect(await refusal(call('DeleteLaunchTemplate', { LaunchTemplateId: id }))).toBe(
          'InvalidLaunchTemplateId.NotFound',
        );
      });
    });

    describe('a group', () => {
      const AutoScalingGroupName = 'workers';
      let subnets: string[];
      let template: string;
      const prepare = async () => {
        const vpc = await make.vpc();
        subnets = [
          await make.subnet(vpc, '10.0.0.0/20'),
          await make.subnet(vpc, '10.0.16.0/20', {}, `${under.region}b`),
        ];
        template = await make.launchTemplate('workers');
      };
      const create = async (change: Parameters<typeof make.autoScalingGroup>[3] = {}) => {
        await prepare();
        await make.autoScalingGroup(AutoScalingGroupName, subnets, template, change);
      };
      const read = async (): Promise<AutoScalingGroup | undefined> =>
        (await call('DescribeAutoScalingGroups', { AutoScalingGroupNames: [AutoScalingGroupName] }))
          .AutoScalingGroups[0];
      const until = async (test: (group: AutoScalingGroup | undefined) => boolean) => {
        let group = await read();
        if (!test(group))
          await under.settle(async () => {
            group = await read();
            return test(group);
          });
        expect(test(group), JSON.stringify(group)).toBe(true);
        return group;
      };
      const inService = (count: number) =>
        until(
          (group) =>
            group?.Instances.length === count &&
            group.Instances.every(({ LifecycleState }) => LifecycleState === 'InService'),
        );
      const update = (change: Partial<CloudInput<'UpdateAutoScalingGroup'>>) =>
        call('UpdateAutoScalingGroup', { AutoScalingGroupName, ...change });

      it('has what it was created with', async () => {
        await create({
          MinSize: 1,
          MaxSize: 5,
          DesiredCapacity: 2,
          DefaultCooldown: 120,
          tags: { team: 'a' },
        });
        expect(await read()).toMatchObject({
          AutoScalingGroupName,
          MinSize: 1,
          MaxSize: 5,
          DesiredCapacity: 2,
          DefaultCooldown: 120,
          VPCZoneIdentifier: subnets.join(','),
          LaunchTemplate: { LaunchTemplateId: template, Version: '$Latest' },
          Tags: [{ Key: 'team', Value: 'a', PropagateAtLaunch: true }],
        });
      });

      it('has a warm-up, and whether it replaces spot instances early', async () => {
        await create({ DefaultInstanceWarmup: 60, CapacityRebalance: true });
        expect(await read()).toMatchObject({ DefaultInstanceWarmup: 60, CapacityRebalance: true });
      });

      it('has a name of its own, and is missing from a list without an error', async () => {
        expect(await read()).toBe(undefined);
        await create();
        expect(await refusal(make.autoScalingGroup(AutoScalingGroupName, subnets, template))).toBe('AlreadyExists');
      });

      it('launches instances that carry its name and its tags', async () => {
        await create({ DesiredCapacity: 2, tags: { team: 'a' } });
        const group = await inService(2);
        const InstanceIds = group!.Instances.map(({ InstanceId }) => InstanceId);
        const { Reservations } = await call('DescribeInstances', { InstanceIds });
        const tags = Reservations.flatMap(({ Instances }) => Instances).map(({ Tags }) =>
          Object.fromEntries(Tags.map(({ Key, Value }) => [Key, Value])),
        );
        expect(tags).toMatchObject(Array(2).fill({ 'aws:autoscaling:groupName': AutoScalingGroupName, team: 'a' }));
      });

      it('spreads its instances over its zones', async () => {
        await create({ DesiredCapacity: 2 });
        const group = await inService(2);
        expect(group!.Instances.map(({ AvailabilityZone }) => AvailabilityZone).sort()).toEqual([
          `${under.region}a`,
          `${under.region}b`,
        ]);
      });

      it('grows and shrinks to its desired capacity', async () => {
        await create({ DesiredCapacity: 1 });
        await inService(1);
        await update({ DesiredCapacity: 3 });
        await inService(3);
        await update({ DesiredCapacity: 0 });
        await inService(0);
      });

      it('refuses a desired capacity outside of its bounds', async () => {
        await create({ MinSize: 1, MaxSize: 3, DesiredCapacity: 1 });
        expect(await refusal(update({ DesiredCapacity: 4 }))).toBe('ValidationError');
        expect(await refusal(update({ DesiredCapacity: 0 }))).toBe('ValidationError');
      });

      it('refuses a minimum above its maximum', async () => {
        await create({ MinSize: 0, MaxSize: 3 });
        expect(await refusal(update({ MinSize: 4, MaxSize: 3 }))).toBe('ValidationError');
      });

      it('is needed by every call that names one', async () => {
        expect(await refusal(update({ DesiredCapacity: 1 }))).toBe('ValidationError');
        expect(await refusal(call('DeleteAutoScalingGroup', { AutoScalingGroupName }))).toBe('ValidationError');
      });

      it('replaces an instance that is terminated', async () => {
        await create({ DesiredCapacity: 1 });
        const [first] = (await inService(1))!.Instances;
        await call('TerminateInstances', { InstanceIds: [first!.InstanceId] });
        await until((group) => group?.Instances.length === 1 && group.Instances[0]!.InstanceId !== first!.InstanceId);
        await inService(1);
      });

      it('terminates an instance on request, without a replacement', async () => {
        await create({ DesiredCapacity: 2 });
        const [first] = (await inService(2))!.Instances;
        const input = { InstanceId: first!.InstanceId, ShouldDecrementDesiredCapacity: true };
        await call('TerminateInstanceInAutoScalingGroup', input);
        expect((await inService(1))?.DesiredCapacity).toBe(1);
      });

      it('suspends and resumes processes', async () => {
        await create();
        const ScalingProcesses = ['AZRebalance', 'Launch'];
        await call('SuspendProcesses', { AutoScalingGroupName, ScalingProcesses });
        const suspended = async () => (await read())?.SuspendedProcesses.map(({ ProcessName }) => ProcessName).sort();
        expect(await suspended()).toEqual(['AZRebalance', 'Launch']);
        await call('ResumeProcesses', { AutoScalingGroupName, ScalingProcesses: ['Launch'] });
        expect(await suspended()).toEqual(['AZRebalance']);
      });

      it('gets and loses tags', async () => {
        await create({ tags: { team: 'a', keep: 'x' } });
        const tag = { ResourceId: AutoScalingGroupName, ResourceType: 'auto-scaling-group' as const, Key: 'team' };
        await call('CreateOrUpdateTags', { Tags: [{ ...tag, Value: 'b', PropagateAtLaunch: false }] });
        const tags = async () => (await read())?.Tags.map(({ Key, Value }) => `${Key}=${Value}`).sort();
        expect(await tags()).toEqual(['keep=x', 'team=b']);
        await call('DeleteTagsOfGroup', { Tags: [tag] });
        expect(await tags()).toEqual(['keep=x']);
      });

      it('is found by its tags', async () => {
        await create({ tags: { team: 'a' } });
        await make.autoScalingGroup('others', subnets, template, { tags: { team: 'b' } });
        const Filters = [{ Name: 'tag:team', Values: ['a'] }];
        const { AutoScalingGroups } = await call('DescribeAutoScalingGroups', { Filters });
        expect(AutoScalingGroups.map((group) => group.AutoScalingGroupName)).toEqual([AutoScalingGroupName]);
      });

      it('has several types and markets', async () => {
        await prepare();
        const MixedInstancesPolicy = {
          LaunchTemplate: {
            LaunchTemplateSpecification: { LaunchTemplateId: template, Version: '$Latest' },
            Overrides: [{ InstanceType: 'm5.large' }, { InstanceType: 'c5.large' }],
          },
          InstancesDistribution: { OnDemandBaseCapacity: 1, OnDemandPercentageAboveBaseCapacity: 50 },
        };
        await make.autoScalingGroup(AutoScalingGroupName, subnets, template, { MixedInstancesPolicy });
        expect(await read()).toMatchObject({ MixedInstancesPolicy });
      });

      const drain: LifecycleHook = {
        LifecycleHookName: 'drain',
        LifecycleTransition: 'autoscaling:EC2_INSTANCE_TERMINATING',
        DefaultResult: 'CONTINUE',
        HeartbeatTimeout: 300,
      };
      const hooks = async () => (await call('DescribeLifecycleHooks', { AutoScalingGroupName })).LifecycleHooks;

      it('has the hooks of its creation', async () => {
        await create({ LifecycleHookSpecificationList: [drain] });
        expect(await hooks()).toMatchObject([drain]);
      });

      it('gets, changes and loses hooks', async () => {
        await create();
        await call('PutLifecycleHook', { AutoScalingGroupName, ...drain });
        expect(await hooks()).toMatchObject([drain]);
        await call('PutLifecycleHook', { AutoScalingGroupName, ...drain, HeartbeatTimeout: 600 });
        expect(await hooks()).toMatchObject([{ ...drain, HeartbeatTimeout: 600 }]);
        await call('DeleteLifecycleHook', { AutoScalingGroupName, LifecycleHookName: 'drain' });
        expect(await hooks()).toEqual([]);
      });

      it('holds a terminating instance until its hook is answered', async () => {
        await create({ DesiredCapacity: 1 });
        await call('PutLifecycleHook', { AutoScalingGroupName, ...drain });
        const [{ InstanceId } = { InstanceId: '' }] = (await inService(1))!.Instances;
        await update({ DesiredCapacity: 0 });
        await until((group) => group?.Instances[0]?.LifecycleState === 'Terminating:Wait');
        const action = { AutoScalingGroupName, LifecycleHookName: 'drain', InstanceId };
        await call('RecordLifecycleActionHeartbeat', action);
        await call('CompleteLifecycleAction', { ...action, LifecycleActionResult: 'CONTINUE' });
        await inService(0);
      });

      it('replaces its instances one after the other', async () => {
        await create({ DesiredCapacity: 2 });
        const before = (await inService(2))!.Instances.map(({ InstanceId }) => InstanceId);
        const { InstanceRefreshId } = await call('StartInstanceRefresh', {
          AutoScalingGroupName,
          Strategy: 'Rolling',
          Preferences: { MinHealthyPercentage: 50, InstanceWarmup: 10 },
        });
        const refreshes = async () =>
          (await call('DescribeInstanceRefreshes', { AutoScalingGroupName })).InstanceRefreshes;
        await under.settle(async () => (await refreshes())[0]?.Status === 'Successful');
        expect(await refreshes()).toMatchObject([{ InstanceRefreshId, Status: 'Successful' }]);
        const after = (await inService(2))!.Instances.map(({ InstanceId }) => InstanceId);
        expect(after.filter((id) => before.includes(id))).toEqual([]);
      });

      it('has one refresh at a time, which can be cancelled', async () => {
        await create({ DesiredCapacity: 2 });
        await inService(2);
        const start = () => call('StartInstanceRefresh', { AutoScalingGroupName, Strategy: 'Rolling' });
        expect(await refusal(call('CancelInstanceRefresh', { AutoScalingGroupName }))).toBe(
          'ActiveInstanceRefreshNotFound',
        );
        await start();
        expect(await refusal(start())).toBe('InstanceRefreshInProgress');
        await call('CancelInstanceRefresh', { AutoScalingGroupName });
      });

      it('tells what it has done', async () => {
        await create({ DesiredCapacity: 1 });
        await inService(1);
        const { Activities } = await call('DescribeScalingActivities', { AutoScalingGroupName });
        expect(Activities).toMatchObject([
          { StatusCode: 'Successful', Description: expect.stringMatching(/^Launching a new EC2 instance: i-/) },
        ]);
      });

      it('is deleted with its instances only by force', async () => {
        await create({ DesiredCapacity: 1 });
        const [first] = (await inService(1))!.Instances;
        expect(await refusal(call('DeleteAutoScalingGroup', { AutoScalingGroupName }))).toBe('ResourceInUse');
        await call('DeleteAutoScalingGroup', { AutoScalingGroupName, ForceDelete: true });
        await until((group) => group === undefined);
        const { Reservations } = await call('DescribeInstances', { InstanceIds: [first!.InstanceId] });
        expect(Reservations[0]?.Instances[0]?.State.Name).toMatch(/^(shutting-down|terminated)$/);
      });
    });
  });

import { describe, expect, it } from 'vitest';
import type { CloudError } from '../../../kinds/ports/cloud/index.ts';
import { iamActionOf } from './index.ts';
import { ec2, openWire, query } from './wire.fixture.ts';

const region = 'eu-central-1';
const arn = 'arn:aws:autoscaling:eu-central-1:1:autoScalingGroup:uuid:autoScalingGroupName/workers';
const group = `
  <AutoScalingGroupName>workers</AutoScalingGroupName><AutoScalingGroupARN>${arn}</AutoScalingGroupARN>
  <MinSize>0</MinSize><MaxSize>3</MaxSize><DesiredCapacity>1</DesiredCapacity><DefaultCooldown>300</DefaultCooldown>
  <AvailabilityZones><member>eu-central-1a</member></AvailabilityZones>
  <VPCZoneIdentifier>subnet-1</VPCZoneIdentifier>
  <LaunchTemplate><LaunchTemplateId>lt-1</LaunchTemplateId><LaunchTemplateName>workers</LaunchTemplateName>
    <Version>$Latest</Version></LaunchTemplate>
  <Instances><member><InstanceId>i-1</InstanceId><InstanceType>m5.large</InstanceType>
    <AvailabilityZone>eu-central-1a</AvailabilityZone><LifecycleState>InService</LifecycleState>
    <HealthStatus>Healthy</HealthStatus><ProtectedFromScaleIn>false</ProtectedFromScaleIn>
    <LaunchTemplate><LaunchTemplateId>lt-1</LaunchTemplateId><LaunchTemplateName>workers</LaunchTemplateName>
      <Version>3</Version></LaunchTemplate></member></Instances>
  <Tags><member><ResourceId>workers</ResourceId><ResourceType>auto-scaling-group</ResourceType><Key>team</Key>
    <Value>a</Value><PropagateAtLaunch>true</PropagateAtLaunch></member></Tags>
  <Status>Delete in progress</Status>`;

describe('Auto Scaling on the wire', () => {
  it('has the lists that it leaves out where they are empty, and nothing that the port does not know', async () => {
    const { cloud, sent } = openWire(() =>
      query('DescribeAutoScalingGroups', `<AutoScalingGroups><member>${group}</member></AutoScalingGroups>`),
    );
    const input = { AutoScalingGroupNames: ['workers'] };
    expect(await cloud.call(region, 'DescribeAutoScalingGroups', input)).toEqual({
      AutoScalingGroups: [
        {
          AutoScalingGroupName: 'workers',
          AutoScalingGroupARN: arn,
          LaunchTemplate: { LaunchTemplateId: 'lt-1', Version: '$Latest' },
          MinSize: 0,
          MaxSize: 3,
          DesiredCapacity: 1,
          DefaultCooldown: 300,
          AvailabilityZones: ['eu-central-1a'],
          VPCZoneIdentifier: 'subnet-1',
          Instances: [
            {
              InstanceId: 'i-1',
              InstanceType: 'm5.large',
              AvailabilityZone: 'eu-central-1a',
              LifecycleState: 'InService',
              HealthStatus: 'Healthy',
              LaunchTemplate: { LaunchTemplateId: 'lt-1', LaunchTemplateName: 'workers', Version: '3' },
              ProtectedFromScaleIn: false,
            },
          ],
          SuspendedProcesses: [],
          Tags: [
            {
              ResourceId: 'workers',
              ResourceType: 'auto-scaling-group',
              Key: 'team',
              Value: 'a',
              PropagateAtLaunch: true,
            },
          ],
          Status: 'Delete in progress',
        },
      ],
    });
    expect(sent).toMatchObject([
      {
        host: 'autoscaling.eu-central-1.amazonaws.com',
        fields: { Action: 'DescribeAutoScalingGroups', 'AutoScalingGroupNames.member.1': 'workers' },
      },
    ]);
  });

  it('removes tags by DeleteTags, which EC2 has, too', async () => {
    const { cloud, sent } = openWire(() => query('DeleteTags', ''));
    const Tags = [{ ResourceId: 'workers', ResourceType: 'auto-scaling-group' as const, Key: 'team' }];
    await cloud.call(region, 'DeleteTagsOfGroup', { Tags });
    expect(sent[0]).toMatchObject({
      host: 'autoscaling.eu-central-1.amazonaws.com',
      fields: { Action: 'DeleteTags', 'Tags.member.1.Key': 'team', 'Tags.member.1.ResourceId': 'workers' },
    });
    expect(iamActionOf('DeleteTagsOfGroup')).toBe('autoscaling:DeleteTags');
  });

  it('has times of refreshes and activities as text', async () => {
    const refresh = `<member><InstanceRefreshId>r-1</InstanceRefreshId><Status>InProgress</Status>
      <AutoScalingGroupName>workers</AutoScalingGroupName><PercentageComplete>50</PercentageComplete>
      <StartTime>2026-12-01T10:00:00Z</StartTime></member>`;
    const { cloud } = openWire(() =>
      query('DescribeInstanceRefreshes', `<InstanceRefreshes>${refresh}</InstanceRefreshes>`),
    );
    const input = { AutoScalingGroupName: 'workers' };
    expect(await cloud.call(region, 'DescribeInstanceRefreshes', input)).toEqual({
      InstanceRefreshes: [
        {
          InstanceRefreshId: 'r-1',
          AutoScalingGroupName: 'workers',
          Status: 'InProgress',
          PercentageComplete: 50,
          StartTime: '2026-12-01T10:00:00.000Z',
        },
      ],
    });
  });

  it.each([
    'AlreadyExists',
    'ResourceInUse',
    'InstanceRefreshInProgress',
    'ValidationError',
  ])('keeps the code %s, which is not the name of the error in the SDK', async (code) => {
    const body = `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>why</Message></Error></ErrorResponse>`;
    const { cloud } = openWire(() => ({ status: 400, body }));
    const call = cloud.call(region, 'DeleteAutoScalingGroup', { AutoScalingGroupName: 'workers' });
    expect(await call.catch((error: CloudError) => error)).toMatchObject({ code, message: 'why' });
  });
});

describe('launch templates on the wire', () => {
  it('are decoded into what a launch asks for', async () => {
    const data = `<imageId>ami-1</imageId><instanceType>m5.large</instanceType>
      <iamInstanceProfile><name>nodes</name></iamInstanceProfile>
      <metadataOptions><httpTokens>required</httpTokens><state>applied</state></metadataOptions>
      <instanceMarketOptions><marketType>spot</marketType><spotOptions><spotInstanceType>one-time</spotInstanceType>
        <instanceInterruptionBehavior>terminate</instanceInterruptionBehavior></spotOptions></instanceMarketOptions>`;
    const version = `<item><launchTemplateId>lt-1</launchTemplateId><versionNumber>2</versionNumber>
      <defaultVersion>false</defaultVersion><launchTemplateData>${data}</launchTemplateData></item>`;
    const { cloud } = openWire(() =>
      ec2('DescribeLaunchTemplateVersions', `<launchTemplateVersionSet>${version}</launchTemplateVersionSet>`),
    );
    const input = { LaunchTemplateId: 'lt-1', Versions: ['$Latest'] };
    expect(await cloud.call(region, 'DescribeLaunchTemplateVersions', input)).toEqual({
      LaunchTemplateVersions: [
        {
          LaunchTemplateId: 'lt-1',
          VersionNumber: 2,
          DefaultVersion: false,
          LaunchTemplateData: {
            ImageId: 'ami-1',
            InstanceType: 'm5.large',
            IamInstanceProfile: { Name: 'nodes' },
            MetadataOptions: { HttpTokens: 'required' },
            InstanceMarketOptions: {
              MarketType: 'spot',
              SpotOptions: { SpotInstanceType: 'one-time', InstanceInterruptionBehavior: 'terminate' },
            },
          },
        },
      ],
    });
  });
});

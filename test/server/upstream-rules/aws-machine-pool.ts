/** Rules for pools (exp/webhooks and the schema of the AWS provider 2.11). */
import type { AcceptedHere, UpstreamRule } from './rule.ts';

const kind = 'AWSMachinePool';
const template = (awsLaunchTemplate: object) => ({ spec: { awsLaunchTemplate } });

const rules: Omit<UpstreamRule, 'kind'>[] = [
  {
    refuses: 'a group of at most no instance',
    with: { spec: { maxSize: 0 } },
    says: 'spec.maxSize: Invalid value: 0: spec.maxSize in body should be greater than or equal to 1',
  },
  {
    refuses: 'a root volume of io1 without iops',
    with: template({ rootVolume: { size: 20, type: 'io1' } }),
    says: "spec.awsLaunchTemplate.rootVolume.iops: Required value: iops required if type is 'io1' or 'io2'",
  },
  {
    refuses: 'throughput of another type than gp3',
    with: template({ rootVolume: { size: 20, type: 'gp2', throughput: 200 } }),
    says: "spec.awsLaunchTemplate.rootVolume.throughput: Required value: throughput is valid only for type 'gp3'",
  },
  {
    refuses: 'another volume without a device',
    with: template({ nonRootVolumes: [{ size: 20 }] }),
    says: 'spec.awsLaunchTemplate.nonRootVolumes[0].deviceName: Required value: non root volume should have device name',
  },
  {
    refuses: 'a tag that AWS reserves',
    with: { spec: { additionalTags: { 'aws:team': 'blue' } } },
    says: "user created tag's key cannot have prefix aws:",
  },
  {
    refuses: 'a subnet by id and filters',
    with: { spec: { subnets: [{ id: 'subnet-1', filters: [{ name: 'a', values: ['b'] }] }] } },
    says: 'spec.subnets[0]: Forbidden: only one of ID or Filters may be specified',
  },
  {
    refuses: 'a security group by id and filters',
    with: template({ additionalSecurityGroups: [{ id: 'sg-1', filters: [{ name: 'a', values: ['b'] }] }] }),
    says: 'spec.awsLaunchTemplate.additionalSecurityGroups[0]: Forbidden',
  },
  {
    refuses: 'spot options beside a mixed policy',
    with: { spec: { mixedInstancesPolicy: {}, awsLaunchTemplate: { spotMarketOptions: {} } } },
    says: 'either spec.awsLaunchTemplate.spotMarketOptions or spec.mixedInstancesPolicy should be used',
  },
  {
    refuses: 'a most healthy share alone',
    with: { spec: { refreshPreferences: { maxHealthyPercentage: 120 } } },
    says: 'spec.refreshPreferences.minHealthyPercentage: Required value: must be set when maxHealthyPercentage is set',
  },
  {
    refuses: 'healthy shares that are too far apart',
    with: { spec: { refreshPreferences: { minHealthyPercentage: 50, maxHealthyPercentage: 200 } } },
    says: 'the difference between maxHealthyPercentage and minHealthyPercentage cannot be greater than 100',
  },
  {
    refuses: 'a capacity block without its reservation',
    with: template({ marketType: 'CapacityBlock' }),
    says: 'spec.awsLaunchTemplate.capacityReservationId: Required value: is required when CapacityBlock is provided',
  },
  {
    refuses: 'spot options of another market',
    with: template({ marketType: 'OnDemand', spotMarketOptions: {} }),
    says: 'marketType set to OnDemand and spotMarketOptions cannot be used together',
  },
  {
    refuses: 'a reservation in the spot market',
    with: template({ marketType: 'Spot', capacityReservationId: 'cr-1' }),
    says: "spec.awsLaunchTemplate.capacityReservationId: Forbidden: cannot be set when marketType is 'Spot'",
  },
  {
    refuses: 'a reservation with spot options',
    with: template({ spotMarketOptions: {}, capacityReservationId: 'cr-1' }),
    says: 'spec.awsLaunchTemplate.capacityReservationId: Forbidden: cannot be set when spotMarketOptions is specified',
  },
  {
    refuses: 'a reservation with a preference for others',
    with: template({ capacityReservationId: 'cr-1', capacityReservationPreference: 'Open' }),
    says: 'when capacityReservationId is specified, capacityReservationPreference may only be',
  },
  {
    refuses: 'a hook that waits too long',
    with: {
      spec: {
        lifecycleHooks: [
          { name: 'a', lifecycleTransition: 'autoscaling:EC2_INSTANCE_LAUNCHING', heartbeatTimeout: '50h' },
        ],
      },
    },
    says: 'spec.lifecycleHooks[0].heartbeatTimeout: Invalid value: "50h"',
  },
  {
    refuses: 'a target of a hook without its role',
    with: {
      spec: {
        lifecycleHooks: [
          {
            name: 'a',
            lifecycleTransition: 'autoscaling:EC2_INSTANCE_LAUNCHING',
            notificationTargetARN: 'arn:aws:sqs:eu-central-1:123456789012:a',
          },
        ],
      },
    },
    says: 'spec.lifecycleHooks[0].roleARN: Required value: must be set when notificationTargetARN is set',
  },
  {
    refuses: 'a hook of no transition',
    with: { spec: { lifecycleHooks: [{ name: 'a', lifecycleTransition: 'later' }] } },
    says: 'spec.lifecycleHooks[0].lifecycleTransition: Unsupported value: "later"',
  },
];

export const awsMachinePoolRules: UpstreamRule[] = rules.map((rule) => ({ kind, ...rule }));
export const awsMachinePoolAccepted: AcceptedHere[] = [
  {
    kind,
    refuses: 'Ignition while its gate is off',
    with: { spec: { ignition: { storageType: 'UnencryptedUserData' } } },
    why: 'It is accepted with a warning, as in AWSMachines, and nothing is created.',
  },
];

import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  boolean,
  type Infer,
  int32,
  int64,
  list,
  object,
  oneOf,
  required,
  string,
} from '../../../machinery/api/schema.ts';
import { awsLaunchTemplate, lifecycleHooks } from '../launch-template/schema.ts';
import { conditions, ignition, resourceReference, tags } from '../shapes.ts';

const mixedInstancesPolicy = object('Buys instances of several types, on demand and spot.', {
  instancesDistribution: object('How many are bought in which market.', {
    onDemandAllocationStrategy: oneOf('Which type is bought on demand.', ['prioritized', 'lowest-price'], {
      default: 'prioritized',
    }),
    onDemandBaseCapacity: int64('How many are bought on demand before any spot instance.', { default: 0 }),
    onDemandPercentageAboveBaseCapacity: int64('Share of those above the base that is bought on demand, in percent.', {
      default: 100,
    }),
    spotAllocationStrategy: oneOf(
      'Which type is bought in the spot market.',
      ['lowest-price', 'capacity-optimized', 'capacity-optimized-prioritized', 'price-capacity-optimized'],
      { default: 'lowest-price' },
    ),
  }),
  overrides: list(
    'The types, the preferred one first.',
    object('One type.', { instanceType: required(string('EC2 instance type, such as m5.large.')) }),
  ),
});

const processes = {
  addToLoadBalancer: boolean('Registers instances with load balancers.'),
  alarmNotification: boolean('Follows alarms of scaling policies.'),
  azRebalance: boolean('Spreads instances evenly over the zones.'),
  healthCheck: boolean('Judges the health of instances.'),
  instanceRefresh: boolean('Replaces instances when the template has changed.'),
  launch: boolean('Launches instances.'),
  replaceUnhealthy: boolean('Replaces unhealthy instances.'),
  scheduledActions: boolean('Follows schedules.'),
  terminate: boolean('Terminates instances.'),
};

export const spec = object('The wanted Auto Scaling group and its launch template.', {
  additionalTags: tags('Tags of the group, its template and its instances besides those of the cluster.'),
  availabilityZoneSubnetType: oneOf('Which subnets of the cluster are used.', ['public', 'private', 'all']),
  availabilityZones: list('Availability zones to use; absent means those of the cluster.', string('A zone.')),
  awsLaunchTemplate: required(awsLaunchTemplate),
  capacityRebalance: boolean('Whether spot instances that are about to be interrupted are replaced before.'),
  defaultCoolDown: string('Time between two scalings by simple policies, such as 5m.'),
  defaultInstanceWarmup: string('Time until a new instance counts, such as 5m.'),
  ignition,
  lifecycleHooks,
  maxSize: required(int32('Most instances.', { default: 1, minimum: 1 })),
  minSize: required(int32('Fewest instances.', { default: 1, minimum: 0 })),
  mixedInstancesPolicy,
  providerID: string('The group as its MachinePool names it; filled in by the controller.'),
  providerIDList: list('The instances as Kubernetes nodes name them; filled in by the controller.', string('One.')),
  refreshPreferences: object('How instances are replaced when the template has changed.', {
    disable: boolean('Whether a changed template concerns new instances only.'),
    instanceWarmup: int64('Seconds until a new instance counts.'),
    maxHealthyPercentage: int64('Most instances during a replacement, in percent of the wanted ones.', {
      minimum: 100,
      maximum: 200,
    }),
    minHealthyPercentage: int64('Fewest instances during a replacement, in percent of the wanted ones.'),
    strategy: string('How instances are replaced; Auto Scaling knows Rolling.'),
  }),
  subnets: list('Subnets to use instead of those by zone.', resourceReference('A subnet.')),
  suspendProcesses: object('Processes of the group that are suspended.', {
    all: boolean('Suspends all.'),
    processes: object('Suspends single ones.', processes),
  }),
});

export const status = object('What was last observed of the group.', {
  asgStatus: string('Status of the group.'),
  conditions,
  failureMessage: string('Why this pool can never work, for people.'),
  failureReason: string('Why this pool can never work, as one word.'),
  infrastructureMachineKind: string('Kind of the objects for single instances.'),
  instances: list(
    'The instances of the group.',
    object('One instance.', {
      instanceID: string('Id of the instance.'),
      version: string('Version of Kubernetes on it.'),
    }),
  ),
  launchTemplateID: string('Id of the launch template.'),
  launchTemplateVersion: string('Its newest version.'),
  ready: boolean('Whether the group exists.'),
  replicas: int32('Instances of the group.'),
});

export type AWSMachinePoolSpec = Infer<typeof spec>;
export type AWSMachinePoolStatus = Infer<typeof status>;
export type AWSMachinePool = KubeObject<AWSMachinePoolSpec, AWSMachinePoolStatus>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    AWSMachinePool: AWSMachinePool;
  }
}

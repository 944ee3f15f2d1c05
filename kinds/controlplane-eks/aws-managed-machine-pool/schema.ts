import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  boolean,
  type Infer,
  int32,
  integer,
  list,
  object,
  oneOf,
  required,
  string,
  stringMap,
} from '../../../machinery/api/schema.ts';
import { awsLaunchTemplate, lifecycleHooks } from '../../infrastructure-aws/launch-template/schema.ts';
import { conditions, tags } from '../../infrastructure-aws/shapes.ts';

const taint = object('A taint.', {
  effect: required(oneOf('What it does.', ['no-schedule', 'no-execute', 'prefer-no-schedule'])),
  key: required(string('Its key.')),
  value: required(string('Its value.')),
});

export const spec = object('The wanted node group of EKS.', {
  additionalTags: tags('Tags put on the node group.'),
  amiType: oneOf('Type of the image; absent means AL2023_x86_64_STANDARD.', [
    'AL2_x86_64',
    'AL2_x86_64_GPU',
    'AL2_ARM_64',
    'CUSTOM',
    'BOTTLEROCKET_ARM_64',
    'BOTTLEROCKET_x86_64',
    'BOTTLEROCKET_ARM_64_FIPS',
    'BOTTLEROCKET_x86_64_FIPS',
    'BOTTLEROCKET_ARM_64_NVIDIA',
    'BOTTLEROCKET_x86_64_NVIDIA',
    'WINDOWS_CORE_2019_x86_64',
    'WINDOWS_FULL_2019_x86_64',
    'WINDOWS_CORE_2022_x86_64',
    'WINDOWS_FULL_2022_x86_64',
    'AL2023_x86_64_STANDARD',
    'AL2023_ARM_64_STANDARD',
    'AL2023_x86_64_NEURON',
    'AL2023_x86_64_NVIDIA',
    'AL2023_ARM_64_NVIDIA',
  ]),
  amiVersion: string('Release of the image, such as 1.35.0-20251120; absent means the newest.', { minLength: 2 }),
  availabilityZoneSubnetType: oneOf('Which subnets of the zones are used; absent means private ones.', [
    'public',
    'private',
    'all',
  ]),
  availabilityZones: list('Zones whose subnets are used.', string('A zone.')),
  awsLaunchTemplate,
  capacityType: oneOf('How the instances are bought.', ['onDemand', 'spot'], { default: 'onDemand' }),
  diskSize: int32('Size of the root volumes in GiB.'),
  eksNodegroupName: string('Name of the node group in EKS; absent means NAMESPACE_NAME.'),
  instanceType: string('Type of the instances; absent means t3.medium.'),
  labels: stringMap('Labels of the Nodes.'),
  lifecycleHooks,
  nodeRepairConfig: object('Whether EKS replaces nodes that are not well.', {
    enabled: boolean('Whether it does.', { default: false }),
  }),
  providerIDList: list('The instances that exist; filled in by the controller.', string('A provider ID.')),
  remoteAccess: object('Access to the nodes by SSH.', {
    public: boolean('Whether anybody may connect.'),
    sourceSecurityGroups: list('Security groups whose members may connect.', string('An id.')),
    sshKeyName: string('Name of the key pair.'),
  }),
  roleAdditionalPolicies: list('More policies of the role.', string('ARN of a policy.')),
  roleName: string('Role of the nodes.'),
  rolePath: string('Path of the role.'),
  rolePermissionsBoundary: string('Permissions boundary of the role.'),
  scaling: object('The limits of its size.', {
    maxSize: int32('Most nodes.'),
    minSize: int32('Fewest nodes.'),
  }),
  subnetIDs: list('The subnets of the nodes.', string('An id.')),
  taints: list('Taints of the Nodes.', taint),
  updateConfig: object('How many nodes an update may take away at once: one of both.', {
    maxUnavailable: integer('A number of nodes.', { minimum: 1, maximum: 100 }),
    maxUnavailablePercentage: integer('A share of the nodes, in percent.', { minimum: 1, maximum: 100 }),
  }),
});

export const status = object('What was last observed of the node group.', {
  conditions,
  failureMessage: string('Why the node group cannot be used.'),
  failureReason: string('The same in one word.'),
  launchTemplateID: string('Id of its launch template.'),
  launchTemplateVersion: string('Version of its launch template.'),
  ready: required(boolean('Whether the node group is there.', { default: false })),
  replicas: int32('Instances that exist.'),
});

export type AWSManagedMachinePoolSpec = Infer<typeof spec>;
export type AWSManagedMachinePoolStatus = Infer<typeof status>;
export type AWSManagedMachinePool = KubeObject<AWSManagedMachinePoolSpec, AWSManagedMachinePoolStatus>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    AWSManagedMachinePool: AWSManagedMachinePool;
  }
}

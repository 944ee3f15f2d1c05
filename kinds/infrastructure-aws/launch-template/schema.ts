/** Shapes of the launch templates and lifecycle hooks of pools. */
import { boolean, type Infer, int64, list, object, oneOf, required, string } from '../../../machinery/api/schema.ts';
import {
  capacityReservationId,
  capacityReservationPreference,
  image,
  instanceMetadataOptions,
  marketType,
  privateDnsName,
  resourceReference,
  spotMarketOptions,
  volume,
} from '../shapes.ts';

export const awsLaunchTemplate = object('What the instances of the pool are launched with.', {
  additionalSecurityGroups: list(
    'Security groups besides those of the cluster.',
    resourceReference('One more security group.'),
  ),
  ami: image,
  capacityReservationId,
  capacityReservationPreference,
  enclaveOptions: object('Nitro Enclaves of the instances.', {
    enabled: boolean('Whether the instances can have enclaves.'),
  }),
  iamInstanceProfile: string('Name of the instance profile that gives the instances their role.'),
  imageLookupBaseOS: string('Operating system that the image lookup fills into its name pattern.'),
  imageLookupFormat: string(
    'Name pattern of the image lookup; {{.BaseOS}} and {{.K8sVersion}} are replaced before it is used.',
  ),
  imageLookupOrg: string('Account that owns the images to look up.'),
  instanceMetadataOptions,
  instanceType: string('EC2 instance type, such as m5.large.'),
  marketType,
  name: string('Name of the launch template.'),
  nonRootVolumes: list('Data volumes, created and deleted with the instance.', volume('One data volume.')),
  privateDnsName,
  rootVolume: volume('The root volume; absent means as the image has it.'),
  spotMarketOptions,
  sshKeyName: string('EC2 key pair for SSH; absent means as the cluster says, empty means none.'),
  versionNumber: int64('Version of the launch template.'),
});
export type AWSLaunchTemplate = Infer<typeof awsLaunchTemplate>;

export const lifecycleHooks = list(
  'Lifecycle hooks of the Auto Scaling group, which hold instances at their launch or termination.',
  object('One hook.', {
    defaultResult: oneOf('What happens without an answer in time.', ['CONTINUE', 'ABANDON']),
    heartbeatTimeout: string('Time for an answer, such as 10m.', { format: 'duration' }),
    lifecycleTransition: required(
      oneOf('When instances are held.', ['autoscaling:EC2_INSTANCE_LAUNCHING', 'autoscaling:EC2_INSTANCE_TERMINATING']),
    ),
    name: required(string('Name of the hook.')),
    notificationMetadata: string('Text that the notifications carry.'),
    notificationTargetARN: string('ARN of the queue or topic that is notified.'),
    roleARN: string('ARN of the role by which Auto Scaling notifies it.'),
  }),
);
export type LifecycleHooks = Infer<typeof lifecycleHooks>;

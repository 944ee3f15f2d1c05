import type { KubeObject } from '../../../machinery/api/object.ts';
import { boolean, type Infer, int32, list, object, oneOf, required, string } from '../../../machinery/api/schema.ts';
import {
  addresses,
  capacityReservationId,
  capacityReservationPreference,
  conditions,
  cpuOptions,
  dynamicHostAllocation,
  elasticIpPool,
  hostAffinity,
  ignition,
  image,
  instanceMetadataOptions,
  marketType,
  placementGroupPartition,
  privateDnsName,
  resourceReference,
  spotMarketOptions,
  tags,
  volume,
} from '../shapes.ts';

const cloudInit = object('How the bootstrap data reaches a cloud-init machine.', {
  insecureSkipSecretsManager: boolean('Puts the bootstrap data into the user data in plain sight instead of a secret.'),
  secretCount: int32('Number of secrets that hold the bootstrap data; filled in by the controller.'),
  secretPrefix: string('Common name prefix of those secrets; filled in by the controller.'),
  secureSecretsBackend: oneOf('Service that holds the bootstrap data until the machine fetches it.', [
    'secrets-manager',
    'ssm-parameter-store',
  ]),
});

export const spec = object(
  'The wanted instance. Nearly all of it is fixed once the instance exists.',
  {
    additionalSecurityGroups: list(
      'Security groups besides those of the cluster.',
      resourceReference('One more security group.'),
    ),
    additionalTags: tags('Tags put on the instance besides those of the cluster; these win where both name a key.'),
    ami: image,
    assignPrimaryIPv6: oneOf('Whether the first IPv6 address becomes the primary one.', ['enabled', 'disabled']),
    capacityReservationId,
    capacityReservationPreference,
    cloudInit,
    cpuOptions,
    dynamicHostAllocation,
    elasticIpPool: elasticIpPool('Where the public address of the instance comes from.'),
    hostAffinity: hostAffinity({ default: 'default' }),
    hostID: string('Id of the dedicated host to launch on.', { maxLength: 19, pattern: '^h-[0-9a-f]{17}$' }),
    iamInstanceProfile: string('Name of the instance profile that gives the instance its role.'),
    ignition,
    imageLookupBaseOS: string('Operating system that the image lookup fills into its name pattern.'),
    imageLookupFormat: string(
      'Name pattern of the image lookup; {{.BaseOS}} and {{.K8sVersion}} are replaced before it is used.',
    ),
    imageLookupOrg: string('Account that owns the images to look up.'),
    instanceID: string('Id of the instance; filled in by the controller.'),
    instanceMetadataOptions,
    instanceType: required(string('EC2 instance type, such as m5.large.', { minLength: 2 })),
    marketType,
    networkInterfaceType: oneOf('Kind of network interface to create.', ['interface', 'efa']),
    networkInterfaces: list(
      'Existing network interfaces to attach instead of a new one.',
      string('Id of an interface.'),
      {
        maxItems: 2,
      },
    ),
    nonRootVolumes: list('Data volumes, created and deleted with the instance.', volume('One data volume.')),
    placementGroupName: string('Placement group to launch into.'),
    placementGroupPartition,
    privateDnsName,
    providerID: string('The instance as Kubernetes nodes name it, aws:///<zone>/<id>; filled in by the controller.'),
    publicIP: boolean('Whether the instance gets a public IPv4 address.'),
    rootVolume: volume('The root volume; absent means as the image has it.'),
    securityGroupOverrides: tags('Security group ids to use instead of those of the cluster, by role.'),
    spotMarketOptions,
    sshKeyName: string('EC2 key pair for SSH; absent means as the cluster says, empty means none.'),
    subnet: resourceReference('The subnet to launch into; absent means one of the cluster in the failure domain.'),
    tenancy: oneOf('Whether the hardware is shared.', ['default', 'dedicated', 'host']),
    uncompressedUserData: boolean('Whether user data is sent without compression.'),
  },
  {
    'x-kubernetes-validations': [
      {
        rule: "!has(self.capacityReservationId) || !has(self.marketType) || self.marketType != 'Spot'",
        message: 'capacityReservationId may not be set when marketType is Spot',
      },
      {
        rule: '!has(self.capacityReservationId) || !has(self.spotMarketOptions)',
        message: 'capacityReservationId cannot be set when spotMarketOptions is specified',
      },
    ],
  },
);

export const status = object('What was last observed of the instance.', {
  addresses,
  conditions,
  dedicatedHost: object('The dedicated host that was allocated for this machine.', {
    id: string('Id of the host.'),
  }),
  failureDomain: string('Availability zone of the instance.'),
  failureMessage: string('Why this machine can never work, for people.'),
  failureReason: string('Why this machine can never work, as one word; set means that it must be replaced.'),
  instanceState: string('State of the instance as EC2 names it.'),
  interruptible: boolean('Whether the instance may be taken away at any time.'),
  ready: boolean('Whether the instance runs.'),
});

export type AWSMachineSpec = Infer<typeof spec>;
export type AWSMachineStatus = Infer<typeof status>;
export type AWSMachine = KubeObject<AWSMachineSpec, AWSMachineStatus>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    AWSMachine: AWSMachine;
  }
}

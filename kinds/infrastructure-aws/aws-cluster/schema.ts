import type { KubeObject } from '../../../machinery/api/object.ts';
import { boolean, type Infer, list, map, object, required, string } from '../../../machinery/api/schema.ts';
import { identityRef } from '../identity/schema.ts';
import { networkSpec } from '../network/schema.ts';
import { observedLoadBalancer } from '../network/schema-load-balancer.ts';
import { ingressRule } from '../network/schema-network.ts';
import {
  addresses,
  capacityReservationId,
  capacityReservationPreference,
  conditions,
  cpuOptions,
  dynamicHostAllocation,
  hostAffinity,
  instanceMetadataOptions,
  marketType,
  placementGroupPartition,
  privateDnsName,
  spotMarketOptions,
  tags,
  volume,
} from '../shapes.ts';

export const spec = object('The wanted infrastructure of a cluster on AWS.', {
  ...networkSpec,
  additionalTags: tags('Tags put on everything that is created for the cluster.'),
  identityRef: identityRef('The identity with which AWS is called.'),
  imageLookupBaseOS: string('Operating system that the image lookup of machines fills into its name pattern.'),
  imageLookupFormat: string('Name pattern with which machines look up their image.'),
  imageLookupOrg: string('Account that owns the images to look up.'),
  partition: string('AWS partition of the region; absent means as the region says.'),
  region: string('AWS region of the cluster.'),
  s3Bucket: object('A bucket for the bootstrap data of Ignition machines.', {
    bestEffortDeleteObjects: boolean('Whether failing to delete objects is ignored.'),
    controlPlaneIAMInstanceProfile: string('Instance profile that may read what control-plane machines need.'),
    name: required(
      string('Name of the bucket.', { maxLength: 63, minLength: 3, pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$' }),
    ),
    nodesIAMInstanceProfiles: list(
      'Instance profiles that may read what nodes need.',
      string('Name of an instance profile.'),
    ),
    presignedURLDuration: string('How long presigned URLs to bootstrap data are valid.'),
  }),
});

const bastionInstance = object('The bastion as it was last observed.', {
  addresses,
  assignPrimaryIPv6: string('Whether the first IPv6 address is the primary one.'),
  availabilityZone: string('Zone of the instance.'),
  capacityReservationId,
  capacityReservationPreference,
  cpuOptions,
  dynamicHostAllocation,
  ebsOptimized: boolean('Whether storage traffic has bandwidth of its own.'),
  enaSupport: boolean('Whether enhanced networking is on.'),
  hostAffinity: hostAffinity(),
  hostID: string('Dedicated host of the instance.'),
  iamProfile: string('Instance profile of the instance.'),
  id: required(string('Id of the instance.')),
  imageId: string('Image of the instance.'),
  instanceMetadataOptions,
  instanceState: string('State of the instance as EC2 names it.'),
  ipv6Address: string('IPv6 address of the instance.'),
  marketType,
  networkInterfaceType: string('Kind of its network interface.'),
  networkInterfaces: list('Its network interfaces.', string('Id of an interface.')),
  nonRootVolumes: list('Its data volumes.', volume('One data volume.')),
  placementGroupName: string('Placement group of the instance.'),
  placementGroupPartition,
  privateDnsName,
  privateIp: string('Private IPv4 address of the instance.'),
  publicIPOnLaunch: boolean('Whether it got a public address when it was launched.'),
  publicIp: string('Public IPv4 address of the instance.'),
  rootVolume: volume('Its root volume.'),
  securityGroupIds: list('Its security groups.', string('Id of a security group.')),
  spotMarketOptions,
  sshKeyName: string('EC2 key pair of the instance.'),
  subnetId: string('Subnet of the instance.'),
  tags: tags('Its tags.'),
  tenancy: string('Whether its hardware is shared.'),
  type: string('Instance type of the instance.'),
  userData: string('User data of the instance.'),
  volumeIDs: list('Its volumes.', string('Id of a volume.')),
});

export const status = object('What was last observed of the infrastructure.', {
  bastion: bastionInstance,
  conditions,
  failureDomains: map(
    'Zones that machines can be placed in, by name.',
    object('A zone.', {
      attributes: tags('Further facts about the zone.'),
      controlPlane: boolean('Whether control-plane machines may be placed there.'),
    }),
  ),
  networkStatus: object('What was last observed of the network.', {
    apiServerElb: observedLoadBalancer('The load balancer in front of the API servers.'),
    natGatewaysIPs: list('Public addresses from which the cluster reaches the internet.', string('An IPv4 address.')),
    secondaryAPIServerELB: observedLoadBalancer('The second load balancer in front of the API servers.'),
    securityGroups: map(
      'Security groups of the cluster, by role.',
      object('A security group.', {
        id: required(string('Id of the security group.')),
        ingressRule: list('Its rules.', ingressRule),
        name: required(string('Name of the security group.')),
        tags: tags('Its tags.'),
      }),
    ),
  }),
  ready: required(boolean('Whether the infrastructure is complete.', { default: false })),
});

export type AWSClusterSpec = Infer<typeof spec>;
export type AWSClusterStatus = Infer<typeof status>;
export type AWSCluster = KubeObject<AWSClusterSpec, AWSClusterStatus>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    AWSCluster: AWSCluster;
  }
}

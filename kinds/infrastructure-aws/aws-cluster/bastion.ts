/** The bastion: a small instance for SSH in a public subnet. */
import { legacyTrue } from '../../../machinery/api/conditions.ts';
import type { Instance } from '../../ports/cloud.ts';
import { callCloud } from '../../ports/index.ts';
import { newest } from './bastion-image.ts';
import { bastionReady, failedPart, partOf } from './conditions.ts';
import { notYet, type Part, type Scope, settled } from './context.ts';
import { isEdge } from './network/fill.ts';
import { observedSubnet } from './network/subnets.ts';
import type { AWSClusterStatus } from './schema.ts';
import { groupIds } from './security-groups.ts';
import { clientToken, evidence, tagMap, tagSpecifications, tagsOf } from './tags.ts';

export const planBastion = (scope: Scope): Part => {
  const { owner, region, spec, network, observed } = scope;
  const { bastion } = observed;
  if (!spec.bastion?.enabled) {
    if (!bastion || bastion.State.Name === 'shutting-down') return settled();
    return partOf(
      bastionReady,
      [
        {
          key: 'bastion/terminate',
          actions: () => [
            callCloud(region, 'TerminateInstances', { InstanceIds: [bastion.InstanceId] }, evidence(owner)),
          ],
        },
      ],
      [],
      'Removing the bastion',
    );
  }
  if (bastion) return standing(bastion);
  const group = groupIds(scope).bastion;
  const subnet = (network.subnets ?? []).find((one) => one.isPublic && !isEdge(one));
  if (!subnet) return failedPart(bastionReady, 'the bastion needs a public subnet');
  const there = observedSubnet(subnet, observed.subnets);
  if (!there || !group) return notYet;
  const image = spec.bastion.ami ?? newest(observed.bastionImages)?.ImageId;
  if (!image) return failedPart(bastionReady, 'no image for the bastion was found: give one in spec.bastion.ami');
  return partOf(
    bastionReady,
    [
      {
        key: 'bastion',
        actions: (since) => [
          callCloud(region, 'RunInstances', {
            ImageId: image,
            InstanceType: spec.bastion?.instanceType || 't3.micro',
            MinCount: 1,
            MaxCount: 1,
            ClientToken: clientToken(owner, 'bastion', since),
            UserData: '',
            SubnetId: there.SubnetId,
            SecurityGroupIds: [group],
            ...(spec.sshKeyName && { KeyName: spec.sshKeyName }),
            // Set explicitly against the account's default: tag keys contain slashes, which
            // instance metadata cannot show.
            MetadataOptions: { HttpTokens: 'required', HttpEndpoint: 'enabled', InstanceMetadataTags: 'disabled' },
            TagSpecifications: (['instance', 'volume', 'network-interface'] as const).flatMap((type) =>
              tagSpecifications(
                type,
                tagsOf(owner, { name: `${owner.clusterName}-bastion`, role: 'bastion', purpose: 'bastion' }),
              ),
            ),
          }),
        ],
      },
    ],
    [],
    'Creating the bastion',
  );
};

/** A stopped bastion is no fault of the cluster: the user may have stopped it to save cost. */
const standing = ({ State }: Instance): Part => {
  switch (State.Name) {
    case 'running':
    case 'stopped':
      return settled(legacyTrue(bastionReady));
    case 'stopping':
      return { ...partOf(bastionReady, [], ['bastion'], ''), conditions: [legacyTrue(bastionReady)] };
    default:
      return partOf(bastionReady, [], ['bastion'], `The bastion is ${State.Name}`);
  }
};

export const bastionStatus = (instance: Instance): AWSClusterStatus['bastion'] => ({
  id: instance.InstanceId,
  instanceState: instance.State.Name,
  type: instance.InstanceType,
  imageId: instance.ImageId,
  availabilityZone: instance.Placement.AvailabilityZone,
  ...(instance.SubnetId && { subnetId: instance.SubnetId }),
  ...(instance.PrivateIpAddress && { privateIp: instance.PrivateIpAddress }),
  ...(instance.PublicIpAddress && { publicIp: instance.PublicIpAddress }),
  ...(instance.KeyName && { sshKeyName: instance.KeyName }),
  securityGroupIds: instance.SecurityGroups.map(({ GroupId }) => GroupId),
  tags: tagMap(instance.Tags),
});

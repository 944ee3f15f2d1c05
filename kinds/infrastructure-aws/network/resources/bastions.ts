/** The bastion: a small instance for SSH in a public subnet. */
import type { Instance } from '../../../ports/cloud/index.ts';
import { isUp, launchedInterfaces, launchedVolumes } from '../../engine/launched.ts';
import { call, create, type Desired } from '../../engine/resource.ts';
import { purposeTag, tagMap } from '../../engine/tags.ts';
import { newest } from '../bastion-image.ts';
import { bastionReady } from '../conditions.ts';
import { isEdge } from '../fill.ts';
import type { NetworkResource, Scope } from '../scope.ts';
import { groupIds } from './security-groups.ts';
import { observedSubnet } from './subnets.ts';

const live = ['pending', 'running', 'stopping', 'stopped', 'shutting-down'];

/** A running instance that is not a node of a cluster. */
const isRunningBastion = ({ State, Tags }: Instance): boolean =>
  live.includes(State.Name) && tagMap(Tags)[purposeTag] === 'bastion';

const desired = (scope: Scope): Desired<Instance> => {
  const { owner, spec, network, cloudState } = scope;
  const [there] = cloudState.bastions;
  if (!spec.bastion?.enabled) {
    if (!there || there.State.Name === 'shutting-down') return [];
    return [{ there, repairs: { terminate: call('TerminateInstances', { InstanceIds: [there.InstanceId] }) } }];
  }
  if (there) return [{ there }];
  const group = groupIds(scope).bastion;
  const subnet = (network.subnets ?? []).find((one) => one.isPublic && !isEdge(one));
  if (!subnet) return { failed: 'the bastion needs a public subnet' };
  const SubnetId = observedSubnet(subnet, cloudState.subnets)?.SubnetId;
  if (!SubnetId || !group) return 'later';
  const image = spec.bastion.ami ?? newest(cloudState.bastionImages)?.ImageId;
  if (!image) return { failed: 'no image for the bastion was found: give one in spec.bastion.ami' };
  return [
    {
      there,
      create: create('RunInstances', {
        ImageId: image,
        InstanceType: spec.bastion.instanceType || 't3.micro',
        MinCount: 1,
        MaxCount: 1,
        UserData: '',
        SubnetId,
        SecurityGroupIds: [group],
        ...(spec.sshKeyName && { KeyName: spec.sshKeyName }),
        // Set explicitly against the account's default: tag keys contain slashes, which instance
        // metadata cannot show.
        MetadataOptions: { HttpTokens: 'required', HttpEndpoint: 'enabled', InstanceMetadataTags: 'disabled' },
      }),
      tags: { name: `${owner.clusterName}-bastion`, role: 'bastion' },
    },
  ];
};

export const bastions: NetworkResource<Instance> = {
  sort: 'bastion',
  title: 'bastion',
  events: ['RunInstances', 'TerminateInstances'],
  condition: { type: bastionReady, started: 'BastionCreationStarted', failed: 'BastionHostFailed' },
  isOptional: true,
  list: 'instances',
  filters: [{ Name: `tag:${purposeTag}`, Values: ['bastion'] }],
  isOne: isRunningBastion,
  isPossible: ({ bastion }) => bastion,
  // A stopped bastion is no fault of the cluster: the user may have stopped it to save cost.
  state: ({ State: { Name } }) => {
    if (Name === 'shutting-down') return 'deleting';
    return Name === 'pending' ? 'pending' : 'ready';
  },
  isMoving: ({ State: { Name } }) => Name === 'stopping',
  depth: 0,
  ec2: ['instance', 'volume', 'network-interface'],
  repeats: 'token',
  desired,
  awaiting: ({
    spec,
    cloudState: {
      bastions: [there],
    },
  }) => {
    if (!spec.bastion?.enabled) return 'Removing the bastion';
    return there ? `The bastion is ${there.State.Name}` : 'Creating the bastion';
  },
  tagged: (one) => [
    one.InstanceId,
    ...launchedVolumes(one),
    ...launchedInterfaces(one).map(({ NetworkInterfaceId }) => NetworkInterfaceId),
  ],
  isComing: (one) => !isUp(one),
  uses: ['securityGroups', 'subnets', 'internetGateways', 'vpcs'],
  turn: ({ mayHaveBastion }) => (mayHaveBastion ? 'slow' : 'last'),
  remove: ({ InstanceId }) => [call('TerminateInstances', { InstanceIds: [InstanceId] })],
};

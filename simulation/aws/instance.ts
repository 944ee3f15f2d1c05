/** Instances: their records, and the state that follows from a record at a given time. */
import type { Instance, InstanceStateName } from '../../kinds/ports/cloud/index.ts';
import type { GuestInstance } from '../ports.ts';
import { type CollectionOf, partTag, type Stored } from './collection.ts';
import { profileArn } from './identity.ts';
import type { InstanceTrouble } from './instance-status.ts';
import { hostOf } from './instance-type.ts';
import { idErrorsOf } from './naming.ts';
import { publicDomain } from './regions.ts';
import { missesChange } from './staleness.ts';
import type { AccountState, Call } from './state.ts';
import { tagList } from './tags.ts';

export interface InstanceInterface {
  id: string;
  subnetId: string;
  privateIp: string;
  publicIp?: string;
  ipv6?: string;
  /** The address of IPv6 stays with the interface. */
  primaryIpv6?: boolean;
  /** Set when `publicIp` is an elastic address. */
  elastic?: { allocationId: string; associationId: string };
  groups: string[];
  /** For an interface that was attached after the launch. */
  attached?: number;
  tags: Record<string, string>;
}
export interface InstanceVolume {
  id: string;
  device: string;
  /** GiB. */
  size: number;
  type: string;
  encrypted: boolean;
  deleteOnTermination: boolean;
  tags: Record<string, string>;
}

/**
 * One record for each launch: interfaces, volumes and the client token share its lifetime, so that
 * no crash can separate them.
 */
export interface InstanceRecord extends Stored {
  vpcId: string;
  zone: string;
  imageId: string;
  imageName: string;
  architecture: string;
  rootDevice: string;
  type: string;
  vcpus: number;
  interfaces: InstanceInterface[];
  volumes: InstanceVolume[];
  privateDnsName: string;
  publicDnsNames: boolean;
  profile?: string;
  keyName?: string;
  /** Base64. */
  userData: string;
  metadata: Instance['MetadataOptions'];
  tenancy: string;
  token: string;
  /** The position among the instances of its launch. */
  launchIndex?: number;
  /** The token's scope: a zone, or empty for a launch that named none. */
  tokenZone: string;
  parameters: string;
  /** When `pending` ends. */
  starts: number;
  /**
   * Stopped and perhaps restarted by a user: times of the request and of its effect; its events may
   * be lost.
   */
  stopped?: { requested: number; done: number; started?: number; runs?: number; isUntold?: boolean };
  ended?: { requested: number; done: number; code: string; message: string; transition: string };
  trouble?: InstanceTrouble;
  market?: 'spot';
  /** Id of the capacity reservation that it takes. */
  reservation?: string;
  /** EC2 has announced the end of a spot instance. */
  interrupted?: { ends: number };
  /** The last state whose effects were carried out. */
  announced?: InstanceStateName;
}

export const instanceErrors = idErrorsOf('i', 'InvalidInstanceID', 'instance ID');

export const instances: CollectionOf<InstanceRecord> = {
  name: 'instances',
  errors: instanceErrors,
  indexes: {
    'vpc-id': ({ vpcId }) => [vpcId],
    'subnet-id': ({ interfaces }) => interfaces.map(({ subnetId }) => subnetId),
    'client-token': ({ token }) => [token],
    'group-id': ({ interfaces }) => [...new Set(interfaces.flatMap(({ groups }) => groups))],
    'private-ip-address': ({ interfaces }) => interfaces.map(({ privateIp }) => privateIp),
    volume: ({ volumes }) => volumes.map(({ id }) => id),
    interface: ({ interfaces }) => interfaces.map(({ id }) => id),
    'part-tag': ({ region, volumes, interfaces }) => [
      ...new Set(
        [...volumes, ...interfaces].flatMap(({ tags }) =>
          Object.entries(tags).map(([key, value]) => partTag(region, key, value)),
        ),
      ),
    ],
    'allocation-id': ({ interfaces }) => interfaces.flatMap(({ elastic }) => elastic?.allocationId ?? []),
  },
};

export const instanceState = ({ ended, starts, stopped }: InstanceRecord, now: number): InstanceStateName => {
  if (ended && now >= ended.requested) return now < ended.done ? 'shutting-down' : 'terminated';
  if (stopped && now >= stopped.requested) {
    const { done, started = Number.POSITIVE_INFINITY, runs = started } = stopped;
    if (now < started) return now < done ? 'stopping' : 'stopped';
    return now < runs ? 'pending' : 'running';
  }
  return now < starts ? 'pending' : 'running';
};

/** Terminated: only name and reason remain. */
export const isGone = (instance: InstanceRecord, now: number): boolean => instanceState(instance, now) === 'terminated';

const changesOf = ({ starts, stopped, ended }: InstanceRecord): number[] =>
  [
    starts,
    ...[stopped?.requested, stopped?.done, stopped?.started, stopped?.runs],
    ...[ended?.requested, ended?.done],
  ].filter((time) => time !== undefined);

/** When the state changes next, if it will. */
export const nextChange = (instance: InstanceRecord, now: number): number | undefined =>
  changesOf(instance)
    .filter((time) => time > now)
    .sort((a, b) => a - b)[0];

/** The state that this read returns: possibly the one before the last change. */
export const observedState = (call: Call, instance: InstanceRecord): InstanceStateName => {
  const last = changesOf(instance)
    .filter((time) => time <= call.now)
    .sort((a, b) => b - a)[0];
  return instanceState(instance, last !== undefined && missesChange(call, last) ? last - 1 : call.now);
};

const publicNames = (instance: InstanceRecord): Pick<Instance, 'PublicIpAddress' | 'PublicDnsName'> => {
  const address = instance.interfaces[0]?.publicIp;
  if (!address) return {};
  const name = `ec2-${address.replaceAll('.', '-')}.${publicDomain(instance.region)}`;
  return { PublicIpAddress: address, ...(instance.publicDnsNames && { PublicDnsName: name }) };
};

/** Attributes that only an instance with its parts shows. */
const parts = (account: AccountState, instance: InstanceRecord): Partial<Instance> => {
  const primary = instance.interfaces[0]!;
  return {
    SubnetId: primary.subnetId,
    VpcId: instance.vpcId,
    PrivateIpAddress: primary.privateIp,
    ...(primary.ipv6 && { Ipv6Address: primary.ipv6 }),
    PrivateDnsName: instance.privateDnsName,
    ...(instance.profile && {
      IamInstanceProfile: { Arn: profileArn(account, instance.region, instance.profile) },
    }),
  };
};

export const viewInstance = ({ account }: Call, instance: InstanceRecord, state: InstanceStateName): Instance => {
  const gone = state === 'terminated';
  const over = state === 'shutting-down' || gone;
  const groupName = (id: string) => account.securityGroups.get(id)?.name ?? '';
  return {
    InstanceId: instance.id,
    ImageId: instance.imageId,
    InstanceType: instance.type,
    State: { Name: state },
    ...(over &&
      instance.ended && {
        StateTransitionReason: instance.ended.transition,
        StateReason: { Code: instance.ended.code, Message: instance.ended.message },
      }),
    LaunchTime: new Date(instance.created).toISOString(),
    Placement: { AvailabilityZone: instance.zone, Tenancy: instance.tenancy },
    ...(!gone && parts(account, instance)),
    ...(state === 'running' && publicNames(instance)),
    ClientToken: instance.token,
    AmiLaunchIndex: instance.launchIndex ?? 0,
    ...(instance.market && { InstanceLifecycle: instance.market }),
    ...(instance.keyName && { KeyName: instance.keyName }),
    SecurityGroups: gone ? [] : instance.interfaces[0]!.groups.map((id) => ({ GroupId: id, GroupName: groupName(id) })),
    MetadataOptions: { ...instance.metadata },
    BlockDeviceMappings: gone
      ? []
      : instance.volumes.map(({ id, device, deleteOnTermination }) => ({
          DeviceName: device,
          Ebs: {
            VolumeId: id,
            Status: state === 'pending' ? 'attaching' : 'attached',
            DeleteOnTermination: deleteOnTermination,
          },
        })),
    NetworkInterfaces: gone
      ? []
      : instance.interfaces.map(({ id, groups, attached = instance.created }, DeviceIndex) => ({
          NetworkInterfaceId: id,
          Attachment: { DeviceIndex, AttachTime: new Date(attached).toISOString() },
          Groups: groups.map((GroupId) => ({ GroupId })),
        })),
    Tags: tagList(instance.tags),
  };
};

const decodeUserData = (base64: string): string | Uint8Array => {
  const bytes = Buffer.from(base64, 'base64');
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : new Uint8Array(bytes);
};

/** The instance's metadata service data. */
export const guestInstance = (instance: InstanceRecord): GuestInstance => {
  const primary = instance.interfaces[0]!;
  return {
    instanceId: instance.id,
    region: instance.region,
    zone: instance.zone,
    instanceType: instance.type,
    ...hostOf(instance.type),
    architecture: instance.architecture,
    imageName: instance.imageName,
    userData: decodeUserData(instance.userData),
    ...(instance.launchIndex && { launchIndex: instance.launchIndex }),
    privateIp: primary.privateIp,
    ...(primary.publicIp && { publicIp: primary.publicIp }),
    ...(primary.ipv6 && { ipv6: primary.ipv6 }),
    privateDnsName: instance.privateDnsName,
    ...(instance.profile && { profile: instance.profile }),
    tags: { ...instance.tags },
  };
};

import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Context, found, type Read, type Reader, type Withheld } from '../../../machinery/api/reconcile.ts';
import { isAheadOf } from '../../common/kubernetes-version.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { follow } from '../../core/contract/references.ts';
import { awaitsOperation } from '../../core/contract/scope.ts';
import type { Machine } from '../../core/machine/index.ts';
import type { MachinePool } from '../../core/machine-pool/index.ts';
import type {
  AutoScalingGroup,
  Image,
  InstanceRefresh,
  InstanceTypeInfo,
  LaunchTemplate,
  LaunchTemplateVersion,
  LifecycleHook,
  ScalingActivity,
  Subnet,
} from '../../ports/cloud/index.ts';
import type { AWSCluster } from '../aws-cluster/index.ts';
import { provenOwnerOf } from '../aws-cluster/owner.ts';
import { architectureOf, imageQuestion } from '../aws-machine/image.ts';
import { hashOf } from '../aws-machine/launch.ts';
import { askSecurityGroups } from '../aws-machine/observe.ts';
import type { NamedGroups } from '../aws-machine/request.ts';
import type { AWSMachine } from '../aws-machine/schema.ts';
import { type Asking, asking } from '../engine/ask.ts';
import { additional, type Owner } from '../engine/tags.ts';
import { instancesOf } from './group.ts';
import { imageKeyOf } from './image-key.ts';
import { nameFor } from './name.ts';
import { type Note, noteOf } from './note.ts';
import { outdated } from './refresh.ts';
import type { AWSMachinePool } from './schema.ts';
import type { Bootstrap } from './secrets.ts';
import { askFilteredSubnets } from './subnets.ts';
import { asMachineSpec } from './template.ts';

/** What AWS has of the pool. */
export interface CloudState {
  group: AutoScalingGroup | undefined;
  template: LaunchTemplate | undefined;
  latest: LaunchTemplateVersion | undefined;
  /** Read where old ones are deleted. */
  versions: LaunchTemplateVersion[];
  hooks: LifecycleHook[];
  /** The newest first; read while instances are replaced. */
  refreshes: InstanceRefresh[];
  /** The newest first; read while instances are missing. */
  activities: ScalingActivity[];
  filteredSubnets: Subnet[][];
  securityGroups: NamedGroups;
  /** Read when another image is to be chosen. */
  image:
    | { question: ReturnType<typeof imageQuestion>; images: Image[]; type: InstanceTypeInfo | undefined }
    | undefined;
}

export interface Observed {
  pool: AWSMachinePool;
  machinePool: Read<MachinePool>;
  cluster: Read<Cluster>;
  awsCluster: Read<AWSCluster>;
  /** The version of the MachinePool that the control plane does not have yet. */
  awaitedVersion: string | undefined;
  /** Undefined while the Secret is not there; a message if it cannot be used. */
  bootstrap: Bootstrap | string | undefined;
  owner: Owner | undefined;
  region: string;
  /** Of the group and the template. */
  name: string;
  note: Note | undefined;
  awsMachines: Read<AWSMachine[]>;
  machines: Read<Machine[]>;
  withheld: Withheld | undefined;
  cloudState: CloudState;
  cloud: 'known' | 'unread' | { unreadable: string };
}

export const clusterNameOf = ({ metadata }: KubeObject): string | undefined =>
  metadata.labels?.['cluster.x-k8s.io/cluster-name'];

const absent = { state: 'absent' } as const;

export const isGoing = (pool: AWSMachinePool, withheld: Withheld | undefined): boolean =>
  pool.metadata.deletionTimestamp !== undefined || withheld?.releases === true;

const clusterOf = (pool: AWSMachinePool, read: Reader): Read<Cluster> => {
  const { namespace = '' } = pool.metadata;
  const name = noteOf(pool)?.clusterName ?? clusterNameOf(pool);
  return name ? read.get('Cluster', { namespace, name }) : absent;
};
export const ownClusterOf = clusterOf;

/** The owner as the cluster defines it, or as recorded when the group was made. */
const ownerFor = (
  pool: AWSMachinePool,
  { awsCluster, cluster }: { awsCluster: AWSCluster | undefined; cluster: Cluster | undefined },
  note: Note | undefined,
  installation: string,
): Owner | undefined => {
  const current = awsCluster && provenOwnerOf(awsCluster, cluster, installation);
  const whose = note ? { installation, clusterUid: note.clusterUid, clusterName: note.clusterName } : current;
  if (!whose) return undefined;
  const additionalTags = {
    ...current?.additionalTags,
    ...additional(pool.spec?.additionalTags ?? {}, whose.clusterName),
  };
  return { ...whose, additionalTags };
};

const bootstrapOf = (secret: KubeObject | undefined): Bootstrap | string | undefined => {
  const { value, format } = (secret?.data ?? {}) as Record<string, string | undefined>;
  if (value === undefined) return undefined;
  if (format && Buffer.from(format, 'base64').toString() === 'ignition')
    return 'the bootstrap data is for Ignition, which is not acted on: set format: cloud-config in the bootstrap configuration';
  const data = Buffer.from(value, 'base64');
  return { data, hash: hashOf(data) };
};

const awaitedVersionOf = (
  read: Reader,
  cluster: Cluster | undefined,
  machinePool: MachinePool | undefined,
): string | undefined => {
  const { controlPlaneRef } = cluster?.spec ?? {};
  const version = machinePool?.spec?.template.spec.version;
  if (!cluster || !controlPlaneRef || version === undefined) return undefined;
  const controlPlane = found(follow(read, cluster.metadata.namespace ?? '', controlPlaneRef, 'ControlPlane'));
  const { version: running } = (controlPlane?.status ?? {}) as { version?: string };
  return isAheadOf(version, running) ? version : undefined;
};

const nothing: CloudState = {
  group: undefined,
  template: undefined,
  latest: undefined,
  versions: [],
  hooks: [],
  refreshes: [],
  activities: [],
  filteredSubnets: [],
  securityGroups: [],
  image: undefined,
};

export const observe = (pool: AWSMachinePool, read: Reader, { installation, withheld }: Context): Observed => {
  const { namespace = '', uid = '' } = pool.metadata;
  const note = noteOf(pool);
  const reference = pool.metadata.ownerReferences?.find(({ kind }) => kind === 'MachinePool');
  const machinePool: Read<MachinePool> = reference
    ? read.get('MachinePool', { namespace, name: reference.name })
    : absent;
  const cluster = clusterOf(pool, read);
  const { kind, name = '' } = found(cluster)?.spec?.infrastructureRef ?? {};
  const awsCluster: Read<AWSCluster> = kind === 'AWSCluster' ? read.get('AWSCluster', { namespace, name }) : absent;
  const secretName = found(machinePool)?.spec?.template.spec.bootstrap.dataSecretName;
  const going = isGoing(pool, withheld);
  const secret: Read<KubeObject> = secretName && !going ? read.get('Secret', { namespace, name: secretName }) : absent;
  const owner = ownerFor(pool, { awsCluster: found(awsCluster), cluster: found(cluster) }, note, installation);
  const region = note?.region ?? found(awsCluster)?.spec?.region ?? '';
  const bootstrap = bootstrapOf(found(secret));
  const awaitedVersion = going ? undefined : awaitedVersionOf(read, found(cluster), found(machinePool));
  const known = { pool, machinePool, cluster, awsCluster, awaitedVersion, bootstrap, owner, region, note, withheld };
  const named = { ...known, name: note?.name ?? (owner ? nameFor(owner, pool) : '') };
  const machinePoolUid = found(machinePool)?.metadata.uid;
  const looks = owner !== undefined && region !== '' && (note !== undefined || mayBegin(known));
  const lists = {
    awsMachines: looks ? read.list('AWSMachine', { namespace, owner: uid }) : none<AWSMachine>(),
    machines: looks && machinePoolUid ? read.list('Machine', { namespace, owner: machinePoolUid }) : none<Machine>(),
  };
  if (!looks) return { ...named, ...lists, cloudState: nothing, cloud: 'unread' };
  const cloud = asking(read, region);
  const cloudState = observeCloud(cloud, named, going);
  const reason = cloud.unreadable();
  const isUnread = cloud.unread() || Object.values(lists).some(({ state }) => state === 'unread');
  return { ...named, ...lists, cloudState, cloud: isUnread ? 'unread' : reason ? { unreadable: reason } : 'known' };
};

const none = <T>(): Read<T[]> => ({ state: 'found', value: [] });

type Known = Pick<
  Observed,
  | 'pool'
  | 'machinePool'
  | 'cluster'
  | 'awsCluster'
  | 'awaitedVersion'
  | 'bootstrap'
  | 'owner'
  | 'region'
  | 'note'
  | 'withheld'
>;

/** Whether everything is there that a group is made from. */
const mayBegin = ({ pool, machinePool, cluster, bootstrap, withheld }: Known): boolean =>
  !isGoing(pool, withheld) &&
  !awaitsOperation(withheld) &&
  found(machinePool) !== undefined &&
  found(cluster)?.status?.initialization?.infrastructureProvisioned === true &&
  bootstrap !== undefined;

const observeCloud = (cloud: Asking, known: Known & { name: string }, going: boolean): CloudState => {
  const { name, note, pool } = known;
  const [group] = cloud.ask('DescribeAutoScalingGroups', { AutoScalingGroupNames: [name] })?.AutoScalingGroups ?? [];
  const [template] = cloud.ask('DescribeLaunchTemplates', { LaunchTemplateNames: [name] })?.LaunchTemplates ?? [];
  if (going) return { ...nothing, group, template };
  const { LaunchTemplateId } = template ?? {};
  const [latest] = LaunchTemplateId
    ? (cloud.ask('DescribeLaunchTemplateVersions', { LaunchTemplateId, Versions: ['$Latest'] })
        ?.LaunchTemplateVersions ?? [])
    : [];
  const hooks = group
    ? (cloud.ask('DescribeLifecycleHooks', { AutoScalingGroupName: name })?.LifecycleHooks ?? [])
    : [];
  const isReplacing = group && note?.template && outdated(group, note.template).length > 0;
  const mayRefresh = isReplacing || (note?.refresh !== undefined && note.refresh.since !== note.template?.since);
  const isMissing = group && instancesOf(group).length < group.DesiredCapacity;
  return {
    group,
    template,
    latest,
    hooks,
    versions:
      LaunchTemplateId && latest && isReplacing === false && note?.pruned !== latest.VersionNumber
        ? (cloud.ask('DescribeLaunchTemplateVersions', { LaunchTemplateId })?.LaunchTemplateVersions ?? [])
        : [],
    refreshes: mayRefresh
      ? (cloud.ask('DescribeInstanceRefreshes', { AutoScalingGroupName: name, MaxRecords: 1 })?.InstanceRefreshes ?? [])
      : [],
    activities: isMissing
      ? (cloud.ask('DescribeScalingActivities', { AutoScalingGroupName: name, MaxRecords: 10 })?.Activities ?? [])
      : [],
    filteredSubnets: askFilteredSubnets(cloud, pool.spec ?? {}),
    securityGroups: pool.spec ? askSecurityGroups(cloud, asMachineSpec(pool.spec)) : [],
    image: observeImage(cloud, known),
  };
};

const observeImage = (
  cloud: Asking,
  { pool, machinePool, awsCluster, awaitedVersion, note }: Known,
): CloudState['image'] => {
  const infrastructure = found(awsCluster)?.spec;
  if (!pool.spec || !infrastructure || awaitedVersion !== undefined) return undefined;
  const version = found(machinePool)?.spec?.template.spec.version;
  const machine = asMachineSpec(pool.spec);
  if (note?.image?.key === imageKeyOf(machine, infrastructure, version)) return undefined;
  const type = cloud.ask('DescribeInstanceTypes', { InstanceTypes: [machine.instanceType] })?.InstanceTypes[0];
  const question = imageQuestion(machine, infrastructure, version, architectureOf(type));
  const images = typeof question === 'string' ? [] : (cloud.ask('DescribeImages', question)?.Images ?? []);
  return { question, images, type };
};

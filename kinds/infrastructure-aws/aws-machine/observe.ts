import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  type Context,
  type Failure,
  found,
  type Read,
  type Reader,
  type Withheld,
} from '../../../machinery/api/reconcile.ts';
import { controllerOf } from '../../common/owners.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { withheldBy, withoutCluster } from '../../core/contract/scope.ts';
import type { Machine } from '../../core/machine/index.ts';
import type { Address, CloudOutput, Image, Instance, InstanceTypeInfo, Subnet, Tag } from '../../ports/cloud/index.ts';
import type { AWSCluster } from '../aws-cluster/index.ts';
import { provenOwnerOf } from '../aws-cluster/owner.ts';
import { type Asking, asking } from '../engine/ask.ts';
import { type Owner, ownedFilter } from '../engine/tags.ts';
import { isUsedUp } from '../network/address-pool.ts';
import type { Balancing, ObservedClassic, ObservedTargetGroup } from './balancing.ts';
import { decideBatch, following, groupOf, isCombined, isGathering, isOwnOf, standingOf } from './batch.ts';
import { observeConsole } from './console.ts';
import { isHeld } from './deletion-hooks.ts';
import { type FixedAddress, observeFixedAddress } from './fixed-address.ts';
import { architectureOf, imageQuestion } from './image.ts';
import { observeInfrastructure } from './infrastructure.ts';
import { instanceIdOf } from './instance-id.ts';
import { isOverdue, isToRepeat, type Launch, launchOf } from './launch.ts';
import { askNamedSubnets } from './placement.ts';
import { machineUidTag, type NamedGroups } from './request.ts';
import type { AWSMachine } from './schema.ts';
import { secretsOf } from './secrets.ts';
import { launchedFor, unmanagedInstance } from './unmanaged.ts';
import { backendOf } from './user-data.ts';

/** The inputs of a launch; read only while there is no instance. */
export interface Prerequisites {
  typeInfo: InstanceTypeInfo | undefined;
  images: Image[];
  question: ReturnType<typeof imageQuestion>;
  subnets: Subnet[];
}

export interface Observed {
  awsMachine: AWSMachine;
  machine: Read<Machine>;
  cluster: Read<Cluster>;
  withheld: Withheld | undefined;
  awsCluster: Read<AWSCluster>;
  secret: Read<KubeObject>;
  owner: Owner | undefined;
  region: string;
  launch: Launch | undefined;
  /** Read while it is to be taken or given back; undefined for a machine that asks for none. */
  fixed: FixedAddress | undefined;
  /** The AWSMachine that launches this one together with others. */
  first: Read<AWSMachine>;
  /** The cluster's AWSMachines; read only while this one waits to launch others with itself. */
  group: Read<AWSMachine[]>;
  /** An instance of the call for several machines was observed. */
  siblings: boolean;
  /**
   * Every instance with the machine's uid, the one that providerID names, and that of an overdue
   * launch.
   */
  instances: Instance[];
  /**
   * uids of the cluster's other AWSMachines; read only when the user named an instance that another
   * AWSMachine may own.
   */
  others: Read<string[]>;
  /** The instance that providerID names does not exist. */
  lost: boolean;
  prerequisites: Prerequisites | undefined;
  additionalGroups: NamedGroups;
  /** Names of the parameters with the current launch's bootstrap data. */
  parameters: string[];
  balancing: Balancing;
  /** Elastic IPs with the machine's uid. */
  addresses: Address[];
  /** What the instance printed; read only while a Node is overdue. */
  console: Read<CloudOutput<'GetConsoleOutput'>> | undefined;
  /** The address pool is empty, and Amazon's may replace it. */
  poolUsedUp: boolean;
  cloud: 'known' | 'unread' | { unreadable: string };
}

export const isLive = ({ State }: Instance): boolean => State.Name !== 'terminated';

const isNew = ({ State }: Instance): boolean => State.Name === 'pending';
const isEnding = ({ State }: Instance): boolean => State.Name === 'shutting-down' || State.Name === 'terminated';

const referenceTo = (object: KubeObject, kind: string) =>
  object.metadata.ownerReferences?.find((reference) => reference.kind === kind);

const unbalanced: Balancing = { targetGroups: [], classicLoadBalancers: [] };

/** Names of all target groups of the cluster's load balancers. */
const targetGroupNames = ({ status }: AWSCluster): string[] =>
  [status?.networkStatus?.apiServerElb, status?.networkStatus?.secondaryAPIServerELB].flatMap(
    (balancer) => balancer?.elbListeners?.map(({ targetGroup }) => targetGroup.name) ?? [],
  );

/** Its Machine belongs to a MachineSet or a control plane, and deletes it. */
export const isGenerated = ({ machine }: Pick<Observed, 'machine'>): boolean => {
  const owner = found(machine);
  return owner !== undefined && controllerOf(owner) !== undefined;
};

export const isControlPlane = (machine: Machine | undefined, awsMachine: AWSMachine): boolean =>
  [machine, awsMachine].some((one) => one?.metadata.labels?.['cluster.x-k8s.io/control-plane'] !== undefined);

/** Its Machine, and the Cluster of both. */
const observeCluster = (awsMachine: AWSMachine, read: Reader) => {
  const namespace = awsMachine.metadata.namespace ?? '';
  const reference = referenceTo(awsMachine, 'Machine');
  const machine: Read<Machine> = reference
    ? read.get('Machine', { namespace, name: reference.name })
    : { state: 'absent' };
  const clusterName =
    found(machine)?.spec?.clusterName ?? awsMachine.metadata.labels?.['cluster.x-k8s.io/cluster-name'];
  const cluster: Read<Cluster> = clusterName
    ? read.get('Cluster', { namespace, name: clusterName })
    : { state: 'absent' };
  return { machine, clusterName, cluster };
};

/** Unread while its Machine may name another one. */
export const ownClusterOf = (awsMachine: AWSMachine, read: Reader): Read<Cluster> => {
  const { machine, cluster } = observeCluster(awsMachine, read);
  return machine.state === 'unread' ? machine : cluster;
};

export const observe = (awsMachine: AWSMachine, read: Reader, context: Context): Observed => {
  const { installation, lastFailure, now } = context;
  const namespace = awsMachine.metadata.namespace ?? '';
  const { machine, clusterName, cluster } = observeCluster(awsMachine, read);
  const awsCluster = observeInfrastructure(read, namespace, found(cluster));
  const secretName = found(machine)?.spec?.bootstrap?.dataSecretName;
  const secret: Read<KubeObject> = secretName
    ? read.get('Secret', { namespace, name: secretName })
    : { state: 'absent' };
  const { first, group, launch } = observeBatch(awsMachine, found(machine), clusterName, read);
  const owner = ownerFor(found(awsCluster), found(cluster), launch, installation);
  const region = launch?.region ?? found(awsCluster)?.spec?.region ?? '';
  const withheld = withheldFor(awsMachine, found(cluster), owner, context);
  const isGoing = awsMachine.metadata.deletionTimestamp !== undefined || withheld?.releases === true;
  const fixed = isGoing || !instanceIdOf(awsMachine) ? observeFixedAddress(awsMachine, read) : undefined;
  const known = {
    ...{ awsMachine, machine, cluster, withheld, awsCluster, secret, owner, region, fixed },
    ...{ launch, first, group },
  };
  const nothing = {
    siblings: false,
    instances: [],
    others: none,
    lost: false,
    prerequisites: undefined,
    additionalGroups: [],
    parameters: [],
    balancing: unbalanced,
    addresses: [],
    console: undefined,
    poolUsedUp: false,
  };
  if (!owner || !region) return { ...known, ...nothing, cloud: 'unread' };
  if (!mayMatter(known) || isGroupAwaited(known, now)) return { ...known, ...nothing, cloud: readBatch(known) };
  const cloud = asking(read, region);
  const facts = observeCloud(cloud, known, owner, lastFailure, now);
  const others = observeOthers(awsMachine, clusterName, facts.instances, read);
  const console = observeConsole(read, region, { awsMachine, machine, instances: facts.instances }, context);
  const batch = readBatch(known);
  const isUnread = cloud.unread() || console?.state === 'unread' || others.state === 'unread' || batch === 'unread';
  const unreadable = cloud.unreadable() ?? (others.state === 'unreadable' ? others.reason : undefined);
  return { ...known, ...facts, others, console, cloud: isUnread ? 'unread' : unreadable ? { unreadable } : batch };
};

/** A machine launched together with others follows the first of them, which waits for all. */
const observeBatch = (
  awsMachine: AWSMachine,
  machine: Machine | undefined,
  cluster: string | undefined,
  read: Reader,
): Pick<Observed, 'first' | 'group' | 'launch'> => {
  const launch = launchOf(awsMachine.metadata);
  const { namespace = '' } = awsMachine.metadata;
  const joins = !launch && machine?.spec?.bootstrap?.dataSecretName && !awsMachine.metadata.deletionTimestamp;
  const together = isCombined(launch)
    ? launch.batch
    : joins
      ? groupOf(awsMachine, isControlPlane(machine, awsMachine))
      : undefined;
  const first: Read<AWSMachine> =
    together && together.index > 0 ? read.get('AWSMachine', { namespace, name: together.first }) : { state: 'absent' };
  const group: Read<AWSMachine[]> =
    isGathering(launch) && cluster && !awsMachine.metadata.deletionTimestamp
      ? read.list('AWSMachine', { namespace, cluster })
      : { state: 'found', value: [] };
  return { first, group, launch: following(launch, found(first)) };
};

const readBatch = ({ first, group }: Known): Observed['cloud'] => {
  const reads: Read<unknown>[] = [first, group];
  const failed = reads.find((one) => one.state === 'unreadable');
  if (failed?.state === 'unreadable') return { unreadable: failed.reason };
  return reads.some(({ state }) => state === 'unread') ? 'unread' : 'known';
};

/** No call came, so there is no instance, and the many machines of the group do not ask for one. */
const isGroupAwaited = (known: Known, now: number): boolean => {
  const { launch, first } = known;
  if (!isCombined(launch) || hasCalled(known, now) || launch.batch.state === 'nothing') return false;
  const isOpen = isGathering(launch) || standingOf(launch, first, now) === 'open';
  const decision = decideBatch(launch, { ...known, instances: [] }, now);
  return isOpen && ['wait', 'call', 'cancel'].includes(decision.do);
};

/**
 * Another Cluster of the name decides nothing about the resources of the infrastructure's own one.
 * The loop does not know the Cluster of an AWSMachine whose label was removed; its Machine does.
 */
const withheldFor = (
  awsMachine: AWSMachine,
  cluster: Cluster | undefined,
  owner: Owner | undefined,
  { withheld, config }: Context,
): Withheld | undefined => {
  const isAnother = config.workflows === true && cluster && owner && cluster.metadata.uid !== owner.clusterUid;
  if (isAnother) return withoutCluster;
  return withheld ?? (cluster && withheldBy(cluster, awsMachine, config));
};

const none: Read<string[]> = { state: 'found', value: [] };

/** Another AWSMachine's launch only matters while that object exists. */
const observeOthers = (
  awsMachine: AWSMachine,
  cluster: string | undefined,
  instances: readonly Instance[],
  read: Reader,
): Read<string[]> => {
  const { uid, namespace = '' } = awsMachine.metadata;
  const isOthers = unmanagedInstance(awsMachine) && instances.some((one) => (launchedFor(one) ?? uid) !== uid);
  if (!isOthers || !cluster) return none;
  const all = read.list('AWSMachine', { namespace, cluster });
  return all.state === 'found'
    ? { state: 'found', value: all.value.flatMap(({ metadata }) => (metadata.uid === uid ? [] : (metadata.uid ?? []))) }
    : all;
};

/** The owner as the cluster defines it, or as recorded when the machine was launched. */
const ownerFor = (
  awsCluster: AWSCluster | undefined,
  cluster: Cluster | undefined,
  launch: Launch | undefined,
  installation: string,
): Owner | undefined => {
  const current = awsCluster && provenOwnerOf(awsCluster, cluster, installation);
  if (!launch) return current;
  const { clusterUid, clusterName } = launch;
  return { installation, clusterUid, clusterName, additionalTags: current?.additionalTags ?? {} };
};

type Known = Pick<
  Observed,
  'awsMachine' | 'machine' | 'cluster' | 'withheld' | 'awsCluster' | 'secret' | 'launch' | 'first' | 'group'
>;

/**
 * Whether observed instances can change the decision. Before the conditions of a first launch are
 * met they cannot; a launch itself describes first.
 */
const mayMatter = ({ awsMachine, machine, cluster, withheld, launch }: Known): boolean => {
  const mayHaveOne = launch !== undefined || instanceIdOf(awsMachine) !== undefined;
  if (awsMachine.metadata.deletionTimestamp) return mayHaveOne && !isHeld({ machine });
  if (withheld?.releases) return !isGenerated({ machine });
  if (awsMachine.status?.failureReason || !found(machine)) return false;
  if (!found(cluster)?.status?.initialization?.infrastructureProvisioned) return false;
  const isBootable = found(machine)?.spec?.bootstrap?.dataSecretName !== undefined;
  return isBootable || mayHaveOne;
};

export const isOf =
  (uid: string | undefined) =>
  ({ Tags }: { Tags: Tag[] }): boolean =>
    Tags.some(({ Key, Value }) => Key === machineUidTag && Value === uid);

const observeCloud = (cloud: Asking, known: Known, owner: Owner, failure: Failure | undefined, now: number) => {
  const { awsMachine, machine, launch } = known;
  const awsCluster = found(known.awsCluster);
  // One identical read for all machines of a cluster, so that a cached answer serves them all.
  const all = cloud.all('DescribeInstances', { Filters: ownedFilter(owner), MaxResults: 1000 }, (page) =>
    page.Reservations.flatMap(({ Instances }) => Instances),
  );
  const uid = awsMachine.metadata.uid;
  const instances = all?.filter((one) => isOf(uid)(one) || isOwnOf(launch)(one)) ?? [];
  const siblings = (all ?? []).some(({ ClientToken }) => ClientToken && ClientToken === launch?.batch?.token);
  const id = instanceIdOf(awsMachine);
  let lost = false;
  if (id && all && !instances.some(({ InstanceId }) => InstanceId === id)) {
    const answer = cloud.ask('DescribeInstances', { InstanceIds: [id] });
    const named = answer?.Reservations.flatMap(({ Instances }) => Instances) ?? [];
    instances.push(...named);
    lost = named.length === 0;
  }
  if (launch && all && !id && hasCalled(known, now) && isOverdue(launch, instances, failure, now))
    instances.push(...launchedWith(cloud, launch.token).filter((one) => !isCombined(launch) || isOwnOf(launch)(one)));
  const deleting = awsMachine.metadata.deletionTimestamp !== undefined;
  const releases = known.withheld?.releases ?? false;
  const going = deleting || releases;
  const isLeaving = found(machine)?.metadata.deletionTimestamp !== undefined;
  const buys = !deleting && !known.withheld && awsMachine.spec !== undefined;
  const launching = buys && !isLeaving && !id && !instances.some(isLive) && found(known.secret) !== undefined;
  const waits = isCombined(launch) && launch.batch.state !== 'called';
  const repeats = waits
    ? decideBatch(launch, { ...known, instances }, now).do !== 'next'
    : launch !== undefined && isToRepeat(launch, instances, failure);
  const controlPlane = isControlPlane(found(machine), awsMachine);
  const live = instances.some(isLive);
  const isTarget = going ? !instances.every(isEnding) || failure?.group === 'load-balancer' : !instances.every(isNew);
  const forgotten = releases && !known.launch;
  const pool = awsMachine.spec?.elasticIpPool;
  const owned = pool ? (cloud.ask('DescribeAddresses', { Filters: ownedFilter(owner) })?.Addresses ?? []) : [];
  return {
    instances,
    siblings,
    lost,
    prerequisites: launching && !repeats && awsCluster ? observePrerequisites(cloud, known, awsCluster) : undefined,
    parameters: launching && (!repeats || waits) ? observeParameters(cloud, known) : [],
    additionalGroups: going || (isLeaving && !live) ? [] : askSecurityGroups(cloud, awsMachine.spec),
    addresses: owned.filter(isOf(uid)),
    poolUsedUp: live && buys && isUsedUp(cloud, pool),
    // An instance is registered once it runs, and deregistered before it is terminated.
    balancing:
      controlPlane && live && isTarget && awsCluster && !forgotten ? observeBalancing(cloud, awsCluster) : unbalanced,
  };
};

/** A machine that waits for another's call asks for its instance only after it. */
const hasCalled = ({ launch, first }: Known, now: number): boolean => {
  if (!isCombined(launch)) return true;
  return launch.batch.index === 0 ? launch.batch.state === 'called' : standingOf(launch, first, now) === 'called';
};

/** Instances launched with this token, whatever their tags. */
const launchedWith = (cloud: Asking, token: string): Instance[] => {
  const answer = cloud.ask('DescribeInstances', { Filters: [{ Name: 'client-token', Values: [token] }] });
  const all = answer?.Reservations.flatMap(({ Instances }) => Instances) ?? [];
  return all.filter(({ ClientToken }) => ClientToken === token);
};

const observeParameters = (cloud: Asking, { awsMachine, launch }: Known): string[] => {
  const prefix = launch && secretsOf(awsMachine, launch);
  if (!prefix || backendOf(prefix) !== 'ssm-parameter-store') return [];
  const ParameterFilters = [{ Key: 'Name' as const, Option: 'BeginsWith' as const, Values: [`${prefix}-`] }];
  const all = cloud.all('DescribeParameters', { ParameterFilters }, ({ Parameters }) => Parameters);
  return (all ?? []).map(({ Name }) => Name);
};

const observePrerequisites = (cloud: Asking, { awsMachine, machine }: Known, awsCluster: AWSCluster): Prerequisites => {
  const spec = awsMachine.spec!;
  const typeInfo = cloud.ask('DescribeInstanceTypes', { InstanceTypes: [spec.instanceType] })?.InstanceTypes[0];
  const question = imageQuestion(spec, awsCluster.spec ?? {}, found(machine)?.spec?.version, architectureOf(typeInfo));
  const images = typeof question === 'string' ? [] : (cloud.ask('DescribeImages', question)?.Images ?? []);
  const subnets = askNamedSubnets(cloud, spec, awsCluster.spec?.network?.subnets ?? []);
  return { typeInfo, images, question, subnets };
};

/** The security groups that a spec names by id or filters. */
export const askSecurityGroups = (
  cloud: Asking,
  spec: Pick<NonNullable<AWSMachine['spec']>, 'additionalSecurityGroups'> | undefined,
): NamedGroups => {
  const ids: string[] = [];
  for (const { id, filters } of spec?.additionalSecurityGroups ?? []) {
    if (id) {
      ids.push(id);
      continue;
    }
    // Without any filter EC2 would return every group of the region.
    if (!filters?.length) continue;
    const Filters = filters.map(({ name, values }) => ({ Name: name, Values: values }));
    const groups = cloud.all('DescribeSecurityGroups', { Filters, MaxResults: 1000 }, (page) => page.SecurityGroups);
    if (groups?.length === 0) return { missing: JSON.stringify(filters) };
    ids.push(...(groups ?? []).map(({ GroupId }) => GroupId));
  }
  return ids;
};

const observeBalancing = (cloud: Asking, awsCluster: AWSCluster): Balancing => {
  const { apiServerElb } = awsCluster.status?.networkStatus ?? {};
  const isClassic = apiServerElb?.loadBalancerType === 'classic' && apiServerElb.name !== undefined;
  return {
    targetGroups: observeTargetGroups(cloud, targetGroupNames(awsCluster)),
    classicLoadBalancers: isClassic ? [observeClassic(cloud, apiServerElb.name!)] : [],
  };
};

const observeClassic = (cloud: Asking, name: string): ObservedClassic => {
  const [there] =
    cloud.ask('DescribeClassicLoadBalancers', { LoadBalancerNames: [name] })?.LoadBalancerDescriptions ?? [];
  return { name, instances: there?.Instances.map(({ InstanceId }) => InstanceId) };
};

const observeTargetGroups = (cloud: Asking, names: string[]): ObservedTargetGroup[] =>
  names.map((name) => {
    const [group] = cloud.ask('DescribeTargetGroups', { Names: [name] })?.TargetGroups ?? [];
    if (!group) return { arn: undefined, health: [] };
    const { TargetGroupArn: arn } = group;
    return { arn, health: cloud.ask('DescribeTargetHealth', { TargetGroupArn: arn })?.TargetHealthDescriptions ?? [] };
  });

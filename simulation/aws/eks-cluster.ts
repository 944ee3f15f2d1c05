/** EKS clusters. Their status follows from times recorded at creation, update and deletion. */
import type { CloudInput, EksCluster } from '../../kinds/ports/cloud/index.ts';
import { eksToken } from '../eks-token.ts';
import type { CollectionOf, Stored } from './collection.ts';
import { refuse } from './errors.ts';
import { newHex, newId } from './naming.ts';
import { partitionOf } from './regions.ts';
import { hasRole } from './role.ts';
import { type AccountState, type Call, type Handlers, scaled } from './state.ts';
import type { SubnetRecord } from './subnet.ts';

export interface EksClusterRecord extends Stored {
  name: string;
  version: string;
  input: CloudInput<'CreateCluster'>;
  vpcId: string;
  /** When CREATING ends. */
  active: number;
  /** The update that runs, or has run. */
  update?: { id: string; done: number; change: Partial<CloudInput<'CreateCluster'>> };
  /** When DELETING ends. */
  gone?: number;
  port: number;
  certificateAuthority?: string;
  /** Its own, for nodes and its network interfaces. */
  securityGroup: string;
  /** In its subnets, by which the API servers reach the nodes. */
  interfaces?: { id: string; subnetId: string; zone: string; privateIp: string }[];
}

export const eksClusters: CollectionOf<EksClusterRecord> = {
  name: 'eks-clusters',
  indexes: {
    name: ({ name }) => [name],
    'vpc-id': ({ vpcId }) => [vpcId],
    'subnet-id': ({ interfaces = [] }) => interfaces.map(({ subnetId }) => subnetId),
  },
  type: 'cluster',
};

const host = '127.0.0.1';
const newest = 36;
const oldest = 28;
const minorOf = (version: string): number => Number(/^1\.(\d+)$/.exec(version)?.[1]);

export const eksStatusOf = ({ gone, active, update }: EksClusterRecord, now: number): EksCluster['status'] => {
  if (gone !== undefined) return 'DELETING';
  if (now < active) return 'CREATING';
  return update && now < update.done ? 'UPDATING' : 'ACTIVE';
};

const arnOf = ({ accountId }: AccountState, region: string, name: string): string =>
  `arn:${partitionOf(region)}:eks:${region}:${accountId}:cluster/${name}`;

const view = (account: AccountState, cluster: EksClusterRecord, now: number): EksCluster => {
  const { name, region, version, input, vpcId, port, certificateAuthority } = cluster;
  return {
    name,
    arn: arnOf(account, region, name),
    status: eksStatusOf(cluster, now),
    version,
    ...(certificateAuthority && {
      endpoint: `https://${host}:${port}`,
      certificateAuthority: { data: Buffer.from(certificateAuthority).toString('base64') },
    }),
    roleArn: input.roleArn,
    resourcesVpcConfig: { ...input.resourcesVpcConfig, vpcId, clusterSecurityGroupId: cluster.securityGroup },
    kubernetesNetworkConfig: input.kubernetesNetworkConfig ?? { serviceIpv4Cidr: '10.100.0.0/16' },
    logging: input.logging,
    accessConfig: { authenticationMode: input.accessConfig.authenticationMode },
    upgradePolicy: input.upgradePolicy ?? { supportType: 'EXTENDED' },
    encryptionConfig: input.encryptionConfig ?? [],
    tags: { ...cluster.tags },
    health: { issues: [] },
  };
};

const serve = (account: AccountState, cluster: EksClusterRecord): void => {
  const authority = account.guests.host?.({
    id: cluster.id,
    name: cluster.name,
    createdAt: cluster.active,
    version: `v${cluster.version}.0`,
    host,
    port: cluster.port,
    serviceSubnet: cluster.input.kubernetesNetworkConfig?.serviceIpv4Cidr ?? '10.100.0.0/16',
  });
  if (authority) cluster.certificateAuthority = authority;
  account.eksClusters.put(cluster);
};

/** Starts, updates and ends its API server when it is time. Armed at every change and after a restart. */
export const watchEksCluster = (account: AccountState, cluster: EksClusterRecord): void => {
  const { id, active, update, gone } = cluster;
  if (gone !== undefined) {
    account.timers.at(id, gone, () => {
      account.guests.abandon?.(id);
      for (const entry of account.eksAccessEntries.by('cluster', id)) account.eksAccessEntries.delete(entry.id);
      for (const addon of account.eksAddons.by('cluster', id)) account.eksAddons.delete(addon.id);
      account.securityGroups.delete(cluster.securityGroup);
      for (const { subnetId, privateIp } of cluster.interfaces ?? [])
        account.subnetAddresses.release(subnetId, privateIp);
      account.eksClusters.delete(id);
    });
    return;
  }
  account.timers.at(id, active, () => serve(account, cluster));
  if (update)
    account.timers.at(`${id}/update`, update.done, () => {
      const { version = cluster.version, ...change } = update.change;
      Object.assign(cluster, { version, input: { ...cluster.input, ...change } });
      serve(account, cluster);
    });
};

export const eksClusterNamed = ({ account, region }: Call, name: string): EksClusterRecord =>
  account.eksClusters.by('name', name).find((cluster) => cluster.region === region) ??
  refuse('ResourceNotFoundException', `No cluster found for name: ${name}.`);

const subnetsOf = ({ account }: Call, subnetIds: readonly string[]): SubnetRecord[] => {
  const subnets = subnetIds.map(
    (id) =>
      account.subnets.get(id) ??
      refuse('InvalidParameterException', `The subnet ID '${id}' does not exist (Service: Ec2)`),
  );
  if (new Set(subnets.map(({ vpcId }) => vpcId)).size > 1)
    refuse('InvalidParameterException', 'Subnets specified must be in the same VPC');
  if (new Set(subnets.map(({ zone }) => zone)).size < 2)
    refuse('InvalidParameterException', 'Subnets specified must be in at least two different AZs');
  return subnets;
};

/** One in each of two zones. */
const newInterfaces = ({ account }: Call, subnets: readonly SubnetRecord[]): EksClusterRecord['interfaces'] => {
  const [first] = subnets;
  const second = subnets.find(({ zone }) => zone !== first?.zone);
  return [first, second].flatMap((subnet) => {
    if (!subnet) return [];
    const privateIp =
      account.subnetAddresses.take(subnet, account.random) ??
      refuse('InvalidParameterException', `Subnet ${subnet.id} does not have enough free addresses`);
    return [{ id: newId(account.random, 'eni'), subnetId: subnet.id, zone: subnet.zone, privateIp }];
  });
};

const checkGroups = ({ account }: Call, ids: readonly string[], vpcId: string): void => {
  for (const id of ids)
    if (account.securityGroups.get(id)?.vpcId !== vpcId)
      refuse('InvalidParameterException', `The security group '${id}' does not exist in VPC ${vpcId}`);
};

/** Its members reach each other, and the API server. */
const newSecurityGroup = ({ account, region, now }: Call, name: string, vpcId: string): string => {
  const id = newId(account.random, 'sg');
  account.securityGroups.put({
    id,
    region,
    seq: account.nextSeq(),
    created: now,
    tags: { 'aws:eks:cluster-name': name, [`kubernetes.io/cluster/${name}`]: 'owned' },
    vpcId,
    name: `eks-cluster-sg-${name}-${newHex(account.random, 10)}`,
    description: 'EKS created security group applied to ENI that is attached to EKS Control Plane master nodes',
    rules: [],
  });
  return id;
};

/** EKS makes one change at a time. */
const begin = (call: Call, name: string, change: Partial<CloudInput<'CreateCluster'>>) => {
  const { account, now } = call;
  const cluster = eksClusterNamed(call, name);
  const status = eksStatusOf(cluster, now);
  if (status !== 'ACTIVE') refuse('ResourceInUseException', `Cannot update cluster ${name}: its status is ${status}`);
  const id = newHex(account.random, 32);
  cluster.update = { id, done: now + scaled(account, account.behaviour.delays.eksClusterUpdated), change };
  account.eksClusters.put(cluster);
  watchEksCluster(account, cluster);
  return { update: { id } };
};

const same = (a: object, b: object): boolean => JSON.stringify(a) === JSON.stringify(b);

export const eksClusterActions = {
  DescribeCluster: (call, { name }) => ({ cluster: view(call.account, eksClusterNamed(call, name), call.now) }),

  CreateCluster: (call, input) => {
    const { account, region, now } = call;
    const { name, version = `1.${newest - 1}`, roleArn, resourcesVpcConfig, tags } = input;
    const earlier = account.eksClusters.by('name', name).find((cluster) => cluster.region === region);
    if (earlier && earlier.input.clientRequestToken === input.clientRequestToken)
      return { cluster: view(account, earlier, now) };
    if (earlier) refuse('ResourceInUseException', `Cluster already exists with name: ${name}`);
    if (!(minorOf(version) >= oldest && minorOf(version) <= newest))
      refuse('InvalidParameterException', `unsupported Kubernetes version ${version}`);
    if (!hasRole(call, roleArn))
      refuse('InvalidParameterException', `Role with arn: ${roleArn}, could not be assumed because it does not exist`);
    if (account.eksClusters.count('region', region) >= account.behaviour.quotas.eksClusters)
      refuse(
        'ResourceLimitExceededException',
        `Account limit of ${account.behaviour.quotas.eksClusters} clusters reached`,
      );
    const subnets = subnetsOf(call, resourcesVpcConfig.subnetIds);
    const { vpcId } = subnets[0]!;
    checkGroups(call, resourcesVpcConfig.securityGroupIds ?? [], vpcId);
    const cluster: EksClusterRecord = {
      id: `eks-${newHex(account.random, 17)}`,
      region,
      seq: account.nextSeq(),
      created: now,
      tags,
      name,
      version,
      input,
      vpcId,
      active: now + scaled(account, account.behaviour.delays.eksClusterActive),
      port: account.network.reserve(),
      securityGroup: newSecurityGroup(call, name, vpcId),
      interfaces: newInterfaces(call, subnets),
    };
    account.eksClusters.put(cluster);
    watchEksCluster(account, cluster);
    return { cluster: view(account, cluster, now) };
  },

  UpdateClusterConfig: (call, { name, ...change }) => {
    const { input } = eksClusterNamed(call, name);
    const types = Object.keys(change) as (keyof CloudInput<'CreateCluster'>)[];
    const [type] = types;
    if (!type || types.length > 1) refuse('InvalidParameterException', 'Only one type of update can be allowed.');
    const before = (input[type!] ?? {}) as object;
    const after = { ...before, ...Object.values(change)[0] };
    if (same(after, before))
      refuse('InvalidParameterException', `Cluster is already at the desired configuration: ${type}`);
    return begin(call, name, { [type!]: after });
  },

  UpdateClusterVersion: (call, { name, version }) => {
    const cluster = eksClusterNamed(call, name);
    if (minorOf(version) !== minorOf(cluster.version) + 1 || minorOf(version) > newest)
      refuse(
        'InvalidParameterException',
        `Unsupported Kubernetes minor version update from ${cluster.version} to ${version}`,
      );
    return begin(call, name, { version });
  },

  DeleteCluster: (call, { name }) => {
    const { account, now } = call;
    const cluster = eksClusterNamed(call, name);
    const status = eksStatusOf(cluster, now);
    if (account.eksNodegroups.count('cluster', cluster.id) > 0)
      refuse('ResourceInUseException', 'Cluster has nodegroups attached');
    if (status === 'CREATING' || status === 'UPDATING')
      refuse('ResourceInUseException', `Cannot delete because cluster ${name} currently has an update in progress`);
    cluster.gone ??= now + scaled(account, account.behaviour.delays.eksClusterDeleted);
    account.eksClusters.put(cluster);
    watchEksCluster(account, cluster);
    return { cluster: view(account, cluster, now) };
  },

  GetClusterToken: ({ region, now }, { name }) => ({ token: eksToken(region, name, now) }),
} satisfies Handlers;

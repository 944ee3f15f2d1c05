/**
 * Network interfaces. They are no records of their own, but parts of their instance, gateway or
 * load balancer.
 */
import type { CloudOutput } from '../../kinds/ports/cloud/index.ts';
import type { ClassicRecord } from './classic-health.ts';
import { describeDerived } from './describe.ts';
import type { EksClusterRecord } from './eks-cluster.ts';
import type { Fields } from './filters.ts';
import { type InstanceRecord, instanceErrors, isGone } from './instance.ts';
import type { LoadBalancerRecord } from './load-balancer.ts';
import { idErrorsOf, named, notFound } from './naming.ts';
import { holdsAddress, type NatGatewayRecord } from './nat-gateway.ts';
import { checkGroups } from './security-group.ts';
import type { AccountState, Call, Handlers } from './state.ts';
import { tagList } from './tags.ts';

export interface NetworkInterface {
  id: string;
  region: string;
  seq: number;
  created: number;
  vpcId: string;
  subnetId: string;
  zone: string;
  privateIp: string;
  publicIp?: string;
  description: string;
  groups: string[];
  instanceId?: string;
  /** A service manages it for its own purposes. */
  managed: boolean;
  tags: Record<string, string>;
}

const interfaceErrors = idErrorsOf('eni', 'InvalidNetworkInterfaceID', 'networkInterface ID');

/** Derived parts share their owner's place in the order of creation. */
const place = (seq: number, index: number): number => seq + (index + 1) / 100;

export const interfacesOf = (instance: InstanceRecord, now: number): NetworkInterface[] =>
  isGone(instance, now)
    ? []
    : instance.interfaces.map((part, index) => ({
        ...part,
        region: instance.region,
        seq: place(instance.seq, index),
        created: part.attached ?? instance.created,
        vpcId: instance.vpcId,
        zone: instance.zone,
        description: '',
        instanceId: instance.id,
        managed: false,
      }));

const ofNatGateway = (gateway: NatGatewayRecord, now: number): NetworkInterface[] =>
  holdsAddress(gateway, now)
    ? [
        {
          id: gateway.interfaceId,
          region: gateway.region,
          seq: place(gateway.seq, 0),
          created: gateway.created,
          vpcId: gateway.vpcId,
          subnetId: gateway.subnetId,
          zone: gateway.zone,
          privateIp: gateway.privateIp,
          publicIp: gateway.publicIp,
          description: `Interface for NAT Gateway ${gateway.id}`,
          groups: [],
          managed: true,
          tags: {},
        },
      ]
    : [];

const ofLoadBalancer = (balancer: LoadBalancerRecord | ClassicRecord): NetworkInterface[] =>
  balancer.interfaces.map((part, index) => ({
    ...part,
    region: balancer.region,
    seq: place(balancer.seq, index),
    created: balancer.created,
    vpcId: balancer.vpcId,
    description: `ELB ${balancer.arn.slice(balancer.arn.indexOf('loadbalancer/') + 'loadbalancer/'.length)}`,
    groups: balancer.securityGroups,
    managed: true,
    tags: {},
  }));

const ofEksCluster = (cluster: EksClusterRecord): NetworkInterface[] =>
  (cluster.interfaces ?? []).map((part, index) => ({
    ...part,
    region: cluster.region,
    seq: place(cluster.seq, index),
    created: cluster.created,
    vpcId: cluster.vpcId,
    description: `Amazon EKS ${cluster.name}`,
    groups: [cluster.securityGroup, ...(cluster.input.resourcesVpcConfig.securityGroupIds ?? [])],
    managed: true,
    tags: {},
  }));

/** All interfaces under `index`: `vpc-id`, `subnet-id` or `region`. */
const where = (account: AccountState, index: string, value: string, now: number): NetworkInterface[] =>
  [
    ...account.instances.by(index, value).flatMap((instance) => interfacesOf(instance, now)),
    ...account.natGateways.by(index, value).flatMap((gateway) => ofNatGateway(gateway, now)),
    ...account.loadBalancers.by(index, value).flatMap(ofLoadBalancer),
    ...account.classicLoadBalancers.by(index, value).flatMap(ofLoadBalancer),
    ...account.eksClusters.by(index, value).flatMap(ofEksCluster),
  ].sort((a, b) => a.seq - b.seq);

export const networkInterfacesOfVpc = (account: AccountState, vpcId: string, now: number): NetworkInterface[] =>
  where(account, 'vpc-id', vpcId, now);
export const networkInterfacesOfSubnet = (account: AccountState, subnetId: string, now: number): NetworkInterface[] =>
  where(account, 'subnet-id', subnetId, now).filter((part) => part.subnetId === subnetId);
export const networkInterfacesOfRegion = (account: AccountState, region: string, now: number): NetworkInterface[] =>
  where(account, 'region', region, now);

const fields: Fields<NetworkInterface> = {
  'network-interface-id': ({ id }) => [id],
  'vpc-id': ({ vpcId }) => [vpcId],
  'subnet-id': ({ subnetId }) => [subnetId],
  'availability-zone': ({ zone }) => [zone],
  'group-id': ({ groups }) => groups,
  'attachment.instance-id': ({ instanceId }) => (instanceId ? [instanceId] : []),
  'attachment.status': () => ['attached'],
  'private-ip-address': ({ privateIp }) => [privateIp],
  'association.public-ip': ({ publicIp }) => (publicIp ? [publicIp] : []),
  description: ({ description }) => [description],
  'requester-managed': ({ managed }) => [String(managed)],
  status: () => ['in-use'],
};

const view = (part: NetworkInterface): CloudOutput<'DescribeNetworkInterfaces'>['NetworkInterfaces'][number] => ({
  NetworkInterfaceId: part.id,
  VpcId: part.vpcId,
  SubnetId: part.subnetId,
  Status: 'in-use',
  Description: part.description,
  Groups: part.groups.map((GroupId) => ({ GroupId })),
  Attachment: part.instanceId ? { InstanceId: part.instanceId } : {},
  TagSet: tagList(part.tags),
});

/** The narrowest set of candidates that the filters allow. */
const candidates = (
  { account, region, now }: Call,
  filters: { Name: string; Values: string[] }[],
): NetworkInterface[] => {
  const owners = filters.find(({ Name }) => Name === 'attachment.instance-id')?.Values;
  if (owners && !owners.some((value) => /[*?]/.test(value)))
    return owners
      .flatMap((id) => account.instances.get(id) ?? [])
      .filter((instance) => instance.region === region)
      .sort((a, b) => a.seq - b.seq)
      .flatMap((instance) => interfacesOf(instance, now));
  const scope = filters.find(
    ({ Name, Values }) => /^(vpc|subnet)-id$/.test(Name) && !Values.some((v) => /[*?]/.test(v)),
  );
  if (!scope) return networkInterfacesOfRegion(account, region, now);
  const unique = new Map(
    scope.Values.flatMap((value) => where(account, scope.Name, value, now)).map((part) => [part.id, part]),
  );
  return [...unique.values()].filter((part) => part.region === region);
};

const setGroups = (call: Call, instance: InstanceRecord, interfaceId: string, groups: string[]): void => {
  const part = instance.interfaces.find(({ id }) => id === interfaceId)!;
  checkGroups(call, instance.vpcId, groups, part.subnetId);
  part.groups = [...groups];
  call.account.instances.put(instance);
};

export const networkInterfaceActions = {
  DescribeNetworkInterfaces: (call, { NetworkInterfaceIds, Filters, MaxResults, NextToken }) => {
    const question = { ids: NetworkInterfaceIds, filters: Filters, MaxResults, NextToken };
    const found = describeDerived(call, candidates(call, Filters ?? []), interfaceErrors, fields, question);
    return { NetworkInterfaces: found.items.map(view), ...(found.NextToken && { NextToken: found.NextToken }) };
  },

  ModifyNetworkInterfaceAttribute: (call, { NetworkInterfaceId, Groups }) => {
    const [instance] = call.account.instances.by('interface', NetworkInterfaceId);
    if (!instance || instance.region !== call.region || isGone(instance, call.now))
      return notFound([NetworkInterfaceId], interfaceErrors);
    if (Groups) setGroups(call, instance, NetworkInterfaceId, Groups);
    return {};
  },

  ModifyInstanceAttribute: (call, { InstanceId, Groups }) => {
    const instance = named(call, call.account.instances, InstanceId, instanceErrors);
    const [primary] = instance.interfaces;
    if (Groups && primary && !isGone(instance, call.now)) setGroups(call, instance, primary.id, Groups);
    return {};
  },
} satisfies Handlers;

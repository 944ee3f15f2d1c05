/** The state that every action uses. */
import type { CloudAction, CloudActions } from '../../kinds/ports/cloud/index.ts';
import type { Clock, Random } from '../../machinery/ports.ts';
import type { Guests, Network, Records, Storage } from '../ports.ts';
import type { AddressRecord } from './address.ts';
import type { AlarmRecord } from './alarm.ts';
import type { Behaviour } from './behaviour.ts';
import type { CarrierGatewayRecord } from './carrier-gateway.ts';
import type { ClassicRecord } from './classic-health.ts';
import { type Collection, openCollection, type Stored } from './collection.ts';
import { createFaults, type Faults } from './faults.ts';
import type { ImageRecord } from './image.ts';
import type { InstanceRecord } from './instance.ts';
import type { InternetGatewayRecord } from './internet-gateway.ts';
import type { ListenerRecord } from './listener.ts';
import type { LoadBalancerRecord } from './load-balancer.ts';
import type { NatGatewayRecord } from './nat-gateway.ts';
import type { ParameterRecord } from './parameter.ts';
import type { RouteTableRecord } from './route-table.ts';
import type { SecretRecord } from './secret.ts';
import type { SecurityGroupRecord } from './security-group.ts';
import type { SnapshotRecord } from './snapshot.ts';
import type { SubnetRecord } from './subnet.ts';
import { createSubnetAddresses, type SubnetAddresses } from './subnet-addresses.ts';
import type { TargetGroupRecord } from './target-group.ts';
import { createTimers, type Timers } from './timers.ts';
import type { VpcRecord } from './vpc.ts';
import type { VpcEndpointRecord } from './vpc-endpoint.ts';

/** EC2's notice that it is going to take an instance away, or might. */
export type InstanceNotice = {
  reason: 'SpotInterruption' | 'RebalanceRecommendation';
  at: number;
  /** When the instance ends; absent if that is open. */
  deadline?: number;
};
/** A new state, or a notice. */
export type InstanceChange = { region: string; instanceId: string; state?: string; notice?: InstanceNotice };

/** An alarm has another state, which only a read tells. */
export type AlarmChange = { region: string; alarmName: string };

export interface AccountState {
  accountId: string;
  clock: Clock;
  random: Random;
  network: Network;
  guests: Guests;
  speed: number;
  behaviour: Behaviour;
  onInstanceChange: (event: InstanceChange) => void;
  onAlarmChange: (event: AlarmChange) => void;
  timers: Timers;
  faults: Faults;
  subnetAddresses: SubnetAddresses;
  /** Removed instance types, images, profiles, key pairs and pools. */
  removed: Records<true>;
  /** By region and market: virtual CPUs of all instances that are not terminated. */
  vcpusInUse: Map<string, number>;
  nextSeq(): number;

  vpcs: Collection<VpcRecord>;
  subnets: Collection<SubnetRecord>;
  internetGateways: Collection<InternetGatewayRecord>;
  carrierGateways: Collection<CarrierGatewayRecord>;
  natGateways: Collection<NatGatewayRecord>;
  addresses: Collection<AddressRecord>;
  routeTables: Collection<RouteTableRecord>;
  securityGroups: Collection<SecurityGroupRecord>;
  vpcEndpoints: Collection<VpcEndpointRecord>;
  images: Collection<ImageRecord>;
  instances: Collection<InstanceRecord>;
  snapshots: Collection<SnapshotRecord>;
  /**
   * Client tokens of launches without an instance record: refused for capacity, or no longer
   * visible.
   */
  launchTokens: Records<LaunchToken>;
  loadBalancers: Collection<LoadBalancerRecord>;
  classicLoadBalancers: Collection<ClassicRecord>;
  listeners: Collection<ListenerRecord>;
  targetGroups: Collection<TargetGroupRecord>;
  secrets: Collection<SecretRecord>;
  parameters: Collection<ParameterRecord>;
  /** By region and name. */
  alarms: Records<AlarmRecord>;
}

export interface LaunchToken {
  parameters: string;
  /** There was an instance, and it is terminated. */
  spent: boolean;
}

/** One request: account, region and time. */
export interface Call {
  account: AccountState;
  region: string;
  now: number;
}

export type Handler<A extends CloudAction> = (call: Call, input: CloudActions[A][0]) => CloudActions[A][1];
export type Handlers = { [A in CloudAction]?: Handler<A> };

export interface StateOptions {
  clock: Clock;
  random: Random;
  storage: Storage;
  network: Network;
  guests: Guests;
  speed: number;
  behaviour: Behaviour;
  onInstanceChange: (event: InstanceChange) => void;
  onAlarmChange: (event: AlarmChange) => void;
}

export const openState = (options: StateOptions): AccountState => {
  const { storage, random, clock } = options;
  const identity = storage.records<{ accountId: string }>('account');
  if (!identity.get('account'))
    identity.put('account', { accountId: Array.from({ length: 12 }, () => Math.floor(random.next() * 10)).join('') });

  let seq = 0;
  const open = <T extends Stored>(name: string, indexes?: Record<string, (record: T) => string[]>): Collection<T> => {
    const collection = openCollection(storage.records<T>(name), indexes);
    for (const record of collection.all()) seq = Math.max(seq, record.seq);
    return collection;
  };
  return {
    ...options,
    accountId: identity.get('account')!.accountId,
    timers: createTimers(clock),
    faults: createFaults(storage.records('faults')),
    subnetAddresses: createSubnetAddresses(),
    removed: storage.records('removed'),
    vcpusInUse: new Map(),
    nextSeq: () => ++seq,
    vpcs: open('vpcs', { default: ({ isDefault, region }) => (isDefault ? [region] : []) }),
    subnets: open('subnets', { 'vpc-id': ({ vpcId }) => [vpcId] }),
    internetGateways: open('internet-gateways', { 'attachment.vpc-id': ({ vpcId }) => (vpcId ? [vpcId] : []) }),
    carrierGateways: open('carrier-gateways', { 'vpc-id': ({ vpcId }) => [vpcId] }),
    natGateways: open('nat-gateways', {
      'vpc-id': ({ vpcId }) => [vpcId],
      'subnet-id': ({ subnetId }) => [subnetId],
      'allocation-id': ({ allocationId }) => [allocationId],
      'client-token': ({ token }) => [token],
    }),
    addresses: open('addresses', { pool: ({ pool }) => (pool ? [pool] : []) }),
    routeTables: open('route-tables', {
      'vpc-id': ({ vpcId }) => [vpcId],
      'association.subnet-id': ({ associations }) => associations.map(({ subnetId }) => subnetId),
    }),
    securityGroups: open('security-groups', {
      'vpc-id': ({ vpcId }) => [vpcId],
      'group-name': ({ name }) => [name],
      'ip-permission.group-id': ({ rules }) => [...new Set(rules.flatMap(({ group }) => (group ? [group] : [])))],
    }),
    vpcEndpoints: open('vpc-endpoints', { 'vpc-id': ({ vpcId }) => [vpcId] }),
    images: open('images'),
    instances: open('instances', {
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
    }),
    snapshots: open('snapshots', { 'volume-id': ({ volumeId }) => [volumeId] }),
    launchTokens: storage.records('launch-tokens'),
    loadBalancers: open('load-balancers', {
      'vpc-id': ({ vpcId }) => [vpcId],
      name: ({ name }) => [name],
      'dns-name': ({ dnsName }) => [dnsName],
      'subnet-id': ({ interfaces }) => interfaces.map(({ subnetId }) => subnetId),
    }),
    classicLoadBalancers: open('classic-load-balancers', {
      'vpc-id': ({ vpcId }) => [vpcId],
      name: ({ name }) => [name],
      'dns-name': ({ dnsName }) => [dnsName],
      'subnet-id': ({ interfaces }) => interfaces.map(({ subnetId }) => subnetId),
      instance: ({ targets }) => targets.map(({ id }) => id),
      endpoint: ({ listeners }) => listeners.map(({ host, port }) => `${host}:${port}`),
    }),
    listeners: open('listeners', {
      'load-balancer': ({ loadBalancer }) => [loadBalancer],
      'target-group': ({ targetGroups }) => targetGroups,
      endpoint: ({ endpoint }) => [`${endpoint.Host}:${endpoint.Port}`],
    }),
    targetGroups: open('target-groups', {
      'vpc-id': ({ vpcId }) => [vpcId],
      name: ({ name }) => [name],
      target: ({ targets }) => targets.map(({ id }) => id),
    }),
    secrets: open('secrets', { name: ({ name }) => [name] }),
    parameters: open('parameters'),
    alarms: storage.records('alarms'),
  };
};

/** The index key of instances by the tags of their volumes and interfaces. */
export const partTag = (region: string, key: string, value: string): string => `${region}\u0000${key}\u0000${value}`;

/**
 * A delay of the real service at this account's speed, in whole milliseconds, the resolution of
 * clocks.
 */
export const scaled = (account: AccountState, ms: number): number => Math.ceil(ms / account.speed);

/** Network load balancers (elbv2). */
import type { CloudInput, LoadBalancer } from '../../kinds/ports/cloud/index.ts';
import type { CollectionOf, Stored } from './collection.ts';
import { checkName, elbArn, elbNamed, parseElbTags } from './elb-shared.ts';
import { refuse, validationError } from './errors.ts';
import { fingerprint } from './fingerprint.ts';
import { closeListener } from './listener.ts';
import { newHex, newId } from './naming.ts';
import { markerPage } from './paging.ts';
import { securityGroupErrors } from './security-group.ts';
import { isStale } from './staleness.ts';
import { type AccountState, type Call, type Handlers, scaled } from './state.ts';
import { followTargets } from './target-health.ts';

export interface LoadBalancerRecord extends Stored {
  /** Also its id. */
  arn: string;
  name: string;
  dnsName: string;
  type: 'network' | 'application';
  scheme: 'internet-facing' | 'internal';
  vpcId: string;
  interfaces: { id: string; subnetId: string; zone: string; privateIp: string; publicIp?: string }[];
  securityGroups: string[];
  attributes: Record<string, string>;
  addressType?: 'dualstack';
  /** The parameters of the creation: an identical request is no error. */
  parameters: string;
  /** The address of each port: a recreated listener keeps the address of the previous one. */
  places?: Record<string, { Host: string; Port: number }>;
  /** When `provisioning` ends. */
  active: number;
  /** When its interfaces leave their subnets after its deletion. */
  interfacesGone?: number;
}

export const loadBalancers: CollectionOf<LoadBalancerRecord> = {
  name: 'load-balancers',
  indexes: {
    'vpc-id': ({ vpcId }) => [vpcId],
    name: ({ name }) => [name],
    'dns-name': ({ dnsName }) => [dnsName],
    'subnet-id': ({ interfaces }) => interfaces.map(({ subnetId }) => subnetId),
  },
};

export const loadBalancerExists = ({ interfacesGone }: LoadBalancerRecord): boolean => interfacesGone === undefined;
export const isActive = (balancer: LoadBalancerRecord, now: number): boolean =>
  loadBalancerExists(balancer) && now >= balancer.active;

const zonesOf = ({ interfaces }: LoadBalancerRecord) =>
  interfaces.map(({ zone, subnetId }) => ({ ZoneName: zone, SubnetId: subnetId }));

const view = (balancer: LoadBalancerRecord, now: number): LoadBalancer => ({
  LoadBalancerArn: balancer.arn,
  LoadBalancerName: balancer.name,
  DNSName: balancer.dnsName,
  Scheme: balancer.scheme,
  Type: balancer.type,
  VpcId: balancer.vpcId,
  State: { Code: now < balancer.active ? 'provisioning' : 'active' },
  AvailabilityZones: zonesOf(balancer),
  SecurityGroups: [...balancer.securityGroups],
  IpAddressType: balancer.addressType ?? 'ipv4',
});

export const loadBalancerNamed = (call: Call, arn: string): LoadBalancerRecord =>
  elbNamed(call, call.account.loadBalancers, arn, 'LoadBalancer', loadBalancerExists);

const addressesNeeded = 8;

/** One interface for each subnet: all in one VPC, in different zones, with a free address. */
export const interfacesIn = (
  { account, region }: Call,
  subnetIds: string[],
  scheme: LoadBalancer['Scheme'],
): { vpcId: string; interfaces: LoadBalancerRecord['interfaces'] } => {
  if (subnetIds.length === 0) validationError('At least one subnet must be specified');
  const subnets = subnetIds.map((id) => {
    const subnet = account.subnets.get(id);
    return subnet?.region === region ? subnet : refuse('SubnetNotFound', `The subnet ID '${id}' does not exist`);
  });
  const { vpcId } = subnets[0]!;
  if (subnets.some((subnet) => subnet.vpcId !== vpcId))
    refuse('InvalidConfigurationRequest', 'All subnets must belong to the same VPC');
  if (new Set(subnets.map(({ zone }) => zone)).size < subnets.length)
    refuse(
      'InvalidConfigurationRequest',
      'A load balancer cannot be attached to multiple subnets in the same Availability Zone',
    );
  for (const subnet of subnets)
    if (account.subnetAddresses.free(subnet) < addressesNeeded)
      refuse(
        'InvalidSubnet',
        `Not enough IP space available in ${subnet.id}. ELB requires at least ${addressesNeeded} free IP addresses in each subnet.`,
      );
  if (scheme === 'internet-facing' && account.internetGateways.count('attachment.vpc-id', vpcId) === 0)
    refuse('InvalidSubnet', `VPC ${vpcId} has no internet gateway`);
  return {
    vpcId,
    interfaces: subnets.map((subnet) => ({
      id: newId(account.random, 'eni'),
      subnetId: subnet.id,
      zone: subnet.zone,
      privateIp: account.subnetAddresses.take(subnet, account.random)!,
      ...(scheme === 'internet-facing' && {
        publicIp: [52, 1, 1, 1].map((low) => low + Math.floor(account.random.next() * 200)).join('.'),
      }),
    })),
  };
};

export const checkSecurityGroups = ({ account }: Call, ids: string[], vpcId?: string): void => {
  for (const id of ids) {
    const group = account.securityGroups.get(id);
    if (!group || (vpcId && group.vpcId !== vpcId)) refuse('InvalidSecurityGroup', securityGroupErrors.message(id));
  }
};

export const releaseInterfaces = (account: AccountState, interfaces: LoadBalancerRecord['interfaces']): void => {
  for (const { subnetId, privateIp } of interfaces) account.subnetAddresses.release(subnetId, privateIp);
};

/**
 * Removes a deleted load balancer's interfaces from their subnets when due. Armed again after a
 * restart.
 */
export const watchLoadBalancer = (account: AccountState, balancer: LoadBalancerRecord): void => {
  if (balancer.interfacesGone === undefined) return;
  account.timers.at(balancer.arn, balancer.interfacesGone, () => {
    releaseInterfaces(account, balancer.interfaces);
    account.loadBalancers.delete(balancer.id);
  });
};

const defaults = (type: LoadBalancer['Type']): Record<string, string> => ({
  'deletion_protection.enabled': 'false',
  'access_logs.s3.enabled': 'false',
  'load_balancing.cross_zone.enabled': String(type === 'application'),
  ...(type === 'application' && { 'idle_timeout.timeout_seconds': '60' }),
});

const create = (call: Call, input: CloudInput<'CreateLoadBalancer'>, parameters: string): LoadBalancerRecord => {
  const { account, region, now } = call;
  const tags = parseElbTags(input.Tags);
  if (input.Type === 'application' && input.Subnets.length < 2)
    validationError('At least two subnets in two different Availability Zones must be specified');
  if (account.loadBalancers.count('region', region) >= account.behaviour.quotas.loadBalancers)
    refuse('TooManyLoadBalancers', 'The maximum number of load balancers has been reached');
  const securityGroups = input.SecurityGroups ?? [];
  checkSecurityGroups(call, securityGroups);
  const { vpcId, interfaces } = interfacesIn(call, input.Subnets, input.Scheme);
  checkSecurityGroups(call, securityGroups, vpcId);
  const lacking = input.Subnets.find((id) => !account.subnets.get(id)?.ipv6);
  if (input.IpAddressType === 'dualstack' && lacking)
    refuse('InvalidConfigurationRequest', `The subnet '${lacking}' has no IPv6 CIDR block, which dualstack needs`);
  const kind = input.Type === 'network' ? 'net' : 'app';
  const suffix = newHex(account.random, 16);
  const arn = elbArn(account, region, `loadbalancer/${kind}/${input.Name}/${suffix}`);
  const host =
    `${input.Scheme === 'internal' && kind === 'app' ? 'internal-' : ''}${input.Name}-${suffix}`.toLowerCase();
  return {
    id: arn,
    arn,
    region,
    seq: account.nextSeq(),
    created: now,
    tags,
    name: input.Name,
    dnsName: kind === 'net' ? `${host}.elb.${region}.amazonaws.com` : `${host}.${region}.elb.amazonaws.com`,
    type: input.Type,
    scheme: input.Scheme,
    vpcId,
    interfaces,
    securityGroups: [...securityGroups],
    ...(input.IpAddressType === 'dualstack' && { addressType: input.IpAddressType }),
    attributes: defaults(input.Type),
    parameters,
    active: now + scaled(account, account.behaviour.delays.loadBalancerActive),
  };
};

const attributesOf = (attributes: Record<string, string>) =>
  Object.entries(attributes).map(([Key, Value]) => ({ Key, Value }));

/** Its targets may have changed, and so the health checks. */
const followAll = (account: AccountState, { arn }: LoadBalancerRecord): void => {
  for (const { targetGroups } of account.listeners.by('load-balancer', arn))
    for (const group of targetGroups) followTargets(account, group);
};

export const loadBalancerActions = {
  DescribeLoadBalancers: (call, { LoadBalancerArns, Names, Marker }) => {
    const { account, region, now } = call;
    if (LoadBalancerArns && Names)
      validationError('Load balancer names and load balancer ARNs cannot be specified at the same time');
    if (LoadBalancerArns)
      return { LoadBalancers: LoadBalancerArns.map((arn) => view(loadBalancerNamed(call, arn), now)) };
    const visible = account.loadBalancers
      .by('region', region)
      .filter((balancer) => loadBalancerExists(balancer) && !isStale(call, balancer));
    if (Names) {
      const missing = Names.filter((name) => !visible.some((balancer) => balancer.name === name));
      if (missing.length > 0) refuse('LoadBalancerNotFound', `Load balancers '[${missing.join(', ')}]' not found`);
      return {
        LoadBalancers: visible.filter(({ name }) => Names.includes(name)).map((balancer) => view(balancer, now)),
      };
    }
    const { items, NextMarker } = markerPage(visible, Marker);
    return { LoadBalancers: items.map((balancer) => view(balancer, now)), ...(NextMarker && { NextMarker }) };
  },

  CreateLoadBalancer: (call, input) => {
    const { account, region, now } = call;
    checkName('Load balancer', input.Name);
    const parameters = fingerprint({
      ...input,
      Subnets: [...input.Subnets].sort(),
      SecurityGroups: [...(input.SecurityGroups ?? [])].sort(),
      Tags: [...input.Tags].sort((a, b) => (a.Key < b.Key ? -1 : 1)),
    });
    const namesake = account.loadBalancers
      .by('name', input.Name)
      .find((balancer) => balancer.region === region && loadBalancerExists(balancer));
    if (namesake && namesake.parameters !== parameters)
      refuse(
        'DuplicateLoadBalancerName',
        `A load balancer with the same name '${input.Name}' exists, but with different settings`,
      );
    const balancer = namesake ?? create(call, input, parameters);
    if (!namesake) account.loadBalancers.put(balancer);
    return { LoadBalancers: [view(balancer, now)] };
  },

  ModifyLoadBalancerAttributes: (call, { LoadBalancerArn, Attributes }) => {
    const balancer = loadBalancerNamed(call, LoadBalancerArn);
    for (const { Key } of Attributes)
      if (
        !Object.hasOwn(balancer.attributes, Key) &&
        !/^(ipv6|dns_record|access_logs|routing|client_keep_alive|connection_logs|zonal_shift)\b/.test(Key)
      )
        refuse('InvalidConfigurationRequest', `Load balancer attribute key '${Key}' is not recognized`);
    for (const { Key, Value } of Attributes) balancer.attributes[Key] = Value;
    call.account.loadBalancers.put(balancer);
    followAll(call.account, balancer);
    return {};
  },

  DescribeLoadBalancerAttributes: (call, { LoadBalancerArn }) => ({
    Attributes: attributesOf(loadBalancerNamed(call, LoadBalancerArn).attributes),
  }),

  SetSecurityGroups: (call, { LoadBalancerArn, SecurityGroups }) => {
    const balancer = loadBalancerNamed(call, LoadBalancerArn);
    checkSecurityGroups(call, SecurityGroups, balancer.vpcId);
    if (balancer.type === 'network' && balancer.securityGroups.length === 0)
      refuse(
        'InvalidConfigurationRequest',
        'Security groups cannot be set on a Network Load Balancer that was created without any',
      );
    balancer.securityGroups = [...SecurityGroups];
    call.account.loadBalancers.put(balancer);
    return { SecurityGroupIds: [...SecurityGroups] };
  },

  SetSubnets: (call, { LoadBalancerArn, Subnets }) => {
    const { account } = call;
    const balancer = loadBalancerNamed(call, LoadBalancerArn);
    const kept = balancer.interfaces.filter(({ subnetId }) => Subnets.includes(subnetId));
    const added = Subnets.filter((id) => !kept.some(({ subnetId }) => subnetId === id));
    if (balancer.type === 'network' && kept.length < balancer.interfaces.length)
      refuse('InvalidConfigurationRequest', 'Subnets of a Network Load Balancer can only be added');
    const more = added.length > 0 ? interfacesIn(call, added, balancer.scheme) : undefined;
    if (
      more &&
      (more.vpcId !== balancer.vpcId || more.interfaces.some(({ zone }) => kept.some((have) => have.zone === zone)))
    )
      refuse(
        'InvalidConfigurationRequest',
        'A load balancer cannot be attached to multiple subnets in the same Availability Zone',
      );
    const left = balancer.interfaces.filter((part) => !kept.includes(part));
    releaseInterfaces(account, left);
    balancer.interfaces = [...kept, ...(more?.interfaces ?? [])];
    account.loadBalancers.put(balancer);
    followAll(account, balancer);
    return { AvailabilityZones: zonesOf(balancer) };
  },

  DeleteLoadBalancer: (call, { LoadBalancerArn }) => {
    const { account, now } = call;
    const balancer = account.loadBalancers.get(LoadBalancerArn);
    if (!balancer || balancer.region !== call.region || !loadBalancerExists(balancer)) return {};
    if (balancer.attributes['deletion_protection.enabled'] === 'true')
      refuse(
        'OperationNotPermitted',
        `Load balancer '${LoadBalancerArn}' cannot be deleted because deletion protection is enabled`,
      );
    balancer.interfacesGone = now + scaled(account, account.behaviour.delays.loadBalancerInterfaces);
    account.loadBalancers.put(balancer);
    for (const listener of account.listeners.by('load-balancer', balancer.arn)) {
      closeListener(account, listener);
      for (const arn of listener.targetGroups) followTargets(account, arn);
    }
    watchLoadBalancer(account, balancer);
    return {};
  },
} satisfies Handlers;

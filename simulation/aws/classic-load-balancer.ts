/** Classic load balancers (Elastic Load Balancing's first version). */
import type { ClassicListener, ClassicLoadBalancer, CloudInput } from '../../kinds/ports/cloud/index.ts';
import {
  type ClassicRecord,
  classicExists,
  classicResolves,
  closeClassic,
  followClassic,
  openClassic,
  type PlacedListener,
} from './classic-health.ts';
import { checkHealthCheck, checkListeners } from './classic-rules.ts';
import { checkElbTagCount, checkName, elbArn, parseElbTags } from './elb-shared.ts';
import { refuse, validationError } from './errors.ts';
import { fingerprint } from './fingerprint.ts';
import { isGone } from './instance.ts';
import { checkSecurityGroups, interfacesIn, releaseInterfaces } from './load-balancer.ts';
import { newId } from './naming.ts';
import { markerPage } from './paging.ts';
import { isStale } from './staleness.ts';
import { type AccountState, type Call, type Handlers, scaled } from './state.ts';
import { tagList } from './tags.ts';

const view = (account: AccountState, balancer: ClassicRecord, isNamed: boolean): ClassicLoadBalancer => ({
  LoadBalancerName: balancer.name,
  DNSName: balancer.dnsName,
  Scheme: balancer.scheme,
  VPCId: balancer.vpcId,
  Subnets: balancer.interfaces.map(({ subnetId }) => subnetId),
  AvailabilityZones: balancer.interfaces.map(({ zone }) => zone),
  SecurityGroups: [...balancer.securityGroups],
  Instances: balancer.targets.map(({ id }) => ({ InstanceId: id })),
  HealthCheck: { ...balancer.check },
  ListenerDescriptions: balancer.listeners.map(({ host, port, ...Listener }) => ({
    Listener,
    ...(isNamed && { Endpoint: { Host: host, Port: port, Resolves: classicResolves(account, balancer) } }),
  })),
});

const standing = ({ account, region }: Call, name: string): ClassicRecord | undefined =>
  account.classicLoadBalancers
    .by('name', name)
    .find((balancer) => balancer.region === region && classicExists(balancer));

const named = (call: Call, name: string): ClassicRecord => {
  const balancer = standing(call, name);
  return balancer && !isStale(call, balancer)
    ? balancer
    : refuse('LoadBalancerNotFound', `There is no ACTIVE Load Balancer named '${name}'`);
};

const change = (call: Call, name: string, update: (balancer: ClassicRecord) => void): Record<never, never> => {
  const balancer = named(call, name);
  update(balancer);
  call.account.classicLoadBalancers.put(balancer);
  followClassic(call.account, balancer);
  return {};
};

const place = ({ network }: AccountState, listeners: readonly ClassicListener[]): PlacedListener[] =>
  listeners.map((listener) => ({ ...listener, host: '127.0.0.1', port: network.reserve() }));

const isSame = (a: ClassicListener, b: ClassicListener): boolean =>
  a.Protocol === b.Protocol && a.InstanceProtocol === b.InstanceProtocol && a.InstancePort === b.InstancePort;

/** The listeners that are new. One that exists already, with the same settings, is no error. */
const newListeners = (
  { account }: Call,
  { name, listeners }: Pick<ClassicRecord, 'name' | 'listeners'>,
  given: readonly ClassicListener[],
): ClassicListener[] => {
  const more: ClassicListener[] = [];
  for (const listener of given) {
    const there = [...listeners, ...more].find(
      ({ LoadBalancerPort }) => LoadBalancerPort === listener.LoadBalancerPort,
    );
    if (there && !isSame(there, listener))
      refuse(
        'DuplicateListener',
        `A listener already exists for ${name} with LoadBalancerPort ${listener.LoadBalancerPort}, but with a different InstancePort or Protocol`,
      );
    if (!there) more.push(listener);
  }
  checkListeners([...listeners, ...more], account.behaviour.quotas.listenersPerClassicLoadBalancer);
  return more;
};

const create = (call: Call, input: CloudInput<'CreateClassicLoadBalancer'>, parameters: string): ClassicRecord => {
  const { account, region, now } = call;
  const { LoadBalancerName: name, Scheme: scheme, SecurityGroups } = input;
  const tags = parseElbTags(input.Tags);
  const listeners = newListeners(call, { name, listeners: [] }, input.Listeners);
  if (account.classicLoadBalancers.count('region', region) >= account.behaviour.quotas.classicLoadBalancers)
    refuse('TooManyLoadBalancers', `Exceeded quota of account ${account.accountId}`);
  checkSecurityGroups(call, SecurityGroups);
  const { vpcId, interfaces } = interfacesIn(call, input.Subnets, scheme);
  checkSecurityGroups(call, SecurityGroups, vpcId);
  const id = newId(account.random, 'elb');
  const host = `${scheme === 'internal' ? 'internal-' : ''}${name}-${Math.floor(account.random.next() * 2 ** 31)}`;
  return {
    id,
    arn: elbArn(account, region, `loadbalancer/${name}`),
    region,
    seq: account.nextSeq(),
    created: now,
    tags,
    name,
    dnsName: `${host.toLowerCase()}.${region}.elb.amazonaws.com`,
    scheme,
    vpcId,
    interfaces,
    securityGroups: [...SecurityGroups],
    listeners: place(account, listeners),
    check: {
      Target: `TCP:${listeners[0]!.InstancePort}`,
      Interval: 30,
      Timeout: 5,
      HealthyThreshold: 10,
      UnhealthyThreshold: 2,
    },
    attributes: { CrossZoneLoadBalancing: { Enabled: false }, ConnectionSettings: { IdleTimeout: 60 } },
    targets: [],
    parameters,
  };
};

/**
 * Removes a deleted load balancer's interfaces from their subnets when due. Armed again after a
 * restart.
 */
export const watchClassic = (account: AccountState, balancer: ClassicRecord): void => {
  if (balancer.interfacesGone === undefined) return;
  account.timers.at(balancer.id, balancer.interfacesGone, () => {
    releaseInterfaces(account, balancer.interfaces);
    account.classicLoadBalancers.delete(balancer.id);
  });
};

/** EC2 knows the instance, in the load balancer's network if it is to be registered. */
const checkInstance = (call: Call, id: string, vpcId?: string): void => {
  const instance = call.account.instances.get(id);
  const isThere = instance?.region === call.region && !isGone(instance, call.now) && !isStale(call, instance);
  if (!isThere) refuse('InvalidInstance', `Could not find EC2 instance ${id}.`);
  if (vpcId && instance?.vpcId !== vpcId)
    refuse('InvalidInstance', `EC2 instance ${id} is not in the same VPC as the load balancer.`);
};

const addSubnets = (call: Call, balancer: ClassicRecord, subnets: readonly string[]): void => {
  const have = balancer.interfaces;
  const added = subnets.filter((id) => !have.some(({ subnetId }) => subnetId === id));
  if (added.length === 0) return;
  const more = interfacesIn(call, added, balancer.scheme);
  const isTaken = more.interfaces.some(({ zone }) => have.some((one) => one.zone === zone));
  if (more.vpcId === balancer.vpcId && !isTaken) {
    balancer.interfaces = [...have, ...more.interfaces];
    return;
  }
  releaseInterfaces(call.account, more.interfaces);
  refuse('InvalidConfigurationRequest', 'ELB cannot be attached to multiple subnets in the same AZ.');
};

export const classicLoadBalancerActions = {
  DescribeClassicLoadBalancers: (call, { LoadBalancerNames, Marker }) => {
    const { account, region } = call;
    if (LoadBalancerNames)
      return { LoadBalancerDescriptions: LoadBalancerNames.map((name) => view(account, named(call, name), true)) };
    const visible = account.classicLoadBalancers
      .by('region', region)
      .filter((balancer) => classicExists(balancer) && !isStale(call, balancer));
    const { items, NextMarker } = markerPage(visible, Marker);
    return {
      LoadBalancerDescriptions: items.map((balancer) => view(account, balancer, false)),
      ...(NextMarker && { NextMarker }),
    };
  },

  CreateClassicLoadBalancer: (call, input) => {
    const { account } = call;
    checkName('Classic load balancer', input.LoadBalancerName);
    const parameters = fingerprint({
      ...input,
      Subnets: [...input.Subnets].sort(),
      SecurityGroups: [...input.SecurityGroups].sort(),
      Tags: [...input.Tags].sort((a, b) => (a.Key < b.Key ? -1 : 1)),
    });
    const namesake = standing(call, input.LoadBalancerName);
    if (namesake && namesake.parameters !== parameters)
      refuse(
        'DuplicateLoadBalancerName',
        `Load Balancer named ${input.LoadBalancerName} already exists and it is configured with different parameters.`,
      );
    if (namesake) return { DNSName: namesake.dnsName };
    const balancer = create(call, input, parameters);
    account.classicLoadBalancers.put(balancer);
    openClassic(account, balancer);
    return { DNSName: balancer.dnsName };
  },

  DeleteClassicLoadBalancer: (call, { LoadBalancerName }) => {
    const { account, now } = call;
    const balancer = standing(call, LoadBalancerName);
    if (!balancer) return {};
    balancer.interfacesGone = now + scaled(account, account.behaviour.delays.loadBalancerInterfaces);
    account.classicLoadBalancers.put(balancer);
    closeClassic(account, balancer);
    watchClassic(account, balancer);
    return {};
  },

  ConfigureHealthCheck: (call, { LoadBalancerName, HealthCheck }) => {
    checkHealthCheck(HealthCheck);
    return change(call, LoadBalancerName, (balancer) => {
      balancer.check = { ...HealthCheck };
    });
  },

  ModifyClassicLoadBalancerAttributes: (call, { LoadBalancerName, LoadBalancerAttributes }) => {
    const { IdleTimeout } = LoadBalancerAttributes.ConnectionSettings;
    if (!Number.isInteger(IdleTimeout) || IdleTimeout < 1 || IdleTimeout > 4000)
      refuse('InvalidConfigurationRequest', 'IdleTimeout must be an integer between 1 and 4000');
    return change(call, LoadBalancerName, (balancer) => {
      balancer.attributes = { ...LoadBalancerAttributes };
    });
  },

  DescribeClassicLoadBalancerAttributes: (call, { LoadBalancerName }) => ({
    LoadBalancerAttributes: { ...named(call, LoadBalancerName).attributes },
  }),

  CreateLoadBalancerListeners: (call, { LoadBalancerName, Listeners }) => {
    const balancer = named(call, LoadBalancerName);
    const added = newListeners(call, balancer, Listeners);
    balancer.listeners = [...balancer.listeners, ...place(call.account, added)];
    call.account.classicLoadBalancers.put(balancer);
    openClassic(call.account, balancer);
    return {};
  },

  AttachLoadBalancerToSubnets: (call, { LoadBalancerName, Subnets }) =>
    change(call, LoadBalancerName, (balancer) => addSubnets(call, balancer, Subnets)),

  ApplySecurityGroupsToLoadBalancer: (call, { LoadBalancerName, SecurityGroups }) =>
    change(call, LoadBalancerName, (balancer) => {
      if (SecurityGroups.length === 0) validationError('At least one security group must be specified');
      checkSecurityGroups(call, SecurityGroups, balancer.vpcId);
      balancer.securityGroups = [...SecurityGroups];
    }),

  RegisterInstancesWithLoadBalancer: (call, { LoadBalancerName, Instances }) =>
    change(call, LoadBalancerName, (balancer) => {
      for (const { InstanceId } of Instances) checkInstance(call, InstanceId, balancer.vpcId);
      const known = new Set(balancer.targets.map(({ id }) => id));
      const added = Instances.filter(({ InstanceId }) => !known.has(InstanceId));
      balancer.targets.push(
        ...added.map(({ InstanceId: id }) => ({ id, port: 0, health: 'initial' as const, registered: call.now })),
      );
    }),

  DeregisterInstancesFromLoadBalancer: (call, { LoadBalancerName, Instances }) =>
    change(call, LoadBalancerName, (balancer) => {
      for (const { InstanceId } of Instances) checkInstance(call, InstanceId);
      const gone = new Set(Instances.map(({ InstanceId }) => InstanceId));
      balancer.targets = balancer.targets.filter(({ id }) => !gone.has(id));
    }),

  DescribeClassicLoadBalancerTags: (call, { LoadBalancerNames }) => ({
    TagDescriptions: LoadBalancerNames.map((name) => ({
      LoadBalancerName: name,
      Tags: tagList(named(call, name).tags),
    })),
  }),

  AddClassicLoadBalancerTags: (call, { LoadBalancerNames, Tags }) => {
    const tags = parseElbTags(Tags);
    for (const name of expectOne(LoadBalancerNames))
      change(call, name, (balancer) => {
        checkElbTagCount({ ...balancer.tags, ...tags });
        balancer.tags = { ...balancer.tags, ...tags };
      });
    return {};
  },

  RemoveClassicLoadBalancerTags: (call, { LoadBalancerNames, Tags }) => {
    const keys = new Set(Tags.map(({ Key }) => Key));
    for (const name of expectOne(LoadBalancerNames))
      change(call, name, (balancer) => {
        balancer.tags = Object.fromEntries(Object.entries(balancer.tags).filter(([key]) => !keys.has(key)));
      });
    return {};
  },
} satisfies Handlers;

const expectOne = (names: string[]): string[] => {
  if (names.length !== 1) validationError('Only one load balancer can be tagged at a time');
  return names;
};

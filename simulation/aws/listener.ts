/** Listeners, and the local address where each is reached. */
import type { CloudInput, Listener } from '../../kinds/ports/cloud/index.ts';
import type { HostedListener } from '../ports.ts';
import type { CollectionOf, Stored } from './collection.ts';
import { elbArn, elbNamed, parseElbTags } from './elb-shared.ts';
import { refuse, validationError } from './errors.ts';
import { isActive, type LoadBalancerRecord, loadBalancerNamed } from './load-balancer.ts';
import { newHex } from './naming.ts';
import { markerPage } from './paging.ts';
import { isStale } from './staleness.ts';
import { type AccountState, type Call, type Handlers, scaled } from './state.ts';
import { targetGroupNamed } from './target-group.ts';
import { followTargets, inService } from './target-health.ts';

export interface ListenerRecord extends Stored {
  arn: string;
  loadBalancer: string;
  protocol: string;
  port: number;
  targetGroups: string[];
  endpoint: Omit<Listener['Endpoint'], 'Resolves'>;
}

export const listeners: CollectionOf<ListenerRecord> = {
  name: 'listeners',
  indexes: {
    'load-balancer': ({ loadBalancer }) => [loadBalancer],
    'target-group': ({ targetGroups }) => targetGroups,
    endpoint: ({ endpoint }) => [`${endpoint.Host}:${endpoint.Port}`],
  },
};

/** Names resolve a little later than their load balancer becomes active. */
const resolves = ({ account, now }: Call, { loadBalancer }: ListenerRecord): boolean => {
  const balancer = account.loadBalancers.get(loadBalancer);
  return (
    balancer !== undefined && isActive(balancer, now - scaled(account, account.behaviour.delays.loadBalancerResolves))
  );
};

const view = (call: Call, listener: ListenerRecord): Listener => ({
  ListenerArn: listener.arn,
  LoadBalancerArn: listener.loadBalancer,
  Protocol: listener.protocol,
  Port: listener.port,
  DefaultActions: listener.targetGroups.map((TargetGroupArn) => ({ Type: 'forward', TargetGroupArn })),
  Endpoint: { ...listener.endpoint, Resolves: resolves(call, listener) },
});

const protocols = {
  network: ['TCP', 'TLS', 'UDP', 'TCP_UDP'],
  application: ['HTTP', 'HTTPS'],
} as const satisfies Record<LoadBalancerRecord['type'], string[]>;

/** The listener as guests and clients see it. */
export const hostedListener = (account: AccountState, listener: ListenerRecord): HostedListener => ({
  listenerArn: listener.arn,
  host: listener.endpoint.Host,
  port: listener.endpoint.Port,
  healthyTargets: () => {
    const current = account.listeners.get(listener.arn);
    const balancer = current && account.loadBalancers.get(current.loadBalancer);
    if (!balancer || !isActive(balancer, account.clock.now())) return [];
    return current.targetGroups.flatMap((arn) => inService(account, arn));
  },
});

/** Finds a listener by its own endpoint, or by its load balancer's DNS name and port. */
export const listenerAt = (account: AccountState, host: string, port: number): ListenerRecord | undefined => {
  const [own] = account.listeners.by('endpoint', `${host}:${port}`);
  const [balancer] = account.loadBalancers.by('dns-name', host);
  return own ?? account.listeners.by('load-balancer', balancer?.arn ?? '').find((listener) => listener.port === port);
};

/** Idempotent: also called after a restart. */
export const openListener = (account: AccountState, listener: ListenerRecord): void => {
  account.guests.listen(hostedListener(account, listener));
  for (const arn of listener.targetGroups) followTargets(account, arn);
};

export const closeListener = (account: AccountState, listener: ListenerRecord): void => {
  account.listeners.delete(listener.id);
  account.guests.close(listener.arn);
};

/** The local address of that port, fixed for the load balancer's lifetime. */
const placeOf = (account: AccountState, balancer: LoadBalancerRecord, port: number): ListenerRecord['endpoint'] => {
  const known = balancer.places?.[port];
  if (known) return known;
  const place = { Host: '127.0.0.1', Port: account.network.reserve() };
  balancer.places = { ...balancer.places, [port]: place };
  account.loadBalancers.put(balancer);
  return place;
};

const checkTargets = (call: Call, input: CloudInput<'CreateListener'>, balancer: LoadBalancerRecord): void => {
  const { account } = call;
  for (const { TargetGroupArn } of input.DefaultActions) {
    const group = targetGroupNamed(call, TargetGroupArn);
    if (group.vpcId !== balancer.vpcId)
      refuse('InvalidConfigurationRequest', `The target group and the load balancer must be in the same VPC`);
    if (!(protocols[balancer.type] as readonly string[]).includes(group.protocol))
      refuse(
        'InvalidConfigurationRequest',
        `The following target groups have protocols that are not compatible: ${TargetGroupArn}`,
      );
    const elsewhere = account.listeners
      .by('target-group', TargetGroupArn)
      .some(({ loadBalancer }) => loadBalancer !== balancer.arn);
    if (elsewhere)
      refuse(
        'TargetGroupAssociationLimit',
        `The following target groups cannot be associated with more than one load balancer: ${TargetGroupArn}`,
      );
  }
};

export const listenerActions = {
  DescribeListeners: (call, { LoadBalancerArn, ListenerArns, Marker }) => {
    const { account, region } = call;
    if (ListenerArns)
      return { Listeners: ListenerArns.map((arn) => view(call, elbNamed(call, account.listeners, arn, 'Listener'))) };
    if (!LoadBalancerArn) return validationError('You must specify either listener ARNs or a load balancer ARN');
    const balancer = loadBalancerNamed(call, LoadBalancerArn);
    const visible = account.listeners
      .by('load-balancer', balancer.arn)
      .filter((listener) => listener.region === region && !isStale(call, listener));
    const { items, NextMarker } = markerPage(visible, Marker);
    return { Listeners: items.map((listener) => view(call, listener)), ...(NextMarker && { NextMarker }) };
  },

  CreateListener: (call, input) => {
    const { account, region, now } = call;
    const balancer = loadBalancerNamed(call, input.LoadBalancerArn);
    if (!Number.isInteger(input.Port) || input.Port < 1 || input.Port > 65_535)
      validationError(`The port must be an integer between 1 and 65535`);
    if (!(protocols[balancer.type] as readonly string[]).includes(input.Protocol))
      validationError(`Listener protocol '${input.Protocol}' must be one of '${protocols[balancer.type].join(', ')}'`);
    if (input.DefaultActions.length !== 1) validationError('Exactly one default action must be specified');
    checkTargets(call, input, balancer);
    const tags = parseElbTags(input.Tags);
    const siblings = account.listeners.by('load-balancer', balancer.arn);
    const targetGroups = input.DefaultActions.map(({ TargetGroupArn }) => TargetGroupArn);
    const same = siblings.find(({ port }) => port === input.Port);
    if (same && (same.protocol !== input.Protocol || same.targetGroups.join() !== targetGroups.join()))
      refuse('DuplicateListener', `A listener already exists on this port for this load balancer '${balancer.arn}'`);
    if (same) return { Listeners: [view(call, same)] };
    if (siblings.length >= account.behaviour.quotas.listenersPerLoadBalancer)
      refuse('TooManyListeners', 'The maximum number of listeners has been reached');
    const suffix = balancer.arn.slice(balancer.arn.indexOf(':loadbalancer/') + ':loadbalancer/'.length);
    const arn = elbArn(account, region, `listener/${suffix}/${newHex(account.random, 16)}`);
    const endpoint = placeOf(account, balancer, input.Port);
    const listener: ListenerRecord = {
      id: arn,
      arn,
      region,
      seq: account.nextSeq(),
      created: now,
      tags,
      loadBalancer: balancer.arn,
      protocol: input.Protocol,
      port: input.Port,
      targetGroups,
      endpoint,
    };
    account.listeners.put(listener);
    openListener(account, listener);
    return { Listeners: [view(call, listener)] };
  },

  DeleteListener: (call, { ListenerArn }) => {
    const listener = elbNamed(call, call.account.listeners, ListenerArn, 'Listener');
    closeListener(call.account, listener);
    for (const arn of listener.targetGroups) followTargets(call.account, arn);
    return {};
  },
} satisfies Handlers;

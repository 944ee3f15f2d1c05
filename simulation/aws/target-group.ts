/** Target groups: the targets of a listener, and their health check settings. */
import type { HealthCheck, TargetGroup } from '../../kinds/ports/cloud/index.ts';
import type { CollectionOf, Stored } from './collection.ts';
import { checkName, elbArn, elbNamed, parseElbTags } from './elb-shared.ts';
import { refuse, validationError } from './errors.ts';
import { fingerprint } from './fingerprint.ts';
import type { Target } from './health-checks.ts';
import { instanceState, isGone } from './instance.ts';
import { loadBalancerNamed } from './load-balancer.ts';
import { newHex } from './naming.ts';
import { markerPage } from './paging.ts';
import { isStale } from './staleness.ts';
import { type AccountState, type Call, type Handlers, scaled } from './state.ts';
import { describeHealth, followTargets } from './target-health.ts';

export interface TargetGroupRecord extends Stored {
  arn: string;
  name: string;
  protocol: string;
  port: number;
  vpcId: string;
  targetType: 'instance' | 'ip';
  addressType?: 'ipv6';
  check: {
    protocol: string;
    port: string;
    path?: string;
    interval: number;
    timeout: number;
    healthy: number;
    unhealthy: number;
  };
  attributes: Record<string, string>;
  targets: Target[];
  parameters: string;
}

export const targetGroups: CollectionOf<TargetGroupRecord> = {
  name: 'target-groups',
  indexes: {
    'vpc-id': ({ vpcId }) => [vpcId],
    name: ({ name }) => [name],
    target: ({ targets }) => targets.map(({ id }) => id),
  },
};

const view = (account: AccountState, group: TargetGroupRecord): TargetGroup => ({
  TargetGroupArn: group.arn,
  TargetGroupName: group.name,
  Protocol: group.protocol,
  Port: group.port,
  VpcId: group.vpcId,
  TargetType: group.targetType,
  IpAddressType: group.addressType ?? 'ipv4',
  HealthCheckProtocol: group.check.protocol,
  HealthCheckPort: group.check.port,
  ...(group.check.path !== undefined && { HealthCheckPath: group.check.path }),
  HealthCheckIntervalSeconds: group.check.interval,
  HealthCheckTimeoutSeconds: group.check.timeout,
  HealthyThresholdCount: group.check.healthy,
  UnhealthyThresholdCount: group.check.unhealthy,
  LoadBalancerArns: [
    ...new Set(account.listeners.by('target-group', group.arn).map(({ loadBalancer }) => loadBalancer)),
  ],
});

export const targetGroupNamed = (call: Call, arn: string): TargetGroupRecord =>
  elbNamed(call, call.account.targetGroups, arn, 'TargetGroup');

/** Terminated instances are deregistered automatically. */
export const forgetTarget = (account: AccountState, instanceId: string): void => {
  for (const group of account.targetGroups.by('target', instanceId)) {
    group.targets = group.targets.filter(({ id }) => id !== instanceId);
    account.targetGroups.put(group);
  }
};

const between = (name: string, value: number, least: number, most: number): void => {
  if (!Number.isInteger(value) || value < least || value > most)
    validationError(`${name} '${value}' must be between ${least} and ${most}`);
};

const checkRegistration = (call: Call, group: TargetGroupRecord, id: string): void => {
  if (group.targetType === 'ip') return;
  const known = call.account.instances.get(id);
  const there = known?.region === call.region && !isGone(known, call.now) && !isStale(call, known);
  const instance = there ? known : refuse('InvalidTarget', `The following targets are not valid instances: '${id}'`);
  if (instance.vpcId !== group.vpcId)
    refuse('InvalidTarget', `The following targets are not in the target group VPC '${group.vpcId}': '${id}'`);
  if (group.addressType === 'ipv6' && !instance.interfaces[0]?.primaryIpv6)
    refuse('InvalidTarget', `The following targets do not have a primary IPv6 address: '${id}'`);
  if (instanceState(instance, call.now) !== 'running')
    refuse('InvalidTarget', `The following targets are not in a running state and cannot be registered: '${id}'`);
};

type Check = TargetGroupRecord['check'];

/** The given settings, completed by the previous ones. `groupProtocol`: of the targets' own traffic. */
const checkOf = (given: HealthCheck, before: Check, groupProtocol: string): Check => {
  const protocol = given.HealthCheckProtocol ?? before.protocol;
  const speaksHttp = protocol.startsWith('HTTP');
  const check = {
    protocol,
    port: given.HealthCheckPort ?? before.port,
    ...(speaksHttp && { path: given.HealthCheckPath ?? before.path ?? '/' }),
    interval: given.HealthCheckIntervalSeconds ?? before.interval,
    timeout: given.HealthCheckTimeoutSeconds ?? before.timeout,
    healthy: given.HealthyThresholdCount ?? before.healthy,
    unhealthy: given.UnhealthyThresholdCount ?? before.unhealthy,
  };
  between('Health check interval', check.interval, 5, 300);
  between('Health check timeout', check.timeout, 2, 120);
  between('Healthy threshold count', check.healthy, 2, 10);
  between('Unhealthy threshold count', check.unhealthy, 2, 10);
  // A network load balancer may wait for as long as its interval.
  const longest = groupProtocol.startsWith('HTTP') ? check.interval - 1 : check.interval;
  if (check.timeout > longest)
    validationError(`Health check timeout '${check.timeout}' must be smaller than the interval '${check.interval}'`);
  if (given.HealthCheckPath !== undefined && !speaksHttp)
    validationError('Health check path is not supported with this health check protocol');
  return check;
};

export const targetGroupActions = {
  DescribeTargetGroups: (call, { LoadBalancerArn, TargetGroupArns, Names, Marker }) => {
    const { account, region } = call;
    if (TargetGroupArns)
      return { TargetGroups: TargetGroupArns.map((arn) => view(account, targetGroupNamed(call, arn))) };
    const visible = account.targetGroups.by('region', region).filter((group) => !isStale(call, group));
    if (Names) {
      const found = visible.filter(({ name }) => Names.includes(name));
      if (found.length < new Set(Names).size) refuse('TargetGroupNotFound', 'One or more target groups not found');
      return { TargetGroups: found.map((group) => view(account, group)) };
    }
    if (LoadBalancerArn) loadBalancerNamed(call, LoadBalancerArn);
    const attached = new Set(
      account.listeners.by('load-balancer', LoadBalancerArn ?? '').flatMap(({ targetGroups }) => targetGroups),
    );
    const { items, NextMarker } = markerPage(
      LoadBalancerArn ? visible.filter(({ arn }) => attached.has(arn)) : visible,
      Marker,
    );
    return { TargetGroups: items.map((group) => view(account, group)), ...(NextMarker && { NextMarker }) };
  },

  CreateTargetGroup: (call, input) => {
    const { account, region, now } = call;
    checkName('Target group', input.Name);
    if (!['TCP', 'TLS', 'UDP', 'TCP_UDP', 'HTTP', 'HTTPS'].includes(input.Protocol))
      validationError(`Target group protocol '${input.Protocol}' is not valid`);
    between('Port', input.Port, 1, 65_535);
    const protocol = input.HealthCheckProtocol ?? (input.Protocol.startsWith('HTTP') ? input.Protocol : 'TCP');
    const check = checkOf(
      input,
      {
        protocol,
        port: 'traffic-port',
        interval: 30,
        timeout: 10,
        healthy: 5,
        unhealthy: 2,
      },
      input.Protocol,
    );
    const tags = parseElbTags(input.Tags);
    const parameters = fingerprint({ ...input, Tags: undefined });
    const namesake = account.targetGroups.by('name', input.Name).find((group) => group.region === region);
    if (namesake && namesake.parameters !== parameters)
      refuse(
        'DuplicateTargetGroupName',
        `A target group with the same name '${input.Name}' exists, but with different settings`,
      );
    if (namesake) return { TargetGroups: [view(account, namesake)] };
    if (account.vpcs.get(input.VpcId)?.region !== region) validationError(`The VPC ID '${input.VpcId}' is not found`);
    if (account.targetGroups.count('region', region) >= account.behaviour.quotas.targetGroups)
      refuse('TooManyTargetGroups', 'The maximum number of target groups has been reached');
    const arn = elbArn(account, region, `targetgroup/${input.Name}/${newHex(account.random, 16)}`);
    const group: TargetGroupRecord = {
      id: arn,
      arn,
      region,
      seq: account.nextSeq(),
      created: now,
      tags,
      name: input.Name,
      protocol: input.Protocol,
      port: input.Port,
      vpcId: input.VpcId,
      targetType: input.TargetType,
      ...(input.IpAddressType === 'ipv6' && { addressType: input.IpAddressType }),
      check,
      attributes: {
        'deregistration_delay.timeout_seconds': '300',
        'deregistration_delay.connection_termination.enabled': 'false',
        'preserve_client_ip.enabled': String(input.TargetType === 'instance'),
        'proxy_protocol_v2.enabled': 'false',
        'stickiness.enabled': 'false',
        'stickiness.type': 'source_ip',
        'load_balancing.cross_zone.enabled': 'use_load_balancer_configuration',
        'target_health_state.unhealthy.connection_termination.enabled': 'true',
        'target_health_state.unhealthy.draining_interval_seconds': '0',
      },
      targets: [],
      parameters,
    };
    account.targetGroups.put(group);
    return { TargetGroups: [view(account, group)] };
  },

  ModifyTargetGroup: (call, input) => {
    const group = targetGroupNamed(call, input.TargetGroupArn);
    group.check = checkOf(input, group.check, group.protocol);
    call.account.targetGroups.put(group);
    followTargets(call.account, group.arn);
    return { TargetGroups: [view(call.account, group)] };
  },

  ModifyTargetGroupAttributes: (call, { TargetGroupArn, Attributes }) => {
    const group = targetGroupNamed(call, TargetGroupArn);
    for (const { Key } of Attributes)
      if (
        !Object.hasOwn(group.attributes, Key) &&
        !/^(stickiness|slow_start|load_balancing|target_group_health)\./.test(Key)
      )
        refuse('InvalidConfigurationRequest', `Target group attribute key '${Key}' is not recognized`);
    for (const { Key, Value } of Attributes) group.attributes[Key] = Value;
    call.account.targetGroups.put(group);
    return {};
  },

  DescribeTargetGroupAttributes: (call, { TargetGroupArn }) => ({
    Attributes: Object.entries(targetGroupNamed(call, TargetGroupArn).attributes).map(([Key, Value]) => ({
      Key,
      Value,
    })),
  }),

  DeleteTargetGroup: ({ account, region }, { TargetGroupArn }) => {
    const group = account.targetGroups.get(TargetGroupArn);
    if (!group || group.region !== region) return {};
    if (account.listeners.count('target-group', group.arn) > 0)
      refuse('ResourceInUse', `Target group '${group.arn}' is currently in use by a listener or a rule`);
    account.targetGroups.delete(group.arn);
    followTargets(account, group.arn);
    return {};
  },

  RegisterTargets: (call, { TargetGroupArn, Targets }) => {
    const { account, now } = call;
    const group = targetGroupNamed(call, TargetGroupArn);
    for (const { Id } of Targets) checkRegistration(call, group, Id);
    for (const { Id, Port } of Targets) {
      const port = Port ?? group.port;
      const known = group.targets.find((target) => target.id === Id && target.port === port);
      if (known && known.drained === undefined) continue;
      group.targets = group.targets.filter((target) => target !== known);
      group.targets.push({ id: Id, port, health: 'initial', registered: now });
    }
    account.targetGroups.put(group);
    followTargets(account, group.arn);
    return {};
  },

  DeregisterTargets: (call, { TargetGroupArn, Targets }) => {
    const { account, now } = call;
    const group = targetGroupNamed(call, TargetGroupArn);
    const delay = Number(group.attributes['deregistration_delay.timeout_seconds']) * 1000;
    for (const { Id, Port } of Targets)
      for (const target of group.targets)
        if (target.id === Id && (Port === undefined || target.port === Port) && target.drained === undefined)
          target.drained = now + scaled(account, delay);
    account.targetGroups.put(group);
    followTargets(account, group.arn);
    return {};
  },

  DescribeTargetHealth: (call, { TargetGroupArn, Targets }) => ({
    TargetHealthDescriptions: describeHealth(call, targetGroupNamed(call, TargetGroupArn), Targets),
  }),
} satisfies Handlers;

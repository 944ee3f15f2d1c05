/** The health of a target group's targets. */
import type { TargetHealth } from '../../kinds/ports/cloud/index.ts';
import { type Checks, followChecks, type Target } from './health-checks.ts';
import { type InstanceRecord, instanceState } from './instance.ts';
import { type LoadBalancerRecord, loadBalancerExists } from './load-balancer.ts';
import type { AccountState, Call } from './state.ts';
import type { TargetGroupRecord } from './target-group.ts';

const balancersOf = (account: AccountState, arn: string): LoadBalancerRecord[] =>
  account.listeners
    .by('target-group', arn)
    .flatMap(({ loadBalancer }) => account.loadBalancers.get(loadBalancer) ?? [])
    .filter(loadBalancerExists);

/** Without draining targets. */
const registered = ({ targets }: TargetGroupRecord): Target[] => targets.filter(({ drained }) => drained === undefined);

const instanceOf = (account: AccountState, group: TargetGroupRecord, target: Target): InstanceRecord | undefined =>
  group.targetType === 'instance'
    ? account.instances.get(target.id)
    : account.instances.by('private-ip-address', target.id).find(({ vpcId }) => vpcId === group.vpcId);

/**
 * Whether requests could reach the target: its instance runs, and the load balancer has its zone.
 */
const standing = (
  account: AccountState,
  group: TargetGroupRecord,
  balancers: readonly LoadBalancerRecord[],
  target: Target,
): { instance: InstanceRecord } | { unused: string } => {
  if (balancers.length === 0) return { unused: 'Target.NotInUse' };
  const instance = instanceOf(account, group, target);
  if (!instance || instanceState(instance, account.clock.now()) !== 'running') return { unused: 'Target.InvalidState' };
  const reached = balancers.some(
    ({ interfaces, attributes }) =>
      attributes['load_balancing.cross_zone.enabled'] === 'true' ||
      interfaces.some(({ zone }) => zone === instance.zone),
  );
  return reached ? { instance } : { unused: 'Target.NotInUse' };
};

const healthOf = (
  account: AccountState,
  group: TargetGroupRecord,
  balancers: readonly LoadBalancerRecord[],
  target: Target,
): TargetHealth['TargetHealth'] => {
  if (target.drained !== undefined) return { State: 'draining', Reason: 'Target.DeregistrationInProgress' };
  const at = standing(account, group, balancers, target);
  if ('unused' in at) return { State: 'unused', Reason: at.unused };
  switch (target.health) {
    case 'healthy':
      return { State: 'healthy' };
    case 'unhealthy':
      return { State: 'unhealthy', Reason: 'Target.FailedHealthChecks' };
    case 'initial':
      return { State: 'initial', Reason: 'Elb.InitialHealthChecking' };
  }
};

export const describeHealth = (
  { account }: Call,
  group: TargetGroupRecord,
  asked: { Id: string; Port?: number }[] | undefined,
): TargetHealth[] => {
  const balancers = balancersOf(account, group.arn);
  const view = (target: Target): TargetHealth => ({
    Target: { Id: target.id, Port: target.port },
    TargetHealth: healthOf(account, group, balancers, target),
  });
  if (!asked) return group.targets.map(view);
  return asked.map(({ Id, Port }) => {
    const target = group.targets.find(({ id, port }) => id === Id && port === (Port ?? group.port));
    return target
      ? view(target)
      : {
          Target: { Id, Port: Port ?? group.port },
          TargetHealth: { State: 'unused', Reason: 'Target.NotRegistered' },
        };
  });
};

/** Targets that receive connections: the healthy ones or, without any, all registered ones. */
export const inService = (account: AccountState, arn: string): { instanceId: string; port: number }[] => {
  const group = account.targetGroups.get(arn);
  if (!group) return [];
  const balancers = balancersOf(account, arn);
  const reachable = registered(group).flatMap((target) => {
    const at = standing(account, group, balancers, target);
    return 'instance' in at ? [{ health: target.health, instanceId: at.instance.id, port: target.port }] : [];
  });
  const healthy = reachable.filter(({ health }) => health === 'healthy');
  return (healthy.length > 0 ? healthy : reachable).map(({ instanceId, port }) => ({ instanceId, port }));
};

/** The result of one check; undefined when requests cannot reach the target. */
const ask = (
  account: AccountState,
  group: TargetGroupRecord,
  balancers: readonly LoadBalancerRecord[],
  target: Target,
): boolean | undefined => {
  const at = standing(account, group, balancers, target);
  if ('unused' in at) return undefined;
  const { protocol, path, port } = group.check;
  return account.guests.answers(at.instance.id, port === 'traffic-port' ? target.port : Number(port), {
    protocol,
    ...(path !== undefined && { path }),
  });
};

const checksOf = (account: AccountState, arn: string): Checks | undefined => {
  const group = account.targetGroups.get(arn);
  if (!group) return undefined;
  const balancers = balancersOf(account, arn);
  return {
    ...group.check,
    of: group,
    targets: balancers.length > 0 ? registered(group) : [],
    ask: (target) => ask(account, group, balancers, target),
    save: () => account.targetGroups.put(group),
  };
};

const dropDrained = (account: AccountState, arn: string): void => {
  const group = account.targetGroups.get(arn);
  if (!group) return;
  const now = account.clock.now();
  group.targets = group.targets.filter(({ drained }) => drained === undefined || drained > now);
  account.targetGroups.put(group);
  followTargets(account, arn);
};

/**
 * Starts the rounds of checks of a group in use with targets, or stops them, and sets a timer for
 * the end of draining. Called whenever any of that or a target's response changes, and after a
 * restart.
 */
export const followTargets = (account: AccountState, arn: string): void => {
  followChecks(account, `health/${arn}`, () => checksOf(account, arn));
  const drains = `drain/${arn}`;
  const draining = (account.targetGroups.get(arn)?.targets ?? []).flatMap(({ drained }) => drained ?? []);
  if (draining.length === 0) account.timers.cancel(drains);
  else account.timers.at(drains, Math.min(...draining), () => dropDrained(account, arn));
};

/** The instance's response may have changed. */
export const followTarget = (account: AccountState, instanceId: string): void => {
  const addresses = account.instances.get(instanceId)?.interfaces.map(({ privateIp }) => privateIp) ?? [];
  for (const id of [instanceId, ...addresses])
    for (const { arn } of account.targetGroups.by('target', id)) followTargets(account, arn);
};

/**
 * A simulated AWS account in memory and on disk: EC2, load balancing, secrets and a little IAM, with the
 * behaviour of the real services.
 */
import {
  type Caller,
  type Cloud,
  type CloudAction,
  CloudError,
  type CloudInput,
  type InstanceStateName,
  isMutating,
} from '../../kinds/ports/cloud/index.ts';
import { openCopy } from '../../machinery/api/frozen.ts';
import type { Clock, Random } from '../../machinery/ports.ts';
import type { GuestServices, Guests, Network, Storage } from '../ports.ts';
import { actions } from './actions.ts';
import { addKeyPair, addProfile } from './added.ts';
import { type AlarmState, removeAlarm, setAlarm } from './alarm.ts';
import { type Behaviour, type BehaviourOptions, behaviourOf } from './behaviour.ts';
import { classicListenerAt, followClassicInstance, openClassic } from './classic-health.ts';
import { watchClassic } from './classic-load-balancer.ts';
import { ensureDefaultNetwork, isUsed } from './default-network.ts';
import { watchEksCluster } from './eks-cluster.ts';
import { eksNode } from './eks-node.ts';
import { watchEksNodegroup } from './eks-nodegroup.ts';
import { refuse } from './errors.ts';
import type { Faults, Subject } from './faults.ts';
import { followGroup, watchMembers } from './group-members.ts';
import { profileNames } from './identity.ts';
import type { ImageRecord } from './image.ts';
import { guestInstance, type InstanceRecord, instanceState } from './instance.ts';
import type { InstanceTrouble } from './instance-status.ts';
import { newInterface } from './launch.ts';
import { endInstance, followInstance, startInstance, stopInstance } from './lifecycle.ts';
import { hostedListener, listenerAt, openListener } from './listener.ts';
import { isActive, watchLoadBalancer } from './load-balancer.ts';
import { newId } from './naming.ts';
import { watchNatGateway } from './nat-gateway.ts';
import { openState } from './open-state.ts';
import { deleteParameter, isParameter, readParameter } from './parameter.ts';
import { regionNames, requireRegion } from './regions.ts';
import { type Removable, remove, restore } from './removed.ts';
import { resourcesOf } from './resources.ts';
import { endOrphanedInstances, restoreState } from './restore.ts';
import { deleteSecret, readSecret } from './secret.ts';
import { followInterruption, interruptInstance, recommendRebalance } from './spot.ts';
import type { AccountState, AlarmChange, Call, GroupChange, Handler, InstanceChange } from './state.ts';
import { callerWith, type Directory, openDirectory, ownRole, type RoleRecord } from './sts.ts';
import { followTarget, followTargets } from './target-health.ts';
import { createThrottle } from './throttle.ts';

export interface AccountOptions {
  clock: Clock;
  random: Random;
  storage: Storage;
  network: Network;
  guests: Guests;
  /** Divides every delay of the account and multiplies its request rates. Default 1. */
  speed?: number;
  behaviour?: BehaviourOptions;
  /** EventBridge's events about instances: delayed, possibly lost or duplicated. */
  onInstanceChange?: (event: InstanceChange) => void;
  /** EventBridge's events about alarms, as unreliable. */
  onAlarmChange?: (event: AlarmChange) => void;
  /** EventBridge's events about Auto Scaling groups, as unreliable. */
  onGroupChange?: (event: GroupChange) => void;
}

/** One account of several that know each other's roles. */
interface MemberOptions extends AccountOptions {
  accountId?: string;
  directory?: Directory;
  /** Opens any of them. */
  other?: (accountId: string) => Member;
}
/** A member is also called by sessions of others. */
interface Member extends Account {
  calledBy(caller: Call['caller']): Cloud;
}

export interface ListedResource {
  type: string;
  id: string;
  region: string;
  state: string;
  zone: string;
  tags: Record<string, string>;
  /** Milliseconds since the epoch. */
  created: number;
}
export interface CallCount {
  action: string;
  mutating: boolean;
  calls: number;
  errors: number;
}

export interface Account extends Cloud, GuestServices {
  /** Its twelve digits. */
  readonly id: string;
  /** Another account, which exists from its first use on. */
  other(accountId: string): Account;
  /** Creates a role of this account, or changes its trust policy; returns its ARN. */
  trust(role: string, policy: Pick<RoleRecord, 'trusts' | 'externalId'>): string;
  /** Deletes a role of this account, or with `isKept` only denies its present sessions everything. */
  revoke(role: string, isKept?: boolean): void;
  as(caller: Caller): Cloud;
  /** All live resources in creation order, without those that AWS provides. */
  list(): ListedResource[];
  calls(): CallCount[];
  /** Terminates an instance outside of Capstan. Throws CloudError if it does not exist. */
  terminate(instanceId: string): void;
  /**
   * Stops a running instance, or starts a stopped one, outside of Capstan; `isUntold` loses the events.
   * Throws CloudError if there is no such instance.
   */
  halt(instanceId: string, isUntold?: boolean): void;
  start(instanceId: string): void;
  /**
   * Interrupts a spot instance: EC2 sends its warning and terminates it two minutes later. Throws
   * CloudError if it is no running spot instance.
   */
  interrupt(instanceId: string): void;
  /** Recommends to rebalance a running spot instance. Throws like `interrupt`. */
  rebalance(instanceId: string): void;
  /**
   * Sets which status checks of an instance fail, and its scheduled events; no event reports
   * either. Throws CloudError if the instance does not exist.
   */
  trouble(instanceId: string, trouble: Partial<InstanceTrouble>): void;
  /** Creates an alarm or changes its state; without a state, deletes it. */
  alarm(region: string, name: string, state?: AlarmState): void;
  /**
   * Attaches another interface with these groups to a running instance, as a workload would;
   * returns its id. It is deleted with the instance. Throws CloudError if the instance does not
   * exist.
   */
  attach(instanceId: string, groups: readonly string[]): string;
  /** Like `call`, for callers outside of Capstan: not counted, exempt from faults and throttling. */
  uncounted: Cloud['call'];
  faults: Faults;
  /** Changes how late reads see changes. */
  lag(changes: Pick<Behaviour, 'inconsistency' | 'staleReads'>): void;
  /** Removes an instance type, an image (by id or Kubernetes version), a profile or a key pair. */
  remove(kind: Removable, name: string): void;
  restore(kind: Removable, name: string): void;
  /** Adds a private image; returns its id. */
  addImage(region: string, image: { name: string; architecture: ImageRecord['architecture']; size?: number }): string;
  /** Both throw CloudError if the name is taken. */
  addKeyPair(region: string, name: string): void;
  addProfile(name: string): void;
  /** Names of the instance profiles. */
  profiles(): string[];
  /** Resumes after a restart: guests boot, listeners listen, timers run. Call once, before use. */
  resume(): void;
  /** Cancels all timers. The records stay. */
  stop(): void;
}

/** The subject of a call, for faults of one zone or type. */
const subjectOf = (account: AccountState, region: string, action: CloudAction, input: object): Subject => {
  const { SubnetId, AvailabilityZone, InstanceType, InstanceMarketOptions, NetworkInterfaces, Placement, Subnets } =
    input as {
      SubnetId?: string;
      AvailabilityZone?: string;
      InstanceType?: string;
      InstanceMarketOptions?: { MarketType: 'spot' };
      NetworkInterfaces?: { SubnetId?: string }[];
      Placement?: { AvailabilityZone?: string };
      Subnets?: string[];
    };
  const subnet = account.subnets.get(SubnetId ?? NetworkInterfaces?.[0]?.SubnetId ?? Subnets?.[0] ?? '');
  const zone = AvailabilityZone ?? Placement?.AvailabilityZone ?? subnet?.zone;
  return {
    action,
    region,
    ...(zone && { zone }),
    ...(InstanceType && { type: InstanceType }),
    ...(action === 'RunInstances' && { market: InstanceMarketOptions?.MarketType ?? 'on-demand' }),
  };
};

/** With others, which exist from their first use on. */
export const createAccount = (options: AccountOptions): Account => {
  const { storage } = options;
  const known = storage.records<true>('other-accounts');
  const members = new Map<string, Member>();
  const open = (accountId: string): Member => {
    const member =
      members.get(accountId) ??
      createMember({ ...options, storage: within(storage, accountId), accountId, directory, other: open });
    if (!members.has(accountId) && !known.get(accountId)) known.put(accountId, true);
    members.set(accountId, member);
    return member;
  };
  const directory = openDirectory(storage);
  const own = createMember({ ...options, directory, other: open });
  members.set(own.id, own);
  for (const [accountId] of known.entries()) open(accountId);
  const all = () => [...members.values()];
  const first = <T>(ask: (member: Member) => T | undefined): T | undefined => {
    for (const member of all()) {
      const answer = ask(member);
      if (answer !== undefined) return answer;
    }
    return undefined;
  };
  return {
    ...own,
    resume: () => {
      for (const member of all()) member.resume();
    },
    stop: () => {
      for (const member of all()) member.stop();
    },
    readSecret: (instanceId, name) => first((one) => one.instance(instanceId) && one.readSecret(instanceId, name)),
    deleteSecret: (instanceId, name) => {
      for (const one of all()) if (one.instance(instanceId)) one.deleteSecret(instanceId, name);
    },
    instance: (instanceId) => first((one) => one.instance(instanceId)),
    endpoint: (host, port) => first((one) => one.endpoint(host, port)),
    eksNode: (instanceId, clusterName) => first((one) => one.eksNode?.(instanceId, clusterName)),
  };
};

/** The records of one account beside those of others. */
const within = (storage: Storage, accountId: string): Storage => ({
  records: (name) => storage.records(`${name}-of-${accountId}`),
  table: (name) => storage.table(`${name}-of-${accountId}`),
  dropTable: (name) => storage.dropTable(`${name}-of-${accountId}`),
});

const createMember = (options: MemberOptions): Member => {
  const { clock, storage, speed = 1 } = options;
  const counts = storage.records<{ calls: number; errors: number }>('calls');
  const throttle = createThrottle();
  const account = openState({
    ...options,
    speed,
    behaviour: behaviourOf(options.behaviour),
    onInstanceChange: options.onInstanceChange ?? (() => {}),
    onAlarmChange: options.onAlarmChange ?? (() => {}),
    onGroupChange: options.onGroupChange ?? (() => {}),
  });
  restoreState(account);
  watchMembers(account);
  account.guests.onChange((instanceId) => {
    followTarget(account, instanceId);
    followClassicInstance(account, instanceId);
  });

  const count = (action: string, failed: boolean): void => {
    const { calls, errors } = counts.get(action) ?? { calls: 0, errors: 0 };
    counts.put(action, { calls: calls + 1, errors: errors + (failed ? 1 : 0) });
  };

  const itself = {
    arn: `arn:aws:sts::${account.accountId}:assumed-role/capstan/function`,
    role: ownRole(account.accountId),
  };

  const perform = <A extends CloudAction>(
    region: string,
    action: A,
    input: CloudInput<A>,
    caller: Call['caller'] = itself,
  ) => {
    requireRegion(region);
    const call = { account, region, now: clock.now(), caller };
    ensureDefaultNetwork(account, region, call.now);
    const subject = subjectOf(account, region, action, input);
    throttle.admit(call, action, input as Record<string, unknown>);
    const before = account.faults.strike(subject, 'before');
    if (before) throw before;
    const handler: Handler<A> =
      actions[action] ?? refuse('InvalidAction', `The action ${action} is not valid for this web service.`);
    const output = handler(call, openCopy(input));
    const after = account.faults.strike(subject, 'after');
    if (after) throw after;
    return output;
  };

  const living = (instanceId: string): InstanceRecord => {
    const instance = account.instances.get(instanceId);
    if (!instance || instanceState(instance, clock.now()) === 'terminated')
      throw new CloudError('InvalidInstanceID.NotFound', `The instance ID '${instanceId}' does not exist`);
    return instance;
  };
  const inState = (instanceId: string, state: InstanceStateName): InstanceRecord => {
    const instance = living(instanceId);
    if (instanceState(instance, clock.now()) !== state)
      throw new CloudError('IncorrectInstanceState', `The instance '${instanceId}' is not in the '${state}' state`);
    return instance;
  };

  const spot = (instanceId: string): InstanceRecord => {
    const instance = inState(instanceId, 'running');
    if (!instance.market)
      throw new CloudError('InvalidParameterValue', `The instance '${instanceId}' is not a Spot Instance`);
    return instance;
  };

  const calledBy = (caller: Call['caller']): Cloud => ({
    call: async (region, action, input) => {
      try {
        const output = perform(region, action, input, caller);
        count(action, false);
        return output;
      } catch (failure) {
        count(action, true);
        throw failure;
      }
    },
  });
  const arnOf = (role: string): string => `arn:aws:iam::${account.accountId}:role/${role}`;

  return {
    ...calledBy(itself),
    calledBy,
    id: account.accountId,
    other: (accountId) => options.other!(accountId),
    trust: (role, policy) => {
      const { roles } = account.directory;
      roles.put(arnOf(role), { ...roles.get(arnOf(role)), ...policy, arn: arnOf(role) });
      return arnOf(role);
    },
    revoke: (role, isKept = false) => {
      const { roles } = account.directory;
      const before = roles.get(arnOf(role));
      if (!isKept) roles.delete(arnOf(role));
      else if (before) roles.put(arnOf(role), { ...before, revoked: clock.now() });
    },
    as: ({ account: id, credentials }) => ({
      call: async (region, action, input) => {
        const { SessionToken } = await credentials();
        const caller = callerWith(account.directory, SessionToken, clock.now());
        return options.other!(id).calledBy(caller).call(region, action, input);
      },
    }),

    list: () =>
      regionNames
        .filter((region) => isUsed(account, region))
        .flatMap((region) => resourcesOf(account, region, clock.now()).map((resource) => ({ ...resource, region })))
        .sort((a, b) => a.seq - b.seq)
        .map(({ type, id, region, state, zone, tags, created }) => ({ type, id, region, state, zone, tags, created })),
    calls: () =>
      counts
        .entries()
        .map(([action, { calls, errors }]) => ({ action, mutating: isMutating(action), calls, errors }))
        .sort((a, b) => (a.action < b.action ? -1 : 1)),
    terminate: (instanceId) => {
      endInstance(account, living(instanceId), {
        code: 'Client.UserInitiatedShutdown',
        message: 'Client.UserInitiatedShutdown: User initiated shutdown',
      });
    },
    halt: (instanceId, isUntold = false) => stopInstance(account, inState(instanceId, 'running'), isUntold),
    start: (instanceId) => startInstance(account, inState(instanceId, 'stopped')),
    interrupt: (instanceId) => interruptInstance(account, spot(instanceId)),
    rebalance: (instanceId) => recommendRebalance(account, spot(instanceId)),
    trouble: (instanceId, { impaired = [], events = [] }) => {
      const instance = living(instanceId);
      instance.trouble = { impaired, events };
      account.instances.put(instance);
      account.afterInstanceChange(instanceId);
    },
    alarm: (region, name, state) => {
      requireRegion(region);
      if (state) setAlarm(account, { region, name, state });
      else removeAlarm(account, region, name);
    },
    attach: (instanceId, groups) => {
      const instance = account.instances.get(instanceId);
      if (!instance || instanceState(instance, clock.now()) !== 'running')
        throw new CloudError('InvalidInstanceID.NotFound', `The instance ID '${instanceId}' does not exist`);
      const subnet = account.subnets.get(instance.interfaces[0]!.subnetId)!;
      const added = newInterface(account, { subnet, groups: [...groups], publicIp: false }, {});
      instance.interfaces.push({ ...added, attached: clock.now() });
      account.instances.put(instance);
      return added.id;
    },
    uncounted: async (region, action, input) => {
      requireRegion(region);
      const call = { account, region, now: clock.now(), caller: itself };
      ensureDefaultNetwork(account, region, call.now);
      const handler: Handler<typeof action> =
        actions[action] ?? refuse('InvalidAction', `The action ${action} is not valid for this web service.`);
      return handler(call, openCopy(input));
    },
    faults: account.faults,
    lag: (changes) => void Object.assign(account.behaviour, changes),
    remove: (kind, name) => remove(account, kind, name),
    restore: (kind, name) => restore(account, kind, name),
    addKeyPair: (region, name) => addKeyPair(account, region, name),
    addProfile: (name) => addProfile(account, name),
    profiles: () => profileNames(account),
    addImage: (region, { name, architecture, size = 8 }) => {
      requireRegion(region);
      const own = account.images
        .by('region', region)
        .some((one) => one.owner === account.accountId && one.name === name);
      if (own) refuse('InvalidAMIName.Duplicate', `AMI name ${name} is already in use`);
      const id = newId(account.random, 'ami');
      account.images.put({
        id,
        region,
        seq: account.nextSeq(),
        created: clock.now(),
        tags: {},
        name,
        owner: account.accountId,
        architecture,
        size,
      });
      return id;
    },

    resume: () => {
      for (const instance of account.instances.all()) {
        followInstance(account, instance, true);
        followInterruption(account, instance);
      }
      for (const gateway of account.natGateways.all()) watchNatGateway(account, gateway);
      for (const balancer of account.loadBalancers.all()) watchLoadBalancer(account, balancer);
      for (const balancer of account.classicLoadBalancers.all()) {
        watchClassic(account, balancer);
        openClassic(account, balancer);
      }
      for (const listener of account.listeners.all()) openListener(account, listener);
      for (const { arn } of account.targetGroups.all()) followTargets(account, arn);
      for (const cluster of account.eksClusters.all()) watchEksCluster(account, cluster);
      endOrphanedInstances(account);
      for (const group of account.autoScalingGroups.all()) followGroup(account, group.id);
      for (const group of account.eksNodegroups.all()) watchEksNodegroup(account, group);
    },
    stop: () => account.timers.stop(),

    readSecret: (instanceId, name) => (isParameter(name) ? readParameter : readSecret)(account, instanceId, name),
    deleteSecret: (instanceId, name) => (isParameter(name) ? deleteParameter : deleteSecret)(account, instanceId, name),
    instance: (instanceId) => {
      const instance = account.instances.get(instanceId);
      return instance && instanceState(instance, clock.now()) === 'running' ? guestInstance(instance) : undefined;
    },
    eksNode: (instanceId, clusterName) => eksNode(account, instanceId, clusterName),
    endpoint: (host, port) => {
      const listener = listenerAt(account, host, port);
      const balancer = listener && account.loadBalancers.get(listener.loadBalancer);
      return balancer && isActive(balancer, clock.now())
        ? hostedListener(account, listener)
        : classicListenerAt(account, host, port);
    },
  };
};

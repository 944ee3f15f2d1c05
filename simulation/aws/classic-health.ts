/** The instances of classic load balancers, their health, and what listeners forward to. */
import type {
  ClassicAttributes,
  ClassicHealthCheck,
  ClassicListener,
  ClassicLoadBalancer,
} from '../../kinds/ports/cloud/index.ts';
import type { HostedListener } from '../ports.ts';
import { askedOf } from './classic-rules.ts';
import type { CollectionOf, Stored } from './collection.ts';
import { type Checks, followChecks, type Target } from './health-checks.ts';
import { instanceState } from './instance.ts';
import type { LoadBalancerRecord } from './load-balancer.ts';
import { type AccountState, scaled } from './state.ts';

/** A listener, and the local address where it is reached. */
export type PlacedListener = ClassicListener & { host: string; port: number };

/** Its id is not its ARN, because interfaces of a deleted namesake may be left. */
export interface ClassicRecord extends Stored {
  arn: string;
  name: string;
  dnsName: string;
  scheme: ClassicLoadBalancer['Scheme'];
  vpcId: string;
  interfaces: LoadBalancerRecord['interfaces'];
  securityGroups: string[];
  listeners: PlacedListener[];
  check: ClassicHealthCheck;
  attributes: ClassicAttributes;
  targets: Target[];
  /** The parameters of the creation: an identical request is no error. */
  parameters: string;
  /** When its interfaces leave their subnets after its deletion. */
  interfacesGone?: number;
}

export const classicLoadBalancers: CollectionOf<ClassicRecord> = {
  name: 'classic-load-balancers',
  indexes: {
    'vpc-id': ({ vpcId }) => [vpcId],
    name: ({ name }) => [name],
    'dns-name': ({ dnsName }) => [dnsName],
    'subnet-id': ({ interfaces }) => interfaces.map(({ subnetId }) => subnetId),
    instance: ({ targets }) => targets.map(({ id }) => id),
    endpoint: ({ listeners }) => listeners.map(({ host, port }) => `${host}:${port}`),
  },
};

export const classicExists = ({ interfacesGone }: ClassicRecord): boolean => interfacesGone === undefined;

/** It serves from when its name resolves. */
export const classicResolves = (account: AccountState, balancer: ClassicRecord): boolean =>
  classicExists(balancer) &&
  account.clock.now() >= balancer.created + scaled(account, account.behaviour.delays.classicLoadBalancerResolves);

/** The instances that run in a zone of the load balancer. */
const reachable = (account: AccountState, { interfaces, targets }: ClassicRecord): Target[] =>
  targets.filter(({ id }) => {
    const instance = account.instances.get(id);
    const isRunning = instance && instanceState(instance, account.clock.now()) === 'running';
    return isRunning && interfaces.some(({ zone }) => zone === instance.zone);
  });

const checksOf = (account: AccountState, id: string): Checks | undefined => {
  const balancer = account.classicLoadBalancers.get(id);
  if (!balancer) return undefined;
  const { Target, Interval, HealthyThreshold, UnhealthyThreshold } = balancer.check;
  const { port, ...asked } = askedOf(Target);
  return {
    of: balancer,
    interval: Interval,
    healthy: HealthyThreshold,
    unhealthy: UnhealthyThreshold,
    targets: classicExists(balancer) ? reachable(account, balancer) : [],
    ask: (target) => account.guests.answers(target.id, port, { ...asked, oldCiphers: true }),
    save: () => account.classicLoadBalancers.put(balancer),
  };
};

/** Its instances, their responses or the health check may have changed. */
export const followClassic = (account: AccountState, { id }: ClassicRecord): void =>
  followChecks(account, `health/${id}`, () => checksOf(account, id));

/** The instance's response may have changed. */
export const followClassicInstance = (account: AccountState, instanceId: string): void => {
  for (const balancer of account.classicLoadBalancers.by('instance', instanceId)) followClassic(account, balancer);
};

/** Terminated instances are deregistered automatically. */
export const forgetClassicInstance = (account: AccountState, instanceId: string): void => {
  for (const balancer of account.classicLoadBalancers.by('instance', instanceId)) {
    balancer.targets = balancer.targets.filter(({ id }) => id !== instanceId);
    account.classicLoadBalancers.put(balancer);
    followClassic(account, balancer);
  }
};

const listenerName = ({ id }: Pick<ClassicRecord, 'id'>, { LoadBalancerPort }: ClassicListener): string =>
  `${id}/${LoadBalancerPort}`;

/** The listener as guests and clients see it. Without a healthy instance it forwards nothing. */
const hosted = (account: AccountState, { id }: ClassicRecord, listener: PlacedListener): HostedListener => ({
  listenerArn: listenerName({ id }, listener),
  host: listener.host,
  port: listener.port,
  healthyTargets: () => {
    const balancer = account.classicLoadBalancers.get(id);
    if (!balancer || !classicResolves(account, balancer)) return [];
    return reachable(account, balancer)
      .filter(({ health }) => health === 'healthy')
      .map((target) => ({ instanceId: target.id, port: listener.InstancePort }));
  },
});

/** Idempotent: also called after a restart. */
export const openClassic = (account: AccountState, balancer: ClassicRecord): void => {
  if (!classicExists(balancer)) return;
  for (const listener of balancer.listeners) account.guests.listen(hosted(account, balancer, listener));
  followClassic(account, balancer);
};

export const closeClassic = (account: AccountState, balancer: ClassicRecord): void => {
  for (const listener of balancer.listeners) account.guests.close(listenerName(balancer, listener));
  followClassic(account, balancer);
};

/** Finds a listener by its own address, or by its load balancer's DNS name and port. */
export const classicListenerAt = (account: AccountState, host: string, port: number): HostedListener | undefined => {
  const [own] = account.classicLoadBalancers.by('endpoint', `${host}:${port}`);
  const balancer = own ?? account.classicLoadBalancers.by('dns-name', host).find(classicExists);
  const listener = balancer?.listeners.find((one) =>
    own ? one.host === host && one.port === port : one.LoadBalancerPort === port,
  );
  return balancer && listener && classicResolves(account, balancer) ? hosted(account, balancer, listener) : undefined;
};

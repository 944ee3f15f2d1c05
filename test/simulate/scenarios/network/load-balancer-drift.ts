/** A user changes a load balancer in AWS, and Capstan restores what the spec says. */
import type { Listener, LoadBalancer } from '../../../../kinds/ports/cloud/index.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { unbalanced } from '../../invariants/load-balancer/state.ts';
import type { ScenarioContext } from '../context.ts';
import { comes, isServing, resyncTimeout } from '../progress.ts';
import { comesToBe, infrastructureOf } from './load-balancers.ts';

const region = 'eu-central-1';
const minute = 60_000;
/** The account is scanned each hour. */
const looked = 120 * minute;

/** A load balancer of the cluster, with its listener and target group. */
interface Place {
  balancer: LoadBalancer;
  listener: Listener;
  TargetGroupArn: string;
}

const placeOf = async ({ draw, desired, world: { account, mirror } }: ScenarioContext): Promise<Place | undefined> => {
  const uid = mirror.get('Cluster', 'default', desired.name)?.metadata.uid;
  const own = account
    .list()
    .filter(({ type, tags }) => type === 'load-balancer' && uid && tags['capstan.dev/cluster-uid'] === uid);
  if (own.length === 0) return undefined;
  const LoadBalancerArns = [draw.pick(own).id];
  const { LoadBalancers } = await account.call(region, 'DescribeLoadBalancers', { LoadBalancerArns });
  const [LoadBalancerArn = ''] = LoadBalancerArns;
  const { Listeners } = await account.call(region, 'DescribeListeners', { LoadBalancerArn });
  if (Listeners.length === 0) return undefined;
  const listener = draw.pick(Listeners);
  const TargetGroupArn = listener.DefaultActions[0]?.TargetGroupArn;
  return TargetGroupArn ? { balancer: LoadBalancers[0]!, listener, TargetGroupArn } : undefined;
};

type Change = (context: ScenarioContext, place: Place) => Promise<unknown>;

const retime: Change = ({ draw, world: { account } }, { TargetGroupArn }) =>
  account.call(region, 'ModifyTargetGroup', {
    TargetGroupArn,
    ...draw.pick([
      { HealthCheckIntervalSeconds: 120 },
      { HealthCheckTimeoutSeconds: 2, HealthCheckIntervalSeconds: 5 },
      { HealthyThresholdCount: 9 },
      { UnhealthyThresholdCount: 9 },
      { HealthCheckPort: '22' },
      { HealthCheckProtocol: 'HTTP', HealthCheckPath: '/somewhere' },
    ]),
  });
const silence: Change = ({ world: { account } }, { listener: { ListenerArn } }) =>
  account.call(region, 'DeleteListener', { ListenerArn });
/** Deletes the listener and its target group. The replacement starts without targets. */
const forget: Change = async (context, place) => {
  await silence(context, place);
  const { TargetGroupArn } = place;
  await context.world.account.call(region, 'DeleteTargetGroup', { TargetGroupArn });
};
const admit: Change = async ({ draw, world: { account } }, { balancer }) => {
  const { LoadBalancerArn, SecurityGroups, VpcId } = balancer;
  const { SecurityGroups: all } = await account.call(region, 'DescribeSecurityGroups', {});
  const others = all.filter((one) => one.VpcId === VpcId && !SecurityGroups.includes(one.GroupId));
  const [other] = others;
  const more = other && draw.chance(0.5) ? [...SecurityGroups, other.GroupId] : [other?.GroupId ?? ''];
  await account.call(region, 'SetSecurityGroups', { LoadBalancerArn, SecurityGroups: more });
};

/** Changes that the list calls of the hourly scan show. */
const shown: readonly Change[] = [retime, silence, forget, admit];

/** Changes that only a reconcile of this cluster finds, which another change must trigger. */
const hidden: readonly Change[] = [
  ({ draw, world: { account } }, { TargetGroupArn }) => {
    const [Key, Value] = draw.pick([
      ['preserve_client_ip.enabled', 'true'],
      ['target_health_state.unhealthy.connection_termination.enabled', 'true'],
      ['target_health_state.unhealthy.draining_interval_seconds', '0'],
    ] as const);
    return account.call(region, 'ModifyTargetGroupAttributes', { TargetGroupArn, Attributes: [{ Key, Value }] });
  },
  ({ world: { account } }, { balancer: { LoadBalancerArn } }) => {
    const Attributes = [{ Key: 'load_balancing.cross_zone.enabled', Value: 'true' }];
    return account.call(region, 'ModifyLoadBalancerAttributes', { LoadBalancerArn, Attributes });
  },
  async ({ draw, world: { account } }, { TargetGroupArn }) => {
    const { TargetHealthDescriptions } = await account.call(region, 'DescribeTargetHealth', { TargetGroupArn });
    if (TargetHealthDescriptions.length === 0) return;
    const Targets = [{ Id: draw.pick(TargetHealthDescriptions).Target.Id }];
    await account.call(region, 'DeregisterTargets', { TargetGroupArn, Targets });
  },
];

export const changeBalancerManually = async (context: ScenarioContext) => {
  const { client, clock, draw, settled, desired, world } = context;
  await settled(60);
  const infrastructure = infrastructureOf(context);
  if (!infrastructure || !isServing(context)) return;
  const { name } = infrastructure.metadata;
  const write = (intervalSeconds: number | null) =>
    client.patch('AWSCluster', name, { spec: { controlPlaneLoadBalancer: { healthCheck: { intervalSeconds } } } });
  if (draw.chance(0.4)) {
    const additionalListeners = [{ port: 8132, healthCheck: { intervalSeconds: 30 } }];
    await client.patch('AWSCluster', name, { spec: { controlPlaneLoadBalancer: { additionalListeners } } });
    if (!(await comesToBe(context, `one more port of ${desired.name}`))) return;
  }
  // A new installation resyncs everything in its first hour. After that only the scan finds the
  // change.
  await sleep(clock, draw.spread(65 * minute, 130 * minute));
  const isShown = draw.chance(0.6);
  const change = draw.pick(isShown ? shown : hidden);
  // The resource may not be visible yet, or already gone.
  const isChanged = await placeOf(context)
    .then((place) => place && change(context, place).then(() => true))
    .catch(() => false);
  if (!isChanged) return;
  await sleep(clock, draw.spread(1000, 30 * minute));
  // The value must differ from the current one.
  const { intervalSeconds } = infrastructureOf(context)?.spec?.controlPlaneLoadBalancer?.healthCheck ?? {};
  if (!isShown) await write(draw.pick([10, 15, 25].filter((seconds) => seconds !== intervalSeconds)));
  const most = () => (world.isHeldUp ? resyncTimeout : looked);
  const isMended = () =>
    unbalanced(world, desired.name).then(
      (wrong) => wrong === undefined,
      () => false,
    );
  await comes(context, `load balancers of ${desired.name} as their spec says`, isMended, 'InfrastructureReady', most);
  if (!isShown) await write(null);
};

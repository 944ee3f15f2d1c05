/**
 * Load balancers with additional listeners, other health checks and ingress rules, and a second
 * load balancer.
 */

import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { AWSCluster, AWSClusterSpec } from '../../../../kinds/infrastructure-aws/aws-cluster/index.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { type BalancerSpec, unbalanced } from '../../invariants/load-balancer/state.ts';
import { wronglyOpened } from '../../invariants/network/security-groups.ts';
import { infrastructureOf as infrastructure } from '../../invariants/relations.ts';
import type { ScenarioContext } from '../context.ts';
import { comes, promptly, resyncTimeout } from '../progress.ts';
import { balancerOf, type Fields, secondOf } from './options.ts';
import { closeGroup, idOfGroup, openGroup } from './security-group.ts';

const minute = 60_000;

export const infrastructureOf = ({ world: { mirror }, desired }: ScenarioContext): AWSCluster | undefined =>
  infrastructure(mirror, mirror.get<Cluster>('Cluster', 'default', desired.name));

/** Waits until the account matches the spec; false when that is not to be expected. */
export const comesToBe = (context: ScenarioContext, what: string): Promise<boolean> => {
  const { world, desired } = context;
  // A read just after a change may be stale or fail.
  const isAsDesired = async () => {
    const wrong = (await unbalanced(world, desired.name)) ?? (await wronglyOpened(world, desired.name));
    return wrong === undefined;
  };
  const most = () => (world.isHeldUp ? resyncTimeout : promptly);
  return comes(context, what, () => isAsDesired().catch(() => false), 'InfrastructureReady', most);
};

export const changeBalancer = async (context: ScenarioContext) => {
  const { client, clock, draw, life, settled, desired, world } = context;
  await settled(60);
  const own = infrastructureOf(context);
  const vpc = own?.spec?.network?.vpc?.id;
  if (!own || !vpc) return;
  const { name } = own.metadata;
  const write = async (controlPlaneLoadBalancer: Fields, more: Partial<AWSClusterSpec> = {}) => {
    const { code } = await client.patch('AWSCluster', name, { spec: { controlPlaneLoadBalancer, ...more } });
    return code < 300;
  };
  const first = balancerOf(draw);
  const isTwofold = draw.chance(0.4);
  const second = { secondaryControlPlaneLoadBalancer: secondOf(draw, desired.name) as BalancerSpec };
  const group = draw.chance(0.3) ? await openGroup(context, vpc) : undefined;
  const id = group && idOfGroup(context, group);
  const groups = id ? { additionalSecurityGroups: [id] } : {};
  // An HTTP health check uses the readiness endpoint and cannot be weakened.
  const protocol = draw.chance(0.3) ? { healthCheckProtocol: 'HTTPS' } : {};
  const isWritten = await write({ ...first, ...groups, ...protocol }, isTwofold ? second : {});
  if (isWritten && (await comesToBe(context, `that the load balancers of ${desired.name} match the spec`))) {
    await sleep(clock, draw.spread(1000, 20 * minute));
    const others = balancerOf(draw);
    const undone = Object.fromEntries(Object.keys({ ...first, ...groups }).map((field) => [field, null]));
    await write({ ...undone, ...others });
    await comesToBe(context, `that the load balancers of ${desired.name} match the changed spec`);
  }
  if (group) {
    await write({ additionalSecurityGroups: null });
    closeGroup(context, group);
  }
  if (draw.chance(0.7)) return;
  life.desired = undefined;
  await client.remove('Cluster', world.mirror.get('Cluster', 'default', desired.name)?.metadata.name ?? desired.name);
};

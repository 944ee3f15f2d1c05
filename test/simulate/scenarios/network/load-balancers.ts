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
import type { Scene } from '../context.ts';
import { comes, patience, promptly } from '../progress.ts';
import { balancerOf, type Fields, secondOf } from './options.ts';
import { closeGroup, idOfGroup, openGroup } from './security-group.ts';

const minute = 60_000;

export const infrastructureOf = ({ world: { mirror }, wish }: Scene): AWSCluster | undefined =>
  infrastructure(mirror, mirror.get<Cluster>('Cluster', 'default', wish.name));

/** Waits until the account matches the spec; false when that is not to be expected. */
export const comesToBe = (scene: Scene, what: string): Promise<boolean> => {
  const { world, wish } = scene;
  // A read just after a change may be stale or fail.
  const isAsSaid = async () => {
    const wrong = (await unbalanced(world, wish.name)) ?? (await wronglyOpened(world, wish.name));
    return wrong === undefined;
  };
  const most = () => (world.isHeldUp ? patience : promptly);
  return comes(scene, what, () => isAsSaid().catch(() => false), 'InfrastructureReady', most);
};

export const changeBalancer = async (scene: Scene) => {
  const { client, clock, draw, life, settled, wish, world } = scene;
  await settled(60);
  const own = infrastructureOf(scene);
  const vpc = own?.spec?.network?.vpc?.id;
  if (!own || !vpc) return;
  const { name } = own.metadata;
  const write = async (controlPlaneLoadBalancer: Fields, more: Partial<AWSClusterSpec> = {}) => {
    const { code } = await client.patch('AWSCluster', name, { spec: { controlPlaneLoadBalancer, ...more } });
    return code < 300;
  };
  const first = balancerOf(draw);
  const isTwofold = draw.chance(0.4);
  const second = { secondaryControlPlaneLoadBalancer: secondOf(draw, wish.name) as BalancerSpec };
  const group = draw.chance(0.3) ? await openGroup(scene, vpc) : undefined;
  const id = group && idOfGroup(scene, group);
  const groups = id ? { additionalSecurityGroups: [id] } : {};
  // An HTTP health check uses the readiness endpoint and cannot be weakened.
  const protocol = draw.chance(0.3) ? { healthCheckProtocol: 'HTTPS' } : {};
  const isWritten = await write({ ...first, ...groups, ...protocol }, isTwofold ? second : {});
  if (isWritten && (await comesToBe(scene, `that the load balancers of ${wish.name} match the spec`))) {
    await sleep(clock, draw.spread(1000, 20 * minute));
    const others = balancerOf(draw);
    const undone = Object.fromEntries(Object.keys({ ...first, ...groups }).map((field) => [field, null]));
    await write({ ...undone, ...others });
    await comesToBe(scene, `that the load balancers of ${wish.name} match the changed spec`);
  }
  if (group) {
    await write({ additionalSecurityGroups: null });
    closeGroup(scene, group);
  }
  if (draw.chance(0.7)) return;
  life.wish = undefined;
  await client.remove('Cluster', world.mirror.get('Cluster', 'default', wish.name)?.metadata.name ?? wish.name);
};

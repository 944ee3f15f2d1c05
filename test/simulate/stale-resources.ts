/**
 * Resources that a frozen worker created for a network whose cluster was already gone. They look
 * like the network of a cluster that moved elsewhere, so they stay and are reported.
 */
import type { Installation } from '../../kinds/capstan/installation/index.ts';
import type { ListedResource } from '../../simulation/aws/account.ts';
import { owner } from './invariants/tags.ts';
import type { World } from './site.ts';

const ofNetwork = /^(vpc|subnet|internet-gateway|elastic-ip|route-table|security-group|load-balancer|target-group)$/;

export interface StaleResources {
  has(resource: ListedResource): boolean;
  /** The existing late resources that no Installation reports. */
  unreported(): string[];
}

export const trackStaleResources = (world: World): StaleResources => {
  const { account, clock, mirror } = world;
  /** By uid of an AWSCluster: when it was deleted. */
  const gone = new Map<string, number>();
  mirror.onCommit(({ type, event, before }) => {
    // The Installation reports the uid that an object had before a move.
    const [uid] = before?.metadata.annotations?.[owner]?.split('/') ?? [];
    if (event === 'DELETED' && type === 'awsclusters.infrastructure.cluster.x-k8s.io' && uid)
      gone.set(uid, clock.now());
  });
  const has: StaleResources['has'] = ({ type, tags, created }) =>
    ofNetwork.test(type) && created > (gone.get(tags[owner] ?? '') ?? Number.POSITIVE_INFINITY);
  return {
    has: (resource) => world.isReplaced && has(resource),
    unreported: () => {
      const installations = mirror.all<Installation>('Installation');
      const reported = new Set(installations.flatMap(({ status }) => status?.orphans?.map(({ id }) => id) ?? []));
      return account.list().flatMap((one) => (has(one) && !reported.has(one.id) ? `${one.type} ${one.id}` : []));
    },
  };
};

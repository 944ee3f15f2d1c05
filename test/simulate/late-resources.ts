/**
 * What a worker that had stood still made of a network whose cluster was gone by then. Nothing tells it from the network of a
 * cluster that was moved elsewhere: it stays, and is reported.
 */
import type { Installation } from '../../kinds/capstan/installation/index.ts';
import type { ListedResource } from '../../simulation/aws/account.ts';
import { owner } from './invariants/tags.ts';
import type { World } from './site.ts';

const ofNetwork = /^(vpc|subnet|internet-gateway|elastic-ip|route-table|security-group|load-balancer|target-group)$/;

export interface TooLate {
  has(resource: ListedResource): boolean;
  /** Of those that are there, what nobody is told of. */
  unreported(): string[];
}

export const createTooLate = (world: World): TooLate => {
  const { account, clock, mirror } = world;
  /** When the AWSCluster went that resources say they are of. */
  const gone = new Map<string, number>();
  mirror.onCommit(({ type, event, before }) => {
    // The installation follows it, and others that had it before.
    const [uid] = before?.metadata.annotations?.[owner]?.split('/') ?? [];
    if (event === 'DELETED' && type === 'awsclusters.infrastructure.cluster.x-k8s.io' && uid)
      gone.set(uid, clock.now());
  });
  const has: TooLate['has'] = ({ type, tags, created }) =>
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

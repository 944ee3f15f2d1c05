/** What users do about a cluster that stopped and reports why. */

import type { Machine } from '../../../kinds/core/machine/index.ts';
import type { ClusterOperation } from '../../../kinds/operations/cluster-operation/index.ts';
import type { Condition, KubeObject } from '../../../machinery/api/object.ts';
import type { Client } from '../clients/client.ts';
import type { World } from '../site.ts';
import type { Life } from './context.ts';

const patience = 60 * 60_000;

export interface Care {
  lives: readonly Life[];
  client: Client;
  world: World;
  /** Uids of what people have made, some of it by requests that were answered long ago. */
  made: ReadonlySet<string>;
  /** How often they have looked before. */
  round: number;
  onAction: (cluster: string, action: string) => void;
}

/** A machine that never became a node, as a health check would see it: it has its time from when its host runs. */
export const isStillborn =
  (now: number) =>
  ({ metadata, status }: Machine): boolean => {
    const host = (status?.conditions as Condition[] | undefined)?.find(({ type }) => type === 'InfrastructureReady');
    const since = host?.status === 'True' ? host.lastTransitionTime : metadata.creationTimestamp;
    return !status?.nodeRef && !metadata.deletionTimestamp && now - Date.parse(since ?? '') > patience;
  };

/** Its last operation stopped without success: that waits for somebody, and says so. */
const hasStopped = ({ mirror }: World, name: string): boolean => {
  const { annotations = {} } = mirror.get('Cluster', 'default', name)?.metadata ?? {};
  const last = mirror.get<ClusterOperation>('ClusterOperation', 'default', annotations['capstan.dev/operation'] ?? '');
  return /^(Held|TornDown|RolledBack|Cancelled)$/.test(last?.status?.phase ?? '');
};

/** A Cluster that nobody deleted, or a part of one that no Cluster ever took over, and none takes along. */
const isLeft = ({ kind, metadata }: KubeObject): boolean =>
  kind === 'Cluster' ||
  (/^(AWSCluster|KubeadmControlPlane|MachineDeployment|MachineSet|Machine|Secret)$/.test(kind) &&
    !metadata.ownerReferences?.some((owner) => owner.kind === 'Cluster' || owner.controller));

/**
 * Nobody does anything about what goes on by itself: that must come to its end alone. Answers whether anything waited for somebody
 * to ask: a cluster that had stopped, or a part that no Cluster takes along.
 */
export const lookAfter = async ({ lives, client, world, made, round, onAction }: Care): Promise<boolean> => {
  const isForNobody = lives.every(({ wish }) => !wish);
  const retried = new Set<string>();
  let hasLeft = false;
  for (const { name, wish } of lives) {
    if (!wish) {
      // What nobody owned when its cluster was deleted is its user's.
      for (const object of world.mirror.everything()) {
        const { kind, metadata, spec } = object;
        if (!made.has(metadata.uid!) || metadata.deletionTimestamp || metadata.namespace !== 'default') continue;
        if (!isForNobody && !metadata.name.startsWith(name)) continue;
        const isPaused = (spec as { paused?: boolean } | undefined)?.paused === true;
        if (isPaused) await client.patch(kind, metadata.name, { spec: { paused: false } });
        await client.remove(kind, metadata.name);
        hasLeft ||= isPaused || isLeft(object);
      }
      continue;
    }
    if (!hasStopped(world, wish.name)) continue;
    retried.add(wish.name);
    onAction(wish.name, 'retry');
    await client.patch('Cluster', wish.name, {
      metadata: { annotations: { 'capstan.dev/retry': `again-${round}` } },
    });
  }
  // What waited with its cluster may come to life with it.
  for (const { metadata, spec } of world.mirror.all<Machine>('Machine').filter(isStillborn(world.clock.now())))
    if (!retried.has(spec?.clusterName ?? '')) await client.remove('Machine', metadata.name);
  return hasLeft || retried.size > 0;
};

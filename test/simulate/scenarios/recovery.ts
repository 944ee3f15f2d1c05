/** What users do about a cluster that has stopped and reports why. */

import type { Machine } from '../../../kinds/core/machine/index.ts';
import type { ClusterOperation } from '../../../kinds/operations/cluster-operation/index.ts';
import type { Condition, KubeObject } from '../../../machinery/api/object.ts';
import type { Client } from '../clients/client.ts';
import { objectTargetsOf } from '../invariants/relations.ts';
import type { World } from '../site.ts';
import type { Life } from './context.ts';

const timeout = 60 * 60_000;

export interface Care {
  lives: readonly Life[];
  client: Client;
  world: World;
  /** Uids of the objects that users created, including requests whose answers were lost. */
  made: ReadonlySet<string>;
  /** How many times the users checked before. */
  round: number;
  onAction: (cluster: string, action: string) => void;
}

/**
 * Whether a machine never became a Node, as a health check decides: the time counts from the start
 * of its host.
 */
export const isStillborn =
  (now: number) =>
  ({ metadata, status }: Machine): boolean => {
    const host = (status?.conditions as Condition[] | undefined)?.find(({ type }) => type === 'InfrastructureReady');
    const since = host?.status === 'True' ? host.lastTransitionTime : metadata.creationTimestamp;
    return !status?.nodeRef && !metadata.deletionTimestamp && now - Date.parse(since ?? '') > timeout;
  };

/** An upgrade under the policy Retry does not end, and reports what it waits for. */
const isStuck = ({ metadata, spec, status }: ClusterOperation, now: number): boolean =>
  spec?.type === 'upgrade' &&
  status?.phase === 'Running' &&
  now - Date.parse(metadata.creationTimestamp ?? '') > timeout;

/**
 * The last operation, if it ended without success, so that the cluster waits for a user; also one that left out
 * what an earlier one rolled back.
 */
const stoppedIn = ({ mirror, clock }: World, name: string): ClusterOperation | undefined => {
  const cluster = mirror.get('Cluster', 'default', name);
  const { annotations = {} } = cluster?.metadata ?? {};
  const last = mirror.get<ClusterOperation>('ClusterOperation', 'default', annotations['capstan.dev/operation'] ?? '');
  if (!last) return undefined;
  const isOver = /^(Held|TornDown|RolledBack|Cancelled)$/.test(last.status?.phase ?? '');
  const isRolledBack = Object.values(objectTargetsOf(cluster!)).some(({ target }) => target === 'RollBack');
  return isOver || isRolledBack || isStuck(last, clock.now()) ? last : undefined;
};

/** A Cluster that no user deleted, or a part that no Cluster adopted. */
const isLeft = ({ kind, metadata }: KubeObject): boolean =>
  kind === 'Cluster' ||
  (/^(AWSCluster|KubeadmControlPlane|MachineDeployment|MachineSet|Machine|Secret)$/.test(kind) &&
    !metadata.ownerReferences?.some((owner) => owner.kind === 'Cluster' || owner.controller));

/**
 * Acts only on what waits for a user; everything else must complete by itself. Returns whether
 * anything waited: a stopped cluster, or a part that no Cluster adopted.
 */
export const lookAfter = async ({ lives, client, world, made, round, onAction }: Care): Promise<boolean> => {
  const areAllDeleted = lives.every(({ desired }) => !desired);
  const retried = new Set<string>();
  /** Names of clusters whose new Machines may still become Nodes. */
  const starting = new Set<string>();
  let hasLeft = false;
  for (const { name, desired } of lives) {
    if (!desired) {
      // Objects that had no owner when their cluster was deleted belong to the user.
      for (const object of world.mirror.everything()) {
        const { kind, metadata, spec } = object;
        if (!made.has(metadata.uid!) || metadata.deletionTimestamp || metadata.namespace !== 'default') continue;
        if (!areAllDeleted && !metadata.name.startsWith(name)) continue;
        const isPaused = (spec as { paused?: boolean } | undefined)?.paused === true;
        if (isPaused) await client.patch(kind, metadata.name, { spec: { paused: false } });
        await client.remove(kind, metadata.name);
        hasLeft ||= isPaused || isLeft(object);
      }
      continue;
    }
    const stopped = stoppedIn(world, desired.name);
    if (!stopped) continue;
    retried.add(desired.name);
    if (stopped.spec?.type !== 'upgrade') starting.add(desired.name);
    onAction(desired.name, 'retry');
    await client.patch('Cluster', desired.name, {
      metadata: { annotations: { 'capstan.dev/retry': `again-${round}` } },
    });
  }
  for (const { metadata, spec } of world.mirror.all<Machine>('Machine').filter(isStillborn(world.clock.now())))
    if (!starting.has(spec?.clusterName ?? '')) await client.remove('Machine', metadata.name);
  return hasLeft || retried.size > 0;
};

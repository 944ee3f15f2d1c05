/** How a Cluster pauses, holds back and releases its members. */
import type { Scope } from '../../../machinery/api/kind.ts';
import type { JsonValue, KubeObject } from '../../../machinery/api/object.ts';
import type { Withheld } from '../../../machinery/api/reconcile.ts';
import { givenPatch } from '../../common/filled.ts';
import { objectTarget } from './object-targets.ts';
import { type Target, targetMessage, targetOf } from './target.ts';

const reasons: Record<Exclude<Target, 'Build'>, string> = {
  Wait: 'WaitingForOperation',
  Hold: 'OnHold',
  Nothing: 'TornDown',
};

/** Whether the object waits for the cluster's first operation. */
export const awaitsOperation = (withheld: Withheld | undefined): boolean => withheld?.reason === reasons.Wait;

/** The target of one object; a target of the whole cluster that admits nothing comes first. */
const ofMember = (cluster: KubeObject, target: Target, member: KubeObject): Target => {
  if (target !== 'Build') return target;
  return objectTarget(cluster, member)?.target === 'Hold' ? 'Hold' : 'Build';
};

/** Why `member` must not follow its spec; undefined if the cluster's operation admits it. */
export const withheldBy = (
  cluster: KubeObject,
  member: KubeObject,
  config: Record<string, JsonValue>,
): Withheld | undefined => {
  if (config.workflows !== true) return undefined;
  const target = ofMember(cluster, targetOf(cluster, config), member);
  if (target === 'Build') return undefined;
  return { releases: target === 'Nothing', reason: reasons[target], message: targetMessage(cluster, target) };
};

/** Neither extended nor removed: another Cluster of the same name decides nothing about it. */
export const withoutCluster: Withheld = {
  releases: false,
  reason: reasons.Hold,
  message: 'The Cluster it belongs to is not there',
};

export const clusterScope: Scope = {
  pausedBecause: ({ spec }) =>
    (spec as { paused?: boolean } | undefined)?.paused === true ? 'Cluster spec.paused is set to true' : undefined,
  withheldFrom: (cluster, { object, uid }, config) => {
    if (config.workflows === true && uid !== undefined && cluster?.metadata.uid !== uid) return withoutCluster;
    return cluster && withheldBy(cluster, object, config);
  },
  givenPatch,
};

/**
 * Events on pending pods in the workload cluster, under cluster-autoscaler's reasons. One pod of
 * each owner tells about it; many owners come in turn. Pure.
 */
import { createHash } from 'node:crypto';
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { Action } from '../../../machinery/api/reconcile.ts';
import { callWorkload } from '../../ports/index.ts';
import type { Decision, PodGroup } from '../plan/decision.ts';
import { nameOf, whyNot } from './message.ts';
import type { Observed } from './observe.ts';

/** Events of one decision. */
const mostAtOnce = 20;
/** Owners whose last Event is remembered. */
const mostRemembered = 1000;

interface PodEvent {
  group: PodGroup;
  type: 'Normal';
  reason: 'TriggeredScaleUp' | 'NotTriggerScaleUp';
  message: string;
}

const eventOf = (group: PodGroup): PodEvent | undefined => {
  const chosen = Object.entries(group.onNew).map(([pool, count]) => `${nameOf(pool)} (${count} pods)`);
  if (chosen.length > 0) {
    const message = `Scales up for pods of its owner: ${chosen.join(', ')}`;
    return { group, type: 'Normal', reason: 'TriggeredScaleUp', message };
  }
  if (group.left === 0) return undefined;
  const message = `No pool is scaled up: ${whyNot(group.reasons)}`;
  return { group, type: 'Normal', reason: 'NotTriggerScaleUp', message };
};

const hashOf = ({ group: { namespace, pod }, reason, message }: PodEvent): string =>
  createHash('sha256')
    .update(JSON.stringify([namespace, pod, reason, message]))
    .digest('hex')
    .slice(0, 16);

/** Equal events have equal names, so that a repeated decision creates none twice. */
const creation = (event: PodEvent, { kubeconfig, uids }: NonNullable<Observed['workload']>, now: number): Action => {
  const { type, reason, message } = event;
  const { namespace, pod: name } = event.group;
  const uid = uids[`${namespace}/${name}`];
  const time = timestamp(now);
  const object = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace, name: `${name.slice(0, 236)}.${hashOf(event)}` },
    // kubectl describe looks for Events by the UID of their object.
    involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace, name, ...(uid !== undefined && { uid }) },
    type,
    reason,
    message,
    count: 1,
    firstTimestamp: time,
    lastTimestamp: time,
    source: { component: 'capstan-autoscaler' },
    reportingComponent: 'capstan-autoscaler',
    reportingInstance: '',
  };
  return { ...callWorkload('create', { kubeconfig, object }), optional: true, group: `event ${namespace}/${name}` };
};

/** An owner whose pods differ, by their claims for example, tells of the first of them. */
const oneForEachOwner = (events: readonly PodEvent[]): PodEvent[] => {
  const byOwner = new Map<string, PodEvent>();
  for (const event of events) {
    const { namespace, owner } = event.group;
    const key = `${namespace} ${owner} ${event.reason}`;
    if (!byOwner.has(key)) byOwner.set(key, event);
  }
  return [...byOwner.values()];
};

/** The Events of a decision, and what is remembered of them: hashes, of pods that still wait. */
export const podEvents = (
  { plan, workload }: Observed,
  { pods }: Decision,
  now: number,
): { actions: Action[]; told: string[] } => {
  const known = new Set(plan.status?.told);
  const current = oneForEachOwner(pods.flatMap((group) => eventOf(group) ?? []));
  const fresh = current.filter((event) => !known.has(hashOf(event))).slice(0, mostAtOnce);
  const kept = current.map(hashOf).filter((hash) => known.has(hash));
  return {
    actions: fresh.map((event) => creation(event, workload!, now)),
    told: [...fresh.map(hashOf), ...kept].slice(0, mostRemembered),
  };
};

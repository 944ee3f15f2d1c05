import { isTrue } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  type Action,
  type Context,
  type EventDraft,
  found,
  type MergePatch,
  type Plan,
  type Read,
} from '../../../machinery/api/reconcile.ts';
import { filledAnnotation, filledNote } from '../../common/filled.ts';
import { labels } from '../../common/labels.ts';
import { controllerReference, hasReference, ownerReference, patchAsObserved, withOwner } from '../../common/owners.ts';
import { endpointOf } from '../contract/cluster.ts';
import { debounceFor, untilCounted } from '../contract/machines.ts';
import { operationAnnotations, wasAvailable } from '../contract/target.ts';
import { decideDeletion } from './delete.ts';
import type { Observed } from './observe.ts';
import { availableNews, deletingUnder, operationNews, untilUnresolved } from './operation.ts';
import type { Cluster, ClusterStatus } from './schema.ts';
import { connectionGrace, type Latches, latchesOf, statusFor } from './status.ts';
import { isTornDown } from './teardown.ts';

/**
 * Sets the owner reference and label of a part. The Cluster is also the controller of parts of a
 * topology.
 */
const adopt = (cluster: Cluster, part: KubeObject): Action[] => {
  const { name } = cluster.metadata;
  const reference = cluster.spec?.topology === undefined ? ownerReference(cluster) : controllerReference(cluster);
  if (hasReference(part, reference) && part.metadata.labels?.[labels.cluster] === name) return [];
  const ownerReferences = withOwner(part, reference);
  return [patchAsObserved(part, { metadata: { labels: { [labels.cluster]: name }, ownerReferences } })];
};

const usable = (part: Read<KubeObject> | undefined): KubeObject | undefined => {
  const object = part && found(part);
  return object?.metadata.deletionTimestamp ? undefined : object;
};

const news = (observed: Observed, latches: Latches, status: ClusterStatus): EventDraft[] => {
  const { cluster } = observed;
  const { name } = cluster.metadata;
  const before = cluster.status;
  const normal = (reason: string, message: string): EventDraft => ({
    type: 'Normal',
    reason,
    message,
    isOfStatus: true,
  });
  const events: EventDraft[] = [];
  if (before?.phase !== status.phase) {
    events.push(normal(`${status.phase}`, `Cluster ${name} is ${status.phase}`));
  }
  if (
    cluster.spec?.infrastructureRef &&
    latches.infrastructureProvisioned &&
    !before?.initialization?.infrastructureProvisioned
  ) {
    events.push(normal('InfrastructureReady', `Cluster ${name} InfrastructureReady is now True`));
  }
  if (latches.controlPlaneInitialized && !before?.initialization?.controlPlaneInitialized) {
    events.push(normal('ControlPlaneInitialized', `Cluster ${name} ControlPlaneInitialized is now True`));
  }
  return [...events, ...operationNews(observed, before?.conditions, status.conditions ?? [])];
};

/** Seconds between counts: other controllers act on what a Cluster counts. */
const counting = 5;
const debounceWith = ({ machines }: Observed) => ({
  debounce: Math.max(counting, debounceFor(found(machines)?.length ?? 0).debounce ?? 0),
});

const reconcileDelete = (observed: Observed, { now }: Context): Plan<ClusterStatus> => {
  const { actions, deleting, finished, requeueAfter } = decideDeletion(observed);
  const { debounce } = debounceWith(observed);
  const latches = latchesOf(observed);
  const status = statusFor(observed, latches, now, deletingUnder(observed, deleting));
  const events = news(observed, latches, status);
  if (finished)
    events.push({
      type: 'Normal',
      reason: 'Deleted',
      message: `Cluster ${observed.cluster.metadata.name} has been deleted`,
    });
  const requeue = requeueAfter !== undefined && { requeueAfter: Math.max(requeueAfter, debounce) };
  return { actions, status, events, finished, debounce, ...requeue };
};

/** Re-evaluates a lost connection when its grace period ends. */
const connectionTimer = ({ snapshot }: Observed, now: number): number | undefined => {
  const since = snapshot?.unreachableSince;
  if (since === undefined || (snapshot?.failures ?? 0) === 0) return undefined;
  const left = (Date.parse(since) + connectionGrace + 1000 - now) / 1000;
  return left > 0 ? left : undefined;
};

/**
 * A Machine without a MachineDeployment or control plane has no owner that sets UpToDate, and no
 * event announces when the condition counts as unknown, so a timer does.
 */
const countTimer = ({ machines }: Observed, now: number): number | undefined => {
  const isOwned = ({ metadata }: KubeObject) =>
    [labels.deployment, labels.controlPlaneName].some((label) => label in (metadata.labels ?? {}));
  return untilCounted(
    (found(machines) ?? []).filter((machine) => !isOwned(machine)),
    now,
  );
};

/** Copies the endpoint from a part, once, and notes that a controller filled it. */
const fillEndpoint = (cluster: Cluster, parts: KubeObject[]): MergePatch | undefined => {
  const endpoint = endpointOf(cluster) ? undefined : parts.map(endpointOf).find((found) => found !== undefined);
  if (!endpoint) return undefined;
  const spec = { controlPlaneEndpoint: { ...endpoint } };
  const note = filledNote(cluster, { ...cluster.spec, ...spec });
  return { spec, metadata: { annotations: { [filledAnnotation]: note } } };
};

/**
 * Persists wasAvailable before the status: a client that reads Available=True must be able to rely
 * on the cluster not being torn down.
 */
const intentOf = (observed: Observed, parts: KubeObject[], becomesAvailable: boolean): MergePatch | undefined => {
  const { cluster, withheld } = observed;
  if (withheld?.releases) return undefined;
  const filled = fillEndpoint(cluster, parts);
  if (!becomesAvailable) return filled;
  const annotations = { ...filled?.metadata?.annotations, [operationAnnotations.wasAvailable]: 'true' };
  return { ...filled, metadata: { annotations } };
};

export const reconcile = (observed: Observed, context: Context): Plan<ClusterStatus> => {
  const { cluster } = observed;
  if (cluster.metadata.deletionTimestamp) return reconcileDelete(observed, context);
  const parts = [usable(observed.infrastructure), usable(observed.controlPlane)].filter((part) => part !== undefined);
  const latches = latchesOf(observed);
  const status = statusFor(observed, latches, context.now);
  const becomesAvailable = !wasAvailable(cluster) && isTrue(status.conditions, 'Available');
  const intent = intentOf(observed, parts, becomesAvailable);
  const timers = [
    connectionTimer(observed, context.now),
    countTimer(observed, context.now),
    untilUnresolved(cluster, observed, context.now),
  ];
  const due = timers.filter((seconds) => seconds !== undefined);
  return {
    ...(intent && { intent }),
    actions: parts.flatMap((part) => adopt(cluster, part)),
    status,
    events: [...news(observed, latches, status), ...(becomesAvailable ? availableNews(cluster, observed) : [])],
    ...debounceWith(observed),
    ...(due.length > 0 && { requeueAfter: Math.min(...due) }),
  };
};

export const release = (observed: Observed, context: Context): Plan<ClusterStatus> => ({
  ...reconcile(observed, context),
  ...(isTornDown(observed) && { released: { notes: [] } }),
});

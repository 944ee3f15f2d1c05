import type { JsonObject, JsonValue, KubeObject } from '../../machinery/api/object.ts';
import {
  type Action,
  type Context,
  type EventDraft,
  found,
  type Plan,
  type Read,
} from '../../machinery/api/reconcile.ts';
import { endpointOf } from './contract.ts';
import { decideDeletion } from './delete.ts';
import type { ClusterObject, Observed } from './observe.ts';
import { connectionGrace, type Latches, latchesOf, statusFor } from './status.ts';

const clusterNameLabel = 'cluster.x-k8s.io/cluster-name';

/** Owner reference and label of a part; a topology's parts are also controlled by the Cluster. */
const adopt = (cluster: ClusterObject, part: KubeObject): Action[] => {
  const { name, uid = '' } = cluster.metadata;
  const { ownerReferences = [], labels, namespace = '', resourceVersion } = part.metadata;
  const controller = cluster.spec?.topology !== undefined;
  const current = ownerReferences.find((owner) => owner.uid === uid);
  if (current && Boolean(current.controller) === controller && labels?.[clusterNameLabel] === name) return [];
  const reference = {
    apiVersion: cluster.apiVersion,
    kind: 'Cluster',
    name,
    uid,
    ...(controller && { controller, blockOwnerDeletion: true }),
  };
  const others = ownerReferences.filter((owner) => owner.uid !== uid);
  return [
    {
      do: 'patch',
      kind: part.kind,
      namespace,
      name: part.metadata.name,
      uid: part.metadata.uid ?? '',
      // Owner references are replaced as a whole, so only as they were observed.
      ...(resourceVersion && { resourceVersion }),
      patch: {
        metadata: {
          labels: { [clusterNameLabel]: name },
          ownerReferences: [...others, reference] as unknown as JsonValue,
        },
      },
    },
  ];
};

const usable = (part: Read<KubeObject> | undefined): KubeObject | undefined => {
  const object = part && found(part);
  return object?.metadata.deletionTimestamp ? undefined : object;
};

const news = (cluster: ClusterObject, latches: Latches, status: JsonObject): EventDraft[] => {
  const { name } = cluster.metadata;
  const before = cluster.status;
  const normal = (reason: string, message: string): EventDraft => ({ type: 'Normal', reason, message });
  const events: EventDraft[] = [];
  if (before?.phase !== status.phase) {
    events.push(normal(String(status.phase), `Cluster ${name} is ${String(status.phase)}`));
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
  return events;
};

const reconcileDelete = (observed: Observed, { now }: Context): Plan => {
  const { actions, deleting, finished, requeueAfter } = decideDeletion(observed);
  const latches = latchesOf(observed);
  const status = statusFor(observed, latches, now, deleting);
  const events = news(observed.cluster, latches, status);
  if (finished)
    events.push({
      type: 'Normal',
      reason: 'Deleted',
      message: `Cluster ${observed.cluster.metadata.name} has been deleted`,
    });
  return { actions, status, events, finished, ...(requeueAfter !== undefined && { requeueAfter }) };
};

/** A connection that just failed is judged again when its grace is over. */
const connectionTimer = ({ snapshot }: Observed, now: number): number | undefined => {
  const since = snapshot?.unreachableSince;
  if (since === undefined || (snapshot?.failures ?? 0) === 0) return undefined;
  const left = (Date.parse(since) + connectionGrace + 1000 - now) / 1000;
  return left > 0 ? left : undefined;
};

export const reconcile = (observed: Observed, context: Context): Plan => {
  const { cluster } = observed;
  if (cluster.metadata.deletionTimestamp) return reconcileDelete(observed, context);
  const parts = [usable(observed.infrastructure), usable(observed.controlPlane)].filter((part) => part !== undefined);
  const endpoint = endpointOf(cluster) ? undefined : parts.map(endpointOf).find((found) => found !== undefined);
  const latches = latchesOf(observed);
  const status = statusFor(observed, latches, context.now);
  const requeueAfter = connectionTimer(observed, context.now);
  return {
    ...(endpoint && { intent: { spec: { controlPlaneEndpoint: { ...endpoint } } } }),
    actions: parts.flatMap((part) => adopt(cluster, part)),
    status,
    events: news(cluster, latches, status),
    ...(requeueAfter !== undefined && { requeueAfter }),
  };
};

import type { JsonObject, KubeObject, OwnerReference } from '../api/object.ts';
import type { Attribute, Item } from '../ports.ts';
import { isSeal, typeOfLogPartition } from './items.ts';
import { same } from './same.ts';
import type { Change, LogEntry } from './store.ts';

const clusterLabel = 'cluster.x-k8s.io/cluster-name';

export const clusterOf = (object: KubeObject | undefined): string | undefined =>
  object?.metadata.labels?.[clusterLabel] || undefined;
export const ownersOf = (object: KubeObject | undefined): OwnerReference[] => object?.metadata.ownerReferences ?? [];

const specOf = ({ apiVersion: _, kind: __, metadata: ___, status: ____, ...rest }: KubeObject) => rest;
const plainMetadataOf = ({ metadata }: KubeObject) => {
  const { labels: _, resourceVersion: __, managedFields: ___, generation: ____, deletionTimestamp, ...rest } = metadata;
  return { ...rest, deletionGracePeriodSeconds: deletionTimestamp ? undefined : rest.deletionGracePeriodSeconds };
};
/** As Cluster API's contracts have it: `initialization` of every kind, and a Machine's node. */
const latchedOf = ({ status }: KubeObject) => {
  const { initialization = {}, nodeRef = {} } = (status ?? {}) as { initialization?: unknown; nodeRef?: unknown };
  return { initialization, nodeRef };
};
const nothing: KubeObject = { apiVersion: '', kind: '', metadata: { name: '' } };

/** Which parts differ; everything an object has is new when it is. */
export const changedParts = (before: KubeObject | undefined, after: KubeObject): LogEntry['changed'] => {
  const old = before ?? nothing;
  const parts: Record<LogEntry['changed'][number], boolean> = {
    metadata: !same(plainMetadataOf(old), plainMetadataOf(after)),
    labels: !same(old.metadata.labels ?? {}, after.metadata.labels ?? {}),
    spec: !same(specOf(old), specOf(after)),
    status: !same(old.status ?? {}, after.status ?? {}),
    latched: !same(latchedOf(old), latchedOf(after)),
    deleting: old.metadata.deletionTimestamp !== after.metadata.deletionTimestamp,
  };
  return (Object.keys(parts) as LogEntry['changed']).filter((part) => parts[part]);
};

/** What happened, as plain attributes of the log item. */
export const routingAttributes = (
  event: Change['type'],
  before: KubeObject | undefined,
  after: KubeObject,
  { writer, settled }: { writer: string | undefined; settled: boolean },
): { [attribute: string]: Attribute | undefined } => {
  const owners = (object: KubeObject | undefined) =>
    ownersOf(object).map(({ apiVersion, kind, name, uid, controller }) => ({
      apiVersion,
      kind,
      name,
      uid,
      ...(controller && { controller }),
    }));
  return {
    event,
    namespace: after.metadata.namespace ?? '',
    name: after.metadata.name,
    uid: after.metadata.uid,
    labels: { ...after.metadata.labels },
    ...(before && { labelsBefore: { ...before.metadata.labels } }),
    cluster: clusterOf(after),
    clusterBefore: clusterOf(before),
    owners: owners(after),
    ownersBefore: owners(before),
    changed: changedParts(before, after),
    writer,
    ...(settled && { settled }),
  };
};

/** Reads the routing attributes off a log item, as a consumer of the table's stream does; undefined for anything else. */
export const logEntryOf = (item: Item): LogEntry | undefined => {
  const type = typeOfLogPartition(item.pk);
  if (type === undefined || isSeal(item)) return undefined;
  const { event, namespace, name, uid, cluster, clusterBefore, owners, ownersBefore, changed, writer, settled } =
    item as unknown as LogEntry;
  return {
    type,
    position: item.sk as number,
    event,
    namespace,
    name,
    uid,
    ...(cluster !== undefined && { cluster }),
    ...(clusterBefore !== undefined && { clusterBefore }),
    owners,
    ownersBefore,
    changed,
    ...(writer !== undefined && { writer }),
    ...(settled && { settled }),
  };
};

/** The facts an aggregate over the cluster needs; empty when the kind names none. */
export const digestOf = (
  kind: { digest?: (object: KubeObject) => JsonObject } | undefined,
  object: KubeObject,
): JsonObject => kind?.digest?.(object) ?? {};

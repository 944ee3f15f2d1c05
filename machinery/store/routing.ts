import { tooLarge } from '../api/errors.ts';
import { frozenCopy } from '../api/frozen.ts';
import type { KindFacts } from '../api/kind.ts';
import type { JsonObject, KubeObject, OwnerReference } from '../api/object.ts';
import type { Attribute, Item } from '../ports.ts';
import { isSeal, typeOfLogPartition } from './items.ts';
import { levelOf } from './level.ts';
import type { Change, LogEntry } from './store.ts';

const clusterLabel = 'cluster.x-k8s.io/cluster-name';

export const clusterOf = (object: KubeObject | undefined): string | undefined =>
  object?.metadata.labels?.[clusterLabel] || undefined;
export const ownersOf = (object: KubeObject | undefined): OwnerReference[] => object?.metadata.ownerReferences ?? [];

type Owner = LogEntry['owners'][number];
const known = new WeakMap<OwnerReference[], readonly Owner[]>();
/** Shared by all states with the same owners, so that their holders can share it, too. */
const factsOf = (owners: OwnerReference[]): Owner[] => {
  const facts =
    known.get(owners) ??
    frozenCopy(
      owners.map(({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }) => ({
        apiVersion,
        kind,
        name,
        uid,
        ...(controller && { controller }),
        ...(blockOwnerDeletion && { blockOwnerDeletion }),
      })),
    );
  if (Object.isFrozen(owners)) known.set(owners, facts);
  return facts as Owner[];
};

/** The change as plain attributes of the log item. */
export const routingAttributes = (
  event: Change['type'],
  before: KubeObject | undefined,
  after: KubeObject,
  { kind, writer, settled }: { kind: KindFacts | undefined; writer: string | undefined; settled: boolean },
): { [attribute: string]: Attribute | undefined } => {
  return {
    event,
    namespace: after.metadata.namespace ?? '',
    name: after.metadata.name,
    uid: after.metadata.uid,
    labels: after.metadata.labels ?? {},
    ...(before && { labelsBefore: before.metadata.labels ?? {} }),
    cluster: clusterOf(after),
    clusterBefore: clusterOf(before),
    owners: factsOf(ownersOf(after)),
    ownersBefore: factsOf(ownersOf(before)),
    ...(event === 'MODIFIED' &&
      before && {
        level: levelOf(before, after, kind ?? {}, writer === undefined),
        about: kind?.about?.(before, after),
      }),
    ...(kind?.servedBy && { servedBy: kind.servedBy(after).map((server) => ({ ...server })) }),
    writer,
    ...(settled && { settled }),
  };
};

/** Bytes of labels and owners: the item of their change holds the old ones, too. */
const largest = 150_000;
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Bytes of the routing attributes. Throws 413 for more than a later change could store. */
export const sizeOfRouting = ({ event, labels, owners, ...others }: ReturnType<typeof routingAttributes>): number => {
  const size = bytesOf([labels, owners]);
  if (size > largest && event !== 'DELETED')
    throw tooLarge(`the labels and owners of an object take ${size} bytes, at most ${largest} are kept`);
  return size + bytesOf(others);
};

/**
 * Reads the routing attributes of a log item, as a consumer of the table's stream does; undefined
 * for other items.
 */
export const logEntryOf = (item: Item): LogEntry | undefined => {
  const type = typeOfLogPartition(item.pk);
  if (type === undefined || isSeal(item)) return undefined;
  const entry = item as unknown as LogEntry;
  const { event, namespace, name, uid, cluster, clusterBefore, owners, ownersBefore } = entry;
  const { level, about, servedBy, writer, settled } = entry;
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
    ...(level !== undefined && { level }),
    ...(about !== undefined && { about }),
    ...(servedBy !== undefined && { servedBy }),
    ...(writer !== undefined && { writer }),
    ...(settled && { settled }),
  };
};

/** The facts that an aggregate over the cluster needs; empty for a kind without a digest. */
export const digestOf = (
  kind: { digest?: (object: KubeObject) => JsonObject } | undefined,
  object: KubeObject,
): JsonObject => kind?.digest?.(object) ?? {};

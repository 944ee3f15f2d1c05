/** Which parts of an object a change touches. */
import { fieldsOf, sameFacts } from '../api/facts.ts';
import type { KindFacts } from '../api/kind.ts';
import { equal, equalBut } from '../api/merge.ts';
import type { KubeObject } from '../api/object.ts';
import type { LogEntry } from './store.ts';

const besideSpec = new Set(['apiVersion', 'kind', 'metadata', 'status']);
/** Metadata that is compared separately, or irrelevant to all controllers. */
const besideMetadata = new Set([
  'labels',
  'resourceVersion',
  'managedFields',
  'generation',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
]);
const graceOf = ({ metadata: { deletionTimestamp, deletionGracePeriodSeconds } }: KubeObject) =>
  deletionTimestamp ? undefined : deletionGracePeriodSeconds;

/** `initialization` of every kind, as in Cluster API's contracts, and the gates of this one. */
const latchedOf = ({ status }: KubeObject, gates: readonly string[]) =>
  ['initialization', ...gates].map((name) => fieldsOf(status)[name] ?? {});

const counted: readonly string[] = ['replicas', 'readyReplicas', 'availableReplicas', 'upToDateReplicas', 'phase'];
const summed: readonly unknown[] = ['Ready', 'Available'];

/** The counted facts of an object or of a set. */
const verdictOf = ({ status }: KubeObject) => {
  const fields = fieldsOf(status);
  const { conditions } = fields;
  const all = Array.isArray(conditions) ? conditions.map(fieldsOf) : [];
  return [
    ...counted.map((name) => fields[name]),
    ...all.filter(({ type }) => summed.includes(type)).map((condition) => condition.status),
  ];
};

/** The part of the verdict that a rollout waits for. */
const availableOf = ({ status }: KubeObject) => {
  const { replicas, availableReplicas, conditions } = fieldsOf(status);
  const all = Array.isArray(conditions) ? conditions.map(fieldsOf) : [];
  return [
    replicas ?? 0,
    availableReplicas ?? 0,
    all.some(({ type, status: is }) => type === 'Available' && is === 'True'),
  ];
};

const nothing: KubeObject = { apiVersion: '', kind: '', metadata: { name: '' } };

/** Only a deletion with another propagation policy adds a finalizer to an object in deletion. */
const isDeletedOtherwise = ({ metadata: old }: KubeObject, { metadata }: KubeObject): boolean =>
  metadata.deletionTimestamp !== undefined &&
  (metadata.finalizers ?? []).some((finalizer) => !old.finalizers?.includes(finalizer));

/** For a new object, every part that it has. */
export const changedParts = (
  before: KubeObject | undefined,
  after: KubeObject,
  kind?: Pick<KindFacts, 'direction' | 'gates'>,
): LogEntry['changed'] => {
  const old = before ?? nothing;
  const { gates = [] } = kind ?? {};
  const status = !equal(old.status ?? {}, after.status ?? {});
  const metadata = !equalBut(old.metadata, after.metadata, besideMetadata) || graceOf(old) !== graceOf(after);
  const spec = !equalBut(old, after, besideSpec);
  const parts: Record<LogEntry['changed'][number], boolean> = {
    metadata,
    direction: (metadata || spec) && !equal(kind?.direction?.(old), kind?.direction?.(after)),
    labels: !equal(old.metadata.labels ?? {}, after.metadata.labels ?? {}),
    spec,
    status,
    facts: status && !sameFacts(old.status, after.status),
    verdict: status && !equal(verdictOf(old), verdictOf(after)),
    available: status && !equal(availableOf(old), availableOf(after)),
    latched: status && !equal(latchedOf(old, gates), latchedOf(after, gates)),
    deleting: old.metadata.deletionTimestamp !== after.metadata.deletionTimestamp || isDeletedOtherwise(old, after),
  };
  return (Object.keys(parts) as LogEntry['changed']).filter((part) => parts[part]);
};

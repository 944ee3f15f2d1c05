/** Which parts of an object a change touches. */
import { factsOf, fieldsOf } from '../api/facts.ts';
import type { KindFacts } from '../api/kind.ts';
import type { KubeObject } from '../api/object.ts';
import { same } from './same.ts';
import type { LogEntry } from './store.ts';

const specOf = ({ apiVersion: _, kind: __, metadata: ___, status: ____, ...rest }: KubeObject) => rest;
const plainMetadataOf = ({ metadata }: KubeObject) => {
  const { labels: _, resourceVersion: __, managedFields: ___, generation: ____, deletionTimestamp, ...rest } = metadata;
  return { ...rest, deletionGracePeriodSeconds: deletionTimestamp ? undefined : rest.deletionGracePeriodSeconds };
};

/** As Cluster API's contracts have it: `initialization` of every kind, and a Machine's node. */
const latchedOf = ({ status }: KubeObject) => {
  const { initialization = {}, nodeRef = {} } = fieldsOf(status);
  return { initialization, nodeRef };
};

const counted: readonly string[] = ['replicas', 'readyReplicas', 'availableReplicas', 'upToDateReplicas', 'phase'];
const summed: readonly unknown[] = ['Ready', 'Available'];

/** What is counted of an object, and of a list of them. */
const verdictOf = ({ status }: KubeObject) => {
  const fields = fieldsOf(status);
  const { conditions } = fields;
  const all = Array.isArray(conditions) ? conditions.map(fieldsOf) : [];
  return [
    ...counted.map((name) => fields[name]),
    ...all.filter(({ type }) => summed.includes(type)).map((condition) => condition.status),
  ];
};

const nothing: KubeObject = { apiVersion: '', kind: '', metadata: { name: '' } };

/** Nothing but another way of deletion adds a finalizer to what is being deleted. */
const isDeletedOtherwise = ({ metadata: old }: KubeObject, { metadata }: KubeObject): boolean =>
  metadata.deletionTimestamp !== undefined &&
  (metadata.finalizers ?? []).some((finalizer) => !old.finalizers?.includes(finalizer));

/** Everything an object has is new when it is. */
export const changedParts = (
  before: KubeObject | undefined,
  after: KubeObject,
  kind?: Pick<KindFacts, 'direction'>,
): LogEntry['changed'] => {
  const old = before ?? nothing;
  const status = !same(old.status ?? {}, after.status ?? {});
  const metadata = !same(plainMetadataOf(old), plainMetadataOf(after));
  const parts: Record<LogEntry['changed'][number], boolean> = {
    metadata,
    direction: metadata && !same(kind?.direction?.(old), kind?.direction?.(after)),
    labels: !same(old.metadata.labels ?? {}, after.metadata.labels ?? {}),
    spec: !same(specOf(old), specOf(after)),
    status,
    facts: status && !same(factsOf(old.status), factsOf(after.status)),
    verdict: status && !same(verdictOf(old), verdictOf(after)),
    latched: status && !same(latchedOf(old), latchedOf(after)),
    deleting: old.metadata.deletionTimestamp !== after.metadata.deletionTimestamp || isDeletedOtherwise(old, after),
  };
  return (Object.keys(parts) as LogEntry['changed']).filter((part) => parts[part]);
};

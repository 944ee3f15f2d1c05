/** Deletes Events an hour after they last happened. */
import { resourceOf } from '../api/kind.ts';
import { isConflict, isNotFound } from '../api/lifecycle.ts';
import type { KubeObject } from '../api/object.ts';
import type { Extra } from '../controller/dispatch.ts';
import type { Kinds } from '../controller/kinds.ts';
import type { Runner } from '../controller/runtime.ts';
import type { Run } from '../controller/work.ts';
import type { WorkKey } from '../controller/work-item.ts';
import type { ObjectWriter } from '../controller/writer.ts';
import type { Clock } from '../ports.ts';
import type { LogEntry, Store } from '../store/store.ts';

export const expiryName = 'event-expiry';
const type = 'events';
/** Milliseconds. */
const lifetime = 3_600_000;
/** Between two looks, and for each Event that there is: looking takes a small part of the time however many there are. */
const pause = 60_000;
const pauseEach = 10;

interface EventObject extends KubeObject {
  lastTimestamp?: string | null;
  eventTime?: string | null;
}
const expiryOf = ({ lastTimestamp, eventTime, metadata }: EventObject): number =>
  Date.parse(lastTimestamp || eventTime || metadata.creationTimestamp || '') + lifetime;

/** Seconds after which an Event that came is taken into account, with all that came meanwhile. */
const notice = 600;

/** One work item a namespace, without a name. */
const keyFor = (namespace: string): WorkKey => ({ controller: expiryName, type, namespace, name: '' });

export const expiryRequests: Extra = ({ type: of, event, namespace }: LogEntry) =>
  of === type && event === 'ADDED' ? [{ key: keyFor(namespace), urgent: false, after: notice }] : [];

export const createExpiry = (options: {
  store: Store;
  kinds: Kinds;
  writer: ObjectWriter;
  clock: Pick<Clock, 'now'>;
}): Runner => {
  const { store, kinds, writer, clock } = options;

  const remove = async ({ metadata: { namespace = '', name, uid } }: KubeObject) => {
    const preconditions = { uid: uid! };
    try {
      await writer.remove(kinds.ofType(type)!, { namespace, name }, { writer: expiryName, preconditions });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  };

  const run: Run = async ({ namespace }, { due }) => {
    const now = clock.now();
    // Whatever came since the last look ends later than what was there.
    if (due !== undefined && due > now) return { ended: 'finished', due };
    const { objects } = await store.list(type, { namespace });
    const isOver = (event: KubeObject) => !(expiryOf(event) > now);
    for (const event of objects.filter(isOver)) await remove(event);
    const left = objects.filter((event) => !isOver(event));
    if (left.length === 0) return { ended: 'gone' };
    const first = left.reduce((least, event) => Math.min(least, expiryOf(event)), Number.POSITIVE_INFINITY);
    return { ended: 'finished', due: Math.max(first, now + pause + left.length * pauseEach) };
  };

  return {
    run,
    types: () => (kinds.ofType(type) ? [resourceOf(kinds.ofType(type)!)] : []),
    resync: async () => {
      const { objects } = await store.list(type);
      const namespaces = new Set(objects.map(({ metadata }) => metadata.namespace ?? ''));
      return [...namespaces].map((namespace) => ({ key: keyFor(namespace), urgent: false }));
    },
  };
};

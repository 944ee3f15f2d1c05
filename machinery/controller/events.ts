import { createHash } from 'node:crypto';
import { timestamp } from '../api/lifecycle.ts';
import type { KubeObject } from '../api/object.ts';
import type { EventDraft } from '../api/reconcile.ts';
import type { Store } from '../store/store.ts';

interface EventObject extends KubeObject {
  count?: number;
  firstTimestamp?: string;
  lastTimestamp?: string;
}

export interface Recorder {
  /**
   * Records one Event for equal drafts about an object. Repetitions raise its count, ever more
   * rarely.
   */
  record(about: KubeObject, draft: EventDraft): Promise<void>;
}

const type = 'events';

/**
 * Milliseconds in which an equal Event is not counted again, because each pass repeats a lasting
 * one. Kubernetes' own recorders allow each source 25 Events about an object, then one in five
 * minutes.
 */
const pauseAfter = (count: number): number => (count < 25 ? 60_000 : 300_000);

/** Equal for equal events, and short enough to follow any object's name. */
const nameOf = ({ metadata }: KubeObject, { type: kind, reason, message }: EventDraft, component: string): string => {
  const identity = JSON.stringify([metadata.uid, component, kind, reason, message]);
  return `${metadata.name.slice(0, 236)}.${createHash('sha256').update(identity).digest('hex').slice(0, 16)}`;
};

export const createRecorder = (options: {
  store: Pick<Store, 'get' | 'commit'>;
  hasNamespaces: boolean;
  now: () => number;
  uid: () => string;
  component: string;
}): Recorder => {
  const { store, component, hasNamespaces } = options;
  /** The API refuses to create objects in a namespace in deletion. */
  const isRefused = async (name: string): Promise<boolean> => {
    if (!hasNamespaces) return false;
    const namespace = await store.get('namespaces', { namespace: '', name });
    return namespace?.metadata.deletionTimestamp !== undefined || namespace === undefined;
  };
  return {
    record: async (about, draft) => {
      const { name: involved, namespace, uid, resourceVersion } = about.metadata;
      const key = { namespace: namespace || 'default', name: nameOf(about, draft, component) };
      if (await isRefused(key.namespace)) return;
      const now = options.now();
      const at = timestamp(now);
      const fresh = (): EventObject => ({
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { ...key, uid: options.uid(), creationTimestamp: at },
        involvedObject: {
          apiVersion: about.apiVersion,
          kind: about.kind,
          name: involved,
          ...(namespace && { namespace }),
          uid,
          resourceVersion,
        },
        reason: draft.reason,
        message: draft.message,
        type: draft.type,
        count: 1,
        firstTimestamp: at,
        lastTimestamp: at,
        eventTime: null,
        source: { component },
        reportingComponent: component,
        reportingInstance: '',
      });
      await store.commit(
        type,
        key,
        (current) => {
          const before = current as EventObject | undefined;
          if (!before) return { do: 'put', object: fresh() };
          const { count = 1, lastTimestamp = '' } = before;
          if (now - Date.parse(lastTimestamp) < pauseAfter(count)) return { do: 'nothing', object: before };
          return { do: 'put', object: { ...before, count: count + 1, lastTimestamp: at } };
        },
        { writer: component, retry: true },
      );
    },
  };
};

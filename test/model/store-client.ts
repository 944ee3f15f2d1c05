import { ApiError, alreadyExists, notFound } from '../../machinery/api/errors.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { type Clock, sleep } from '../../machinery/ports.ts';
import type { Store } from '../../machinery/store/index.ts';
import { times } from '../../machinery/store/rules.ts';
import { type History, type Mark, type } from './store-history.ts';

/** The requests of a process; each call is one request of a client. */
export interface Client {
  create(name: string): Promise<void>;
  /** Retried on newer states, as a patch without a resourceVersion. */
  patch(name: string): Promise<void>;
  /** Refused when it loses a race. */
  update(name: string): Promise<void>;
  /** Reads, and replaces that state without another read, as a pass does. Refused when it loses a race. */
  replace(name: string): Promise<void>;
  remove(name: string): Promise<void>;
  list(): Promise<void>;
  /** A list with one object per page. */
  pages(): Promise<void>;
  /** Watches until the end of the history; `behind` counts from the position at which the history began. */
  watch(behind: number): Promise<void>;
  pause(ms: number): Promise<void>;
}

const resource = { group: '', plural: type };
const at = (name: string) => ({ namespace: 'default', name });
const isRefusal = (error: unknown, ...codes: number[]): boolean =>
  error instanceof ApiError && (codes.length === 0 || codes.includes(error.code));

/** Sends requests to a store and records their results in the history. */
export const clientOf = (process: string, store: Store, history: History, clock: Clock): Client => {
  let requests = 0;
  const request = async (send: (by: string) => Promise<KubeObject>): Promise<void> => {
    const by = `${process}${++requests}`;
    try {
      const { metadata, spec } = await send(by);
      const isMine = (spec as Mark).by === by;
      history.answered({ by, position: isMine ? Number(metadata.resourceVersion) : undefined });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (isRefusal(error, 504)) return;
      history.answered({ by, position: undefined });
    }
  };
  const marked = (current: KubeObject | undefined, name: string, by: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Widget',
    metadata: { namespace: 'default', uid: `uid-${by}`, ...current?.metadata, name },
    spec: { by, on: Number(current?.metadata.resourceVersion ?? 0) },
  });
  const change = (name: string, by: string, retry: boolean) =>
    store.commit(
      type,
      at(name),
      (current) => {
        if (!current) throw notFound(resource, name);
        return { do: 'put', object: marked(current, name, by) };
      },
      { retry },
    );
  return {
    create: (name) =>
      request((by) =>
        store.commit(type, at(name), (current) => {
          if (current) throw alreadyExists(resource, name);
          return { do: 'put', object: marked(undefined, name, by) };
        }),
      ),
    patch: (name) => request((by) => change(name, by, true)),
    update: (name) => request((by) => change(name, by, false)),
    replace: (name) =>
      request(async (by) => {
        const from = await store.get(type, at(name));
        if (!from) throw notFound(resource, name);
        return store.commit(type, at(name), (current) => ({ do: 'put', object: marked(current, name, by) }), { from });
      }),
    remove: (name) =>
      request((by) =>
        store.commit(type, at(name), (current) => {
          if (!current) throw notFound(resource, name);
          return { do: 'remove', object: marked(current, name, by) };
        }),
      ),
    list: async () => {
      try {
        const { objects, position } = await store.list(type);
        history.listed(process, position, objects);
      } catch (error) {
        if (!isRefusal(error, 503)) throw error;
      }
    },
    pages: async () => {
      const began = clock.now();
      const objects: KubeObject[] = [];
      try {
        let page = await store.list(type, { limit: 1 });
        objects.push(...page.objects);
        while (page.continue) {
          page = await store.list(type, { limit: 1, continue: page.continue });
          objects.push(...page.objects);
        }
        history.listed(process, page.position, objects);
      } catch (error) {
        const isExpired = clock.now() - began > times.pages;
        if (!isRefusal(error, 503, ...(isExpired ? [410] : []))) throw error;
      }
    },
    pause: (ms) => sleep(clock, ms),
    watch: async (behind) => {
      const from = history.origin() + behind;
      const { deliver, refused } = history.watching(process, from);
      try {
        for await (const item of store.watch(type, from, new AbortController().signal)) deliver(item);
      } catch (error) {
        if (!isRefusal(error, 410, 503)) throw error;
        refused();
      }
    },
  };
};

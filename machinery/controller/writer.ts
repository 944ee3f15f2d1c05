import { notFound } from '../api/errors.ts';
import { type KindDefinition, resourceOf } from '../api/kind.ts';
import {
  type DeleteOptions,
  prepareCreate,
  prepareDelete,
  prepareStatusUpdate,
  prepareUpdate,
  prepareWhole,
  type Request,
  refusalOfNamespace,
} from '../api/lifecycle.ts';
import type { JsonObject, KubeObject, ObjectKey } from '../api/object.ts';
import type { Clock, Random } from '../ports.ts';
import type { Decision, Store } from '../store/store.ts';
import type { Kinds } from './kinds.ts';

/** Changes the stored object, or answers undefined to leave it as it is. */
export type Change = (current: KubeObject) => KubeObject | undefined;
/** `retry`: a lost race is tried again on the newest state instead of answering 409. */
export interface WriteOptions {
  writer: string;
  retry?: boolean;
  /** Whether the writer, seeing what is about to be written, would decide the same again. */
  isSettled?: (next: KubeObject) => boolean;
  /** As admission sees it, such as `finalize`. */
  subresource?: string;
}

/** Writes as the API would, with its admission. Objects are in the storage version; refusals are ApiErrors. */
export interface ObjectWriter {
  create(kind: KindDefinition, object: KubeObject, options: WriteOptions): Promise<KubeObject>;
  update(kind: KindDefinition, key: ObjectKey, change: Change, options: WriteOptions): Promise<KubeObject>;
  updateStatus(kind: KindDefinition, key: ObjectKey, change: Change, options: WriteOptions): Promise<KubeObject>;
  /** Both in one commit; `statusOf` sees the object as the rest of the change makes it. */
  updateWhole(
    kind: KindDefinition,
    key: ObjectKey,
    change: Change,
    statusOf: (next: KubeObject) => JsonObject | undefined,
    options: WriteOptions,
  ): Promise<KubeObject>;
  remove(kind: KindDefinition, key: ObjectKey, options: DeleteOptions & WriteOptions): Promise<KubeObject>;
}

export interface WriterOptions {
  store: Pick<Store, 'get' | 'commit'>;
  kinds: Kinds;
  clock: Pick<Clock, 'now'>;
  random: Random;
  /** What the API does to an object before the kind's own defaults: the defaults of its schema. */
  prepare?: (kind: KindDefinition, object: KubeObject) => KubeObject;
}

export const createWriter = ({ store, kinds, clock, random, prepare }: WriterOptions): ObjectWriter => {
  const requestBy = ({ writer, subresource }: WriteOptions): Request => ({
    ...(subresource && { subresource }),
    byController: true,
    now: clock.now(),
    uid: () => random.uuid(),
    user: { username: `system:capstan:${writer}`, groups: ['system:masters', 'system:authenticated'] },
  });
  const prepared = (kind: KindDefinition, object: KubeObject) => prepare?.(kind, object) ?? object;

  const checkNamespace = async (kind: KindDefinition, { metadata }: KubeObject) => {
    if (!kind.namespaced || !kinds.find('', 'Namespace')) return;
    const namespace = await store.get('namespaces', { namespace: '', name: metadata.namespace ?? '' });
    const refusal = refusalOfNamespace(kind, metadata, namespace);
    if (refusal) throw refusal;
  };

  const change = (
    prepareChange: typeof prepareUpdate,
    kind: KindDefinition,
    key: ObjectKey,
    make: Change,
    options: WriteOptions,
  ) =>
    store.commit(
      resourceOf(kind),
      key,
      (current): Decision => {
        if (!current) throw notFound(kind, key.name);
        const wanted = make(current);
        if (!wanted) return { do: 'nothing', object: current };
        const decision = prepareChange(kind, prepared(kind, wanted), current, requestBy(options));
        return decision.do === 'put' && options.isSettled?.(decision.object)
          ? { ...decision, settled: true }
          : decision;
      },
      options,
    );

  return {
    create: async (kind, object, options) => {
      const { namespace = '', name } = object.metadata;
      await checkNamespace(kind, object);
      return store.commit(
        resourceOf(kind),
        { namespace, name },
        (current) => prepareCreate(kind, prepared(kind, object), current, requestBy(options)),
        options,
      );
    },
    update: (...args) => change(prepareUpdate, ...args),
    updateStatus: (...args) => change(prepareStatusUpdate, ...args),
    updateWhole: (kind, key, make, statusOf, options) => {
      const statusFor = (next: KubeObject) => {
        const status = statusOf(next);
        return status && prepared(kind, { ...next, status }).status;
      };
      const prepareBoth: typeof prepareUpdate = (...args) => prepareWhole(...args, statusFor);
      return change(prepareBoth, kind, key, make, options);
    },
    remove: (kind, key, { writer, retry = true, ...options }) =>
      store.commit(
        resourceOf(kind),
        key,
        (current) => prepareDelete(kind, key.name, current, options, requestBy({ writer })),
        { writer, retry },
      ),
  };
};

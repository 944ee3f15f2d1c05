import { notFound } from '../api/errors.ts';
import { type KindDefinition, resourceOf } from '../api/kind.ts';
import {
  type DeleteOptions,
  prepareCreate,
  prepareDelete,
  prepareStatusUpdate,
  prepareUpdate,
  type Request,
  refusalOfNamespace,
} from '../api/lifecycle.ts';
import type { KubeObject, ObjectKey } from '../api/object.ts';
import type { Clock, Random } from '../ports.ts';
import type { Store } from '../store/store.ts';
import type { Kinds } from './kinds.ts';

/** Changes the stored object, or answers undefined to leave it as it is. */
export type Change = (current: KubeObject) => KubeObject | undefined;
/** `retry`: a lost race is tried again on the newest state instead of answering 409. */
export interface WriteOptions {
  writer: string;
  retry?: boolean;
  /** The writer would decide the same again. */
  settled?: boolean;
  /** As admission sees it, such as `finalize`. */
  subresource?: string;
}

/** Writes as the API would, with its admission. Objects are in the storage version; refusals are ApiErrors. */
export interface ObjectWriter {
  create(kind: KindDefinition, object: KubeObject, options: WriteOptions): Promise<KubeObject>;
  update(kind: KindDefinition, key: ObjectKey, change: Change, options: WriteOptions): Promise<KubeObject>;
  updateStatus(kind: KindDefinition, key: ObjectKey, change: Change, options: WriteOptions): Promise<KubeObject>;
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

  const change =
    (prepareChange: typeof prepareUpdate): ObjectWriter['update'] =>
    (kind, key, make, options) =>
      store.commit(
        resourceOf(kind),
        key,
        (current) => {
          if (!current) throw notFound(kind, key.name);
          const wanted = make(current);
          if (!wanted) return { do: 'nothing', object: current };
          return prepareChange(kind, prepared(kind, wanted), current, requestBy(options));
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
    update: change(prepareUpdate),
    updateStatus: change(prepareStatusUpdate),
    remove: (kind, key, { writer, retry = true, ...options }) =>
      store.commit(
        resourceOf(kind),
        key,
        (current) => prepareDelete(kind, key.name, current, options, requestBy({ writer })),
        { writer, retry },
      ),
  };
};

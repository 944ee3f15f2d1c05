import type { UsersAdmission } from '../admission/review.ts';
import { notFound } from '../api/errors.ts';
import { definitionOf, type Kind, type KindDefinition, type KindFacts, resourceOf } from '../api/kind.ts';
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
import { equal, equalBut } from '../api/merge.ts';
import type { JsonObject, KubeObject, ObjectKey } from '../api/object.ts';
import { onDemand } from '../once.ts';
import type { Clock, Random } from '../ports.ts';
import type { CheckQuotas } from '../quota/quotas.ts';
import type { Decision, Store } from '../store/store.ts';
import { decideApply } from './applying.ts';
import type { Kinds } from './kinds.ts';

/** Changes the stored object; undefined leaves it unchanged. */
export type Change = (current: KubeObject) => KubeObject | undefined;
/** `retry`: retry a lost race on the newest state instead of failing with 409. */
export interface WriteOptions {
  writer: string;
  retry?: boolean;
  /** Whether the writer would decide the same again for the state about to be written. */
  isSettled?: (next: KubeObject) => boolean;
  /** The state to change, as it was read. It is not read again, and a newer state is a conflict. */
  from?: KubeObject;
  /** The subresource for admission, such as `finalize`. */
  subresource?: string;
}

/**
 * Writes as the API does, with admission. Objects are in the storage version; refusals are
 * ApiErrors.
 */
export interface ObjectWriter {
  create(kind: Kind, object: KubeObject, options: WriteOptions): Promise<KubeObject>;
  /** Server-side apply of a configuration in any served version. */
  apply(kind: Kind, object: KubeObject, options: WriteOptions & { manager: string }): Promise<KubeObject>;
  /** The object that `apply` would store in place of `current`; throws what would refuse it. */
  tryApply(
    kind: Kind,
    object: KubeObject,
    current: KubeObject | undefined,
    options: WriteOptions & { manager: string },
  ): Promise<KubeObject>;
  update(kind: Kind, key: ObjectKey, change: Change, options: WriteOptions): Promise<KubeObject>;
  updateStatus(kind: Kind, key: ObjectKey, change: Change, options: WriteOptions): Promise<KubeObject>;
  /** Both in one commit; `statusOf` sees the object after the rest of the change. */
  updateWhole(
    kind: Kind,
    key: ObjectKey,
    change: Change,
    statusOf: (next: KubeObject) => JsonObject | undefined,
    options: WriteOptions,
  ): Promise<KubeObject>;
  remove(kind: Kind, key: ObjectKey, options: DeleteOptions & WriteOptions): Promise<KubeObject>;
}

/** Faults that `current` has already do not count. */
export type Prepare = (kind: KindDefinition, object: KubeObject, current?: KubeObject) => KubeObject;

/** The object with its owners after a controller's change. `now` in milliseconds since the epoch. */
export type Own = (kind: KindDefinition, object: KubeObject, current: KubeObject, now: number) => Promise<KubeObject>;

export interface WriterOptions {
  store: Pick<Store, 'get' | 'commit'>;
  kinds: Kinds;
  clock: Pick<Clock, 'now'>;
  random: Random;
  /**
   * Schema defaults and pruning, which precede the kind's own defaults. Loaded with the first
   * write.
   */
  prepare?: () => Promise<Prepare>;
  /** Admission by users, of what a controller creates and of the specs that it changes. */
  admission?: UsersAdmission;
  /** Kinds in whose objects controllers keep records, which no policy of users may stop. */
  exempts?: (kind: KindFacts) => boolean;
  /** Throws if a quota has no room for an object that a controller creates. */
  checkQuotas?: CheckQuotas;
  /** Tracks owners of fields; loaded with the first change of an object whose owners are tracked. */
  own?: () => Promise<Own>;
}

const ofControllers = onDemand(() => import('../admission/of-controllers.ts'));

const status = new Set(['metadata', 'status']);
const bookkeeping = new Set(['resourceVersion', 'generation', 'managedFields']);
/** Whether a change of an object with owners concerns more than its status. */
const concernsOwners = (next: KubeObject, current: KubeObject): boolean =>
  current.metadata.managedFields !== undefined &&
  !(equalBut(next, current, status) && equalBut(next.metadata, current.metadata, bookkeeping));

/**
 * Whether a change of an object concerns the policies of users: they stop neither a deletion, nor
 * finalizers, nor what a controller reports.
 */
const concernsPolicies = (next: KubeObject, current: KubeObject): boolean =>
  current.metadata.deletionTimestamp === undefined &&
  !(equalBut(next, current, status) && equal(next.metadata.labels, current.metadata.labels));

export const createWriter = ({
  store,
  kinds,
  clock,
  random,
  prepare,
  own,
  admission,
  checkQuotas,
  exempts = () => false,
}: WriterOptions): ObjectWriter => {
  const requestBy = ({ writer, subresource }: WriteOptions): Request => ({
    ...(subresource && { subresource }),
    byController: true,
    now: clock.now(),
    uid: () => random.uuid(),
    user: { username: `system:capstan:${writer}`, groups: ['system:masters', 'system:authenticated'] },
  });
  /** A kind as needed for writing: its definition, and its schema's preparation of objects. */
  const opened = async (of: Kind) => {
    const [kind, apply] = await Promise.all([definitionOf(of), prepare?.()]);
    const prepared = (object: KubeObject, current?: KubeObject) => apply?.(kind, object, current) ?? object;
    return { kind, prepared };
  };
  type Opened = Awaited<ReturnType<typeof opened>>;

  const checkNamespace = async (kind: KindFacts, { metadata }: KubeObject) => {
    if (!kind.namespaced || !kinds.find('', 'Namespace')) return;
    const namespace = await store.get('namespaces', { namespace: '', name: metadata.namespace ?? '' });
    const refusal = refusalOfNamespace(kind, metadata, namespace);
    if (refusal) throw refusal;
  };

  const owned = async ({ kind }: Opened, decision: Decision, current: KubeObject): Promise<Decision> => {
    if (!own || decision.do !== 'put' || !concernsOwners(decision.object, current)) return decision;
    return { ...decision, object: await (await own())(kind, decision.object, current, clock.now()) };
  };

  const now = () => clock.now();

  /** A new object as users change it. */
  const mutated = async ({ kind }: Opened, object: KubeObject, { user }: Request): Promise<KubeObject> => {
    const reviewer = admission && !exempts(kind) ? await admission.reviewer() : undefined;
    if (!reviewer) return object;
    return (await ofControllers()).mutateOfController(reviewer, kind, { object, current: undefined, user, now });
  };

  /** Throws the refusal of a policy of users. */
  const validate = async (
    { kind }: Opened,
    { object }: Decision,
    current: KubeObject | undefined,
    { user }: Request,
  ): Promise<void> => {
    if (!admission || exempts(kind) || (current && !concernsPolicies(object, current))) return;
    const reviewer = await admission.reviewer();
    if (!reviewer) return;
    await (await ofControllers()).validateOfController(reviewer, kind, { object, current, user, now });
  };

  /** The controller tries again: another object may go, of which nothing tells the controller. */
  const holdToQuotas = async ({ kind }: Opened, key: ObjectKey): Promise<void> => {
    if (!checkQuotas || exempts(kind)) return;
    try {
      await checkQuotas(kind, key);
    } catch (error) {
      throw Object.assign(error as Error, { consequence: 'retry' });
    }
  };

  const change = async (
    prepareChange: (opened: Opened, object: KubeObject, current: KubeObject, request: Request) => Decision,
    of: Kind,
    key: ObjectKey,
    make: Change,
    options: WriteOptions,
  ) => {
    const kind = await opened(of);
    return store.commit(
      resourceOf(of),
      key,
      async (current): Promise<Decision> => {
        if (!current) throw notFound(of, key.name);
        const wanted = make(current);
        if (!wanted) return { do: 'nothing', object: current };
        const request = requestBy(options);
        const decision = await owned(kind, prepareChange(kind, wanted, current, request), current);
        await validate(kind, decision, current, request);
        return decision.do === 'put' && options.isSettled?.(decision.object)
          ? { ...decision, settled: true }
          : decision;
      },
      options,
    );
  };

  return {
    create: async (of, object, options) => {
      const { namespace = '', name } = object.metadata;
      await checkNamespace(of, object);
      const known = await opened(of);
      const { kind, prepared } = known;
      return store.commit(
        resourceOf(kind),
        { namespace, name },
        async (current) => {
          const request = requestBy(options);
          const wanted = prepared(await mutated(known, prepared(object), request));
          const decision = prepareCreate(kind, wanted, current, request);
          await validate(known, decision, undefined, request);
          await holdToQuotas(known, { namespace, name });
          return decision;
        },
        options,
      );
    },
    apply: async (of, object, { manager, ...options }) => {
      const { namespace = '', name } = object.metadata;
      const known = await opened(of);
      const { kind, prepared } = known;
      return store.commit(
        resourceOf(kind),
        { namespace, name },
        async (current) => {
          if (current?.metadata.deletionTimestamp) return { do: 'nothing', object: current };
          if (!current) await checkNamespace(of, object);
          const request = requestBy(options);
          const decision = await decideApply(kind, object, current, {
            manager,
            request,
            prepared,
            mutated: (created) => mutated(known, created, request),
          });
          await validate(known, decision, current, request);
          if (!current) await holdToQuotas(known, { namespace, name });
          return decision;
        },
        { ...options, retry: true },
      );
    },
    tryApply: async (of, object, current, { manager, ...options }) => {
      const { kind, prepared } = await opened(of);
      const request = { ...requestBy(options), dryRun: true };
      return (await decideApply(kind, object, current, { manager, request, prepared })).object;
    },
    update: (...args) =>
      change(
        ({ kind, prepared }, object, current, request) =>
          prepareUpdate(kind, prepared(object, current), current, request),
        ...args,
      ),
    updateStatus: (...args) =>
      change(
        ({ kind, prepared }, object, current, request) =>
          prepareStatusUpdate(kind, prepared(object, current), current, request),
        ...args,
      ),
    updateWhole: (of, key, make, statusOf, options) =>
      change(
        ({ kind, prepared }, object, current, request) =>
          prepareWhole(kind, prepared(object, current), current, request, (next) => {
            const status = statusOf(next);
            return status && prepared({ ...next, status }, current).status;
          }),
        of,
        key,
        make,
        options,
      ),
    remove: async (of, key, { writer, retry = true, ...options }) => {
      const kind = await definitionOf(of);
      return store.commit(
        resourceOf(kind),
        key,
        (current) => prepareDelete(kind, key.name, current, options, requestBy({ writer })),
        { writer, retry },
      );
    },
  };
};

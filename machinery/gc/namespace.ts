/**
 * Deletes the content of a deleted namespace, then removes its finalizer. Some types go first,
 * because their controllers still need the rest. Gives every other namespace its ServiceAccount, and
 * the certificates by which clients verify the API.
 */
import { ApiError } from '../api/errors.ts';
import { type KindFacts, resourceOf } from '../api/kind.ts';
import { finalizers, isConflict, isNotFound } from '../api/lifecycle.ts';
import type { Condition, KubeObject } from '../api/object.ts';
import { accountType, defaultAccount } from '../api/service-account.ts';
import type { Extra } from '../controller/dispatch.ts';
import type { Kinds } from '../controller/kinds.ts';
import type { Runner } from '../controller/runtime.ts';
import type { Outcome, Run } from '../controller/work.ts';
import type { WorkKey } from '../controller/work-item.ts';
import type { ObjectWriter } from '../controller/writer.ts';
import type { Clock, Log } from '../ports.ts';
import type { LogEntry, Store, Unreadable } from '../store/store.ts';
import { type Content, contentConditions, isEmpty } from './content.ts';
import { configMapType, ensureRootCertificates, isForeignChange, rootCertificatesName } from './root-certificates.ts';

export const namespaceControllerName = 'namespace';
const type = 'namespaces';

export interface NamespaceOptions {
  store: Store;
  kinds: Kinds;
  writer: ObjectWriter;
  clock: Pick<Clock, 'now'>;
  log: Log;
  /** The types that go before all others. */
  first: string[];
  /** PEM of the authorities by which clients verify the API; without it namespaces have none. */
  rootCertificates?: (() => string) | undefined;
}

const keyFor = (name: string): WorkKey => ({ controller: namespaceControllerName, type, namespace: '', name });

/** Seconds to defer after a deletion: more usually follow. */
const following = 1;

/** Requeues a namespace when it changes, and when an object in it is deleted. */
export const namespaceRequests: Extra = (entry: LogEntry) => {
  if (entry.type === type && entry.event !== 'DELETED') return [{ key: keyFor(entry.name), urgent: true }];
  if (entry.namespace && isForeignChange(entry, namespaceControllerName))
    return [{ key: keyFor(entry.namespace), urgent: true, after: following }];
  if (entry.event === 'DELETED' && entry.namespace)
    return [{ key: keyFor(entry.namespace), urgent: true, after: following }];
  return [];
};

interface Namespace extends KubeObject<{ finalizers?: string[] }, { phase?: string; conditions?: Condition[] }> {}

const isRefused = (error: unknown): boolean =>
  error instanceof ApiError && ['AlreadyExists', 'Forbidden', 'NotFound'].includes(error.reason);

/** The longest time between checks of a deletion that waits for events, in milliseconds. */
const longestWait = 30_000;

export const createNamespaceController = (options: NamespaceOptions): Runner => {
  const { store, kinds, writer, clock, log, first, rootCertificates } = options;
  const by = { writer: namespaceControllerName };
  const namespaceKind = () => kinds.named('Namespace');

  const contentOf = (name: string, of: KindFacts[]): Promise<Content[]> =>
    Promise.all(
      of.map(async (kind) => {
        const type = resourceOf(kind);
        const unreadable: Unreadable[] = [];
        const { objects } = await store.list(type, { namespace: name, skip: (one) => unreadable.push(one) });
        return { type, objects, unreadable };
      }),
    );

  /** Returns the messages of failed deletions. */
  const deleteAll = async (content: Content[]): Promise<string[]> => {
    const errors: string[] = [];
    for (const { type: of, objects } of content) {
      for (const { metadata } of objects) {
        if (metadata.deletionTimestamp) continue;
        const { namespace = '', name, uid } = metadata;
        try {
          const preconditions = { uid: uid! };
          await writer.remove(
            kinds.ofType(of)!,
            { namespace, name },
            { ...by, propagationPolicy: 'Background', preconditions },
          );
        } catch (error) {
          if (!isNotFound(error) && !isConflict(error))
            errors.push(error instanceof Error ? error.message : String(error));
        }
      }
    }
    return errors;
  };

  const report = async (namespace: Namespace, content: Content[], errors: string[]) => {
    const conditions = contentConditions(namespace.status?.conditions, content, errors, clock.now());
    const status = { ...namespace.status, phase: 'Terminating', conditions };
    const key = { namespace: '', name: namespace.metadata.name };
    return writer.updateStatus(namespaceKind(), key, () => ({ ...namespace, status }), by);
  };

  const finish = (namespace: KubeObject) => {
    const { finalizers: held = [], ...spec } = (namespace as Namespace).spec ?? {};
    const left = held.filter((finalizer) => finalizer !== finalizers.namespace);
    const next = { ...namespace, spec: { ...spec, finalizers: left } };
    const key = { namespace: '', name: namespace.metadata.name };
    return writer.update(namespaceKind(), key, () => next, { ...by, subresource: 'finalize' });
  };

  const empty = async (namespace: Namespace): Promise<Outcome> => {
    const { name } = namespace.metadata;
    await kinds.refresh();
    const all = kinds.all().filter((kind) => kind.namespaced);
    const isFirst = (kind: KindFacts) => first.includes(resourceOf(kind));
    const stages = [all.filter(isFirst), all.filter((kind) => !isFirst(kind))];
    const errors: string[] = [];
    for (const stage of stages) {
      errors.push(...(await deleteAll(await contentOf(name, stage))));
      // Read again: objects without finalizers are gone already.
      if (!isEmpty(await contentOf(name, stage))) break;
    }
    const left = await contentOf(name, all);
    const written = await report(namespace, left, errors);
    if (!isEmpty(left)) return { ended: 'finished', due: clock.now() + longestWait };
    await finish(written);
    log.info('Deleted a namespace', { Namespace: name });
    return { ended: 'gone' };
  };

  const ensureAccount = async (namespace: string): Promise<void> => {
    const kind = kinds.find('', 'ServiceAccount');
    if (!kind || (await store.uid(accountType, { namespace, name: defaultAccount })) !== undefined) return;
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name: defaultAccount } };
    try {
      await writer.create(kind, account, by);
    } catch (error) {
      // Another pass created it, or the namespace is being deleted.
      if (!isRefused(error)) throw error;
    }
  };

  const ensureCertificates = async (namespace: string): Promise<void> => {
    if (!rootCertificates) return;
    try {
      await ensureRootCertificates({ store, kinds, writer, certificates: rootCertificates() }, namespace, by);
    } catch (error) {
      // As above, or a client changed it at the same time, of which there is another event.
      if (!isRefused(error) && !isConflict(error)) throw error;
    }
  };

  const run: Run = async ({ name }) => {
    const namespace = (await store.get(type, { namespace: '', name })) as Namespace | undefined;
    if (!namespace) return { ended: 'gone' };
    if (!namespace.metadata.deletionTimestamp) {
      await ensureAccount(name);
      await ensureCertificates(name);
    } else if (namespace.spec?.finalizers?.includes(finalizers.namespace)) return empty(namespace);
    return { ended: 'gone' };
  };

  return {
    run,
    types: () => [type],
    resync: async () => {
      const unreadable: Unreadable[] = [];
      const { objects } = await store.list(type, { skip: (one) => unreadable.push(one) });
      const accounts = new Set(
        (await store.list(accountType)).objects
          .filter(({ metadata }) => metadata.name === defaultAccount)
          .map(({ metadata }) => metadata.namespace),
      );
      const lacksCertificates = async (namespace: string): Promise<boolean> =>
        rootCertificates !== undefined &&
        (await store.uid(configMapType, { namespace, name: rootCertificatesName })) === undefined;
      const pending: KubeObject[] = [];
      for (const one of objects) {
        const { name, deletionTimestamp } = one.metadata;
        if (deletionTimestamp || !accounts.has(name) || (await lacksCertificates(name))) pending.push(one);
      }
      return { requests: pending.map(({ metadata }) => ({ key: keyFor(metadata.name), urgent: false })), unreadable };
    },
  };
};

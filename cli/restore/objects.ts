/**
 * Writes the objects of a restored table into the table of a running installation, as ordinary
 * changes: positions continue, watchers see each change, and dispatch keeps its stream.
 */
import { type Stored, storedKey } from '../../adapters/installation/hold.ts';
import { isOver } from '../../kinds/operations/cluster-operation/ended.ts';
import { restoredAtAnnotation } from '../../kinds/operations/cluster-operation/execution.ts';
import { resourceOf } from '../../machinery/api/kind.ts';
import { equalBut } from '../../machinery/api/merge.ts';
import type { KubeObject, ObjectKey } from '../../machinery/api/object.ts';
import type { Kinds } from '../../machinery/controller/kinds.ts';
import type { Table } from '../../machinery/ports.ts';
import type { Store } from '../../machinery/store/index.ts';
import { restoringAnnotation } from './restoring.ts';

export interface Difference {
  kind: string;
  type: string;
  key: ObjectKey;
  /**
   * `replace`: an object with another UID has the name now. `keep`: it cannot be read as of then, and stays as it
   * is. `lack`: it cannot be read as of then, and does not exist now.
   */
  do: 'create' | 'update' | 'replace' | 'remove' | 'keep' | 'lack';
  object: KubeObject;
}

export type Side = Pick<Store, 'list' | 'commit'>;

const writer = 'restore';
const installations = 'installations.capstan.dev';
const nameOf = ({ metadata }: KubeObject): ObjectKey => ({
  namespace: metadata.namespace ?? '',
  name: metadata.name,
});
const onlyMetadata = new Set(['metadata']);
const onlyVersion = new Set(['resourceVersion']);
/** With the time of the restore. */
const noted = (object: KubeObject, now: number): KubeObject => {
  const annotations = { ...object.metadata.annotations, [restoredAtAnnotation]: new Date(now).toISOString() };
  return { ...object, metadata: { ...object.metadata, annotations } };
};
const restoring = (object: KubeObject, command: string | undefined): KubeObject => {
  const { [restoringAnnotation]: _, ...others } = object.metadata.annotations ?? {};
  const annotations = command === undefined ? others : { ...others, [restoringAnnotation]: command };
  return { ...object, metadata: { ...object.metadata, annotations } };
};
/** The metadata without what a restore itself changes. */
const metadataOf = ({ metadata: { annotations, ...metadata } }: KubeObject) => {
  const { [restoredAtAnnotation]: _, ...others } = annotations ?? {};
  return { ...metadata, annotations: others };
};
const isSame = (a: KubeObject, b: KubeObject): boolean =>
  equalBut(a, b, onlyMetadata) && equalBut(metadataOf(a), metadataOf(b), onlyVersion);

/** An operation that had not ended needs another workflow, because its own went on. */
const isResumed = (object: KubeObject): boolean => object.kind === 'ClusterOperation' && !isOver(object);

/** The objects of a type, and the names and uids of those that cannot be read. */
const allOf = async (store: Side, type: string) => {
  const unreadable = new Map<string, KubeObject>();
  const idOf = ({ namespace = '', name }: { namespace?: string; name: string }) => `${namespace}/${name}`;
  const { objects } = await store.list(type, {
    skip: ({ namespace, name, uid }) =>
      unreadable.set(idOf({ namespace, name }), {
        apiVersion: '',
        kind: '',
        metadata: { ...(namespace && { namespace }), name, uid },
      }),
  });
  return { readable: new Map(objects.map((object) => [idOf(object.metadata), object])), unreadable };
};

/**
 * The differences by kind: puts first, then removals. Ignores kinds whose objects expire by themselves, and the
 * Installation, which describes the account as it is now.
 */
export const differencesBetween = async (
  { from, to, kinds }: { from: Side; to: Side; kinds: Pick<Kinds, 'all'> },
  { keepNewer = false }: { keepNewer?: boolean } = {},
): Promise<Difference[]> => {
  const put: Difference[] = [];
  const removed: Difference[] = [];
  const kept: Difference[] = [];
  for (const one of kinds.all()) {
    const { kind } = one;
    const type = resourceOf(one);
    if (one.endsAfter !== undefined || type === installations) continue;
    const [{ readable: then, unreadable: lost }, present] = [await allOf(from, type), await allOf(to, type)];
    const now = new Map([...present.readable, ...present.unreadable]);
    for (const [name, object] of lost)
      kept.push({ kind, type, key: nameOf(object), object, do: now.has(name) ? 'keep' : 'lack' });
    for (const [name, object] of then) {
      const present = now.get(name);
      if (present && isSame(present, object)) continue;
      const isOther = present && present.metadata.uid !== object.metadata.uid;
      put.push({ kind, type, key: nameOf(object), object, do: !present ? 'create' : isOther ? 'replace' : 'update' });
    }
    if (keepNewer) continue;
    for (const [name, object] of now)
      if (!then.has(name) && !lost.has(name)) removed.push({ kind, type, key: nameOf(object), object, do: 'remove' });
  }
  return [...put, ...removed, ...kept];
};

export const isWritten = ({ do: what }: Difference): boolean => what !== 'keep' && what !== 'lack';

const remove = (to: Side, { type, key, object }: Difference) =>
  to.commit(type, key, (current) => (current ? { do: 'remove', object: current } : { do: 'nothing', object }), {
    writer,
    retry: true,
    overUnreadable: true,
  });

/** Writes one difference. Repeating it writes nothing. */
export const applyDifference = async (to: Side, difference: Difference, now: number): Promise<void> => {
  const { type, key } = difference;
  const object = isResumed(difference.object) ? noted(difference.object, now) : difference.object;
  if (!isWritten(difference)) return;
  if (difference.do === 'remove') return void (await remove(to, difference));
  // A watch reports an object of another uid as a deletion and a creation.
  if (difference.do === 'replace') await remove(to, difference);
  await to.commit(
    type,
    key,
    (current) => (current && isSame(current, object) ? { do: 'nothing', object: current } : { do: 'put', object }),
    { writer, retry: true, overUnreadable: true },
  );
};

/**
 * Sets the installation's position behind that of the restored table and behind its own, so that the
 * mark is ahead and every worker freezes before its next action, until an administrator thaws the
 * installation. Controllers must not act on objects of which only some are restored. Acts share an
 * advance (docs/adr/0014), so equal positions do not prove that Capstan has not acted since. Returns
 * false if Capstan has acted for neither table.
 */
export const setPositionBack = async (from: Table, to: Table): Promise<boolean> => {
  const consistent = { consistent: true } as const;
  const { n: restored, regions, at } = ((await from.get(storedKey, consistent)) ?? {}) as Stored;
  const { n: present } = ((await to.get(storedKey, consistent)) ?? {}) as Stored;
  if (restored === undefined && present === undefined) return false;
  if (restored === undefined) await to.write({ delete: storedKey });
  else {
    const n = Math.min(restored, (present ?? restored) - 1);
    await to.write({
      put: { ...storedKey, n, ...(regions && { regions }), ...(at !== undefined && { at }) },
    });
  }
  return true;
};

/**
 * Records that a restore has begun, with the command that goes on after an interruption, or that it is
 * complete (`undefined`). Has the Installation controller compare the positions and search for orphans: it idles for a day otherwise. An
 * installation without the object creates it with its first request.
 */
export const noteRestore = async (to: Side, now: number, command: string | undefined): Promise<void> => {
  const { objects } = await to.list(installations);
  for (const object of objects)
    await to.commit(
      installations,
      nameOf(object),
      (current = object) => ({ do: 'put', object: restoring(noted(current, now), command) }),
      { writer, retry: true },
    );
};

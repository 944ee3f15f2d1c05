/** Garbage collection of dependents, and the deletion of namespaces. */
import type { Condition, KubeObject, OwnerReference } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { Violation } from '../../invariants/rule.ts';
import { bodyOf, configMaps, placeOf, type Session, sorts } from './session.ts';
import { collectionOf } from './writes.ts';

const sort = configMaps;
const hold = 'example.com/hold';
export const referenceTo = ({ kind, apiVersion, metadata }: KubeObject, more: Partial<OwnerReference> = {}) => ({
  apiVersion: apiVersion!,
  kind,
  name: metadata.name,
  uid: metadata.uid!,
  ...more,
});
/**
 * Deletes the object. The propagation policy is in the query or the body, in its current or
 * deprecated form. The request deletes the object itself, or a collection with a selector for it.
 */
export const remove = (session: Session, name: string, propagationPolicy = 'Background') => {
  const isOld = propagationPolicy !== 'Foreground' && session.draw.chance(0.3);
  const options = isOld ? { orphanDependents: propagationPolicy === 'Orphan' } : { propagationPolicy };
  const [[key, value]] = Object.entries(options) as [[string, unknown]];
  const one = placeOf(sort, name);
  const place = session.draw.chance(0.3) ? `${collectionOf(one)}?fieldSelector=metadata.name=${name}` : one;
  return session.draw.chance(0.5)
    ? session.ask('DELETE', `${place}${place.includes('?') ? '&' : '?'}${key}=${value}`, 200)
    : session.ask('DELETE', place, 200, { kind: 'DeleteOptions', apiVersion: 'v1', ...options });
};
const own = (session: Session, name: string, ownerReferences: readonly OwnerReference[]) =>
  session.make(sort, { name, ownerReferences });

export const look = (session: Session) => {
  const find = (name: string) => session.world.mirror.get<KubeObject>(sort.kind, 'default', name);
  return {
    isThere: (name: string) => find(name) !== undefined,
    isGone: (name: string) => find(name) === undefined,
    /** Another object may have the same name by now. */
    isOver: ({ metadata: { name, uid } }: KubeObject) => find(name)?.metadata.uid !== uid,
    ownersOf: (name: string) => find(name)?.metadata.ownerReferences?.length ?? 0,
    letGo: async (name: string) => {
      const { code } = await session.client.request('PATCH', placeOf(sort, name), { metadata: { finalizers: null } });
      session.expect(`letting ${name} go`, code === 200 || code === 404, true);
    },
  };
};
const names = (session: Session, ...suffixes: string[]) => suffixes.map((suffix) => `${session.newName()}-${suffix}`);

export const collection = {
  'delete an owner': async (session: Session) => {
    const { isGone, isThere } = look(session);
    const [owner, middle, leaf, bystander] = names(session, 'owner', 'middle', 'leaf', 'bystander') as [
      string,
      string,
      string,
      string,
    ];
    const first = await session.make(sort, { name: owner });
    const second = await own(session, middle, [referenceTo(first, { controller: true })]);
    await own(session, leaf, [referenceTo(second)]);
    await session.make(sort, { name: bystander });
    await session.meanwhile(`that ${leaf} exists with its owners`, () => isThere(leaf) && isThere(middle));
    await remove(session, owner);
    await session.eventually(`the end of ${leaf}`, () => isGone(middle) && isGone(leaf));
    session.expect(`whether ${bystander} is there`, isThere(bystander), true);
  },
  'delete one of two owners': async (session: Session) => {
    const { isGone, isOver, isThere, ownersOf } = look(session);
    const [one, other, dependent] = names(session, 'one', 'other', 'dependent') as [string, string, string];
    const [first, second] = [await session.make(sort, { name: one }), await session.make(sort, { name: other })];
    const blocks = { blockOwnerDeletion: true };
    await own(session, dependent, [referenceTo(first, blocks), referenceTo(second, blocks)]);
    // An owner does not wait for a dependent that has another owner.
    await remove(session, one, session.draw.pick(['Background', 'Foreground']));
    await session.eventually(
      `that ${dependent} has one owner left`,
      () => isGone(dependent) || ownersOf(dependent) === 1,
    );
    await session.eventually(`the end of ${one}`, () => isOver(first));
    await session.meanwhile(`that ${dependent} exists with one owner left`, () => isThere(dependent));
    await remove(session, other, session.draw.pick(['Background', 'Foreground']));
    await session.eventually(`the end of ${other} and of ${dependent}`, () => isOver(second) && isGone(dependent));
  },
  'reference an unknown owner': async (session: Session) => {
    const { isGone, isThere, ownersOf } = look(session);
    const [owner, unowned, orphan, both] = names(session, 'owner', 'of-a-stranger', 'orphan', 'of-both') as [
      string,
      string,
      string,
      string,
    ];
    const first = await session.make(sort, { name: owner });
    const { uid } = first.metadata;
    const unknown = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'somewhere-else', uid: uid! };
    await own(session, unowned, [unknown]);
    const elsewhere = { ...unknown, uid: uid!.replace(/^.{8}/, 'deadbeef') };
    const gone = referenceTo(first, { uid: uid!.replace(/^.{8}/, 'beefdead') });
    await own(session, both, [referenceTo(first), elsewhere, gone]);
    // The name exists, but with another uid.
    const ownerReferences = [referenceTo(first, { uid: uid!.replace(/^.{8}/, 'beefbeef') })];
    await session.post(sort, { name: orphan, ownerReferences });
    await session.meanwhile(`that ${unowned} with an unknown owner exists`, () => isThere(unowned));
    await session.eventually(`the end of ${orphan}`, () => isGone(orphan));
    session.expect(`whether ${unowned} is there`, isThere(unowned), true);
    await session.eventually(`that ${both} has one owner less`, () => ownersOf(both) < 3);
    session.expect(`owners of ${both}, which had a missing owner`, ownersOf(both), 2);
    for (const name of [unowned, both]) await remove(session, name);
  },
  'recreate an owner under its name': async (session: Session) => {
    const { isGone, isThere } = look(session);
    const [owner, dependent, later] = names(session, 'owner', 'dependent', 'later') as [string, string, string];
    await own(session, dependent, [referenceTo(await session.make(sort, { name: owner }))]);
    await remove(session, owner);
    const second = await session.make(sort, { name: owner });
    await own(session, later, [referenceTo(second)]);
    await session.eventually(`the end of ${dependent}`, () => isGone(dependent));
    session.expect(`whether ${later} is there`, isThere(later), true);
  },
  'add a new owner in time': async (session: Session) => {
    const { isGone, isThere } = look(session);
    const [one, other, dependent] = names(session, 'one', 'other', 'dependent') as [string, string, string];
    await own(session, dependent, [referenceTo(await session.make(sort, { name: one }))]);
    const heir = await session.make(sort, { name: other });
    await remove(session, one);
    await sleep(session.clock, session.draw.spread(1, 8000));
    const ownerReferences = [referenceTo(heir)];
    const { code } = await session.client.request('PATCH', placeOf(sort, dependent), { metadata: { ownerReferences } });
    if (code === 200 && isThere(dependent))
      await session.meanwhile(`${dependent} of ${other}`, () => isThere(dependent));
    await remove(session, other);
    await session.eventually(`the end of ${dependent}`, () => isGone(dependent));
  },
  'delete an owner in the foreground': async (session: Session) => {
    const { isGone, isThere, letGo } = look(session);
    const [owner, blocking, other] = names(session, 'owner', 'blocking', 'other') as [string, string, string];
    const first = await session.make(sort, { name: owner });
    const blocks = referenceTo(first, { blockOwnerDeletion: true });
    await session.make(sort, { name: blocking, ownerReferences: [blocks], finalizers: [hold] });
    await own(session, other, [referenceTo(first)]);
    session.world.mirror.onCommit(({ type, name, event }) => {
      if (type === 'configmaps' && event === 'DELETED' && name === owner && isThere(blocking))
        throw new Violation('collected', `${owner} is gone before ${blocking}, which blocks its deletion`);
    });
    await remove(session, owner, 'Foreground');
    await session.eventually(`that ${blocking} goes`, () => {
      const found = session.world.mirror.get<KubeObject>(sort.kind, 'default', blocking);
      return found?.metadata.deletionTimestamp !== undefined;
    });
    await letGo(blocking);
    await session.eventually(`the end of ${owner}`, () => [owner, blocking, other].every(isGone));
    // A frozen server may still create an object that was requested before.
    session.world.mirror.onCommit(({ type, name, object }) => {
      if (type === 'configmaps' && name === blocking && object?.metadata.deletionTimestamp) void letGo(blocking);
    });
  },
  'release a dependent that blocks its owner': async (session: Session) => {
    const { isGone, isOver, letGo } = look(session);
    const [owner, held] = names(session, 'owner', 'held') as [string, string];
    const first = await session.make(sort, { name: owner });
    const blocks = referenceTo(first, { blockOwnerDeletion: true });
    await session.make(sort, { name: held, ownerReferences: [blocks], finalizers: [hold] });
    await remove(session, owner, 'Foreground');
    await session.meanwhile(`that ${owner} waits for ${held}`, () => !isOver(first));
    const ownerReferences = [
      session.draw.pick([referenceTo(first), referenceTo(first, { blockOwnerDeletion: false })]),
    ];
    await session.ask('PATCH', placeOf(sort, held), 200, { metadata: { ownerReferences } });
    await session.eventually(`the end of ${owner}, which waits for no dependent any more`, () => isOver(first));
    session.expect(`whether ${held} is there`, isGone(held), false);
    await letGo(held);
    if (!isGone(held)) await remove(session, held);
    await session.eventually(`the end of ${held}`, () => isGone(held));
  },
  'delete a cycle of owners': async (session: Session) => {
    const { isGone } = look(session);
    const circle = names(session, 'one', 'other', 'third').slice(0, session.draw.whole(2, 3));
    const blocks = { blockOwnerDeletion: true };
    const first = await session.make(sort, { name: circle[0]! });
    let last = first;
    for (const name of circle.slice(1)) last = await own(session, name, [referenceTo(last, blocks)]);
    const ownerReferences = [referenceTo(last, blocks)];
    await session.ask('PATCH', placeOf(sort, circle[0]!), 200, { metadata: { ownerReferences } });
    await remove(session, session.draw.pick(circle), session.draw.pick(['Background', 'Foreground', 'Foreground']));
    await session.eventually(`the end of ${circle.join(', ')}, which own each other`, () => circle.every(isGone));
  },
  'delete a chain of owners in the foreground': async (session: Session) => {
    const { isGone, isThere, letGo } = look(session);
    const [owner, middle, leaf, other] = names(session, 'owner', 'middle', 'leaf', 'other') as [
      string,
      string,
      string,
      string,
    ];
    const first = await session.make(sort, { name: owner });
    const second = await own(session, middle, [referenceTo(first, { blockOwnerDeletion: true })]);
    await session.make(sort, {
      name: leaf,
      ownerReferences: [referenceTo(second, { blockOwnerDeletion: true })],
      finalizers: [hold],
    });
    // This dependent does not block the owner's deletion.
    await session.make(sort, { name: other, ownerReferences: [referenceTo(first)], finalizers: [hold] });
    session.world.mirror.onCommit(({ type, name, event, object }) => {
      if (type !== 'configmaps') return;
      if (event === 'DELETED' && (name === owner || name === middle) && isThere(leaf))
        throw new Violation('collected', `${name} is gone before ${leaf}, which blocks its deletion`);
      if (name === leaf && isGone(owner) && object?.metadata.deletionTimestamp) void letGo(leaf);
    });
    await remove(session, owner, 'Foreground');
    await session.eventually(`that ${leaf} goes`, () => {
      const found = session.world.mirror.get<KubeObject>(sort.kind, 'default', leaf);
      return found?.metadata.deletionTimestamp !== undefined;
    });
    await letGo(leaf);
    await session.eventually(`the end of ${owner}`, () => [owner, middle, leaf].every(isGone));
    session.expect(`whether ${other} is there`, isThere(other), true);
    await session.eventually(`that ${other} goes`, () => {
      const found = session.world.mirror.get<KubeObject>(sort.kind, 'default', other);
      return found?.metadata.deletionTimestamp !== undefined;
    });
    await letGo(other);
    await session.eventually(`the end of ${other}`, () => isGone(other));
  },
  'change the propagation policy of a deletion': async (session: Session) => {
    const { isGone, isOver, isThere, letGo, ownersOf } = look(session);
    const [owner, dependent] = names(session, 'owner', 'dependent') as [string, string];
    const first = await session.make(sort, { name: owner });
    const blocks = referenceTo(first, { blockOwnerDeletion: true });
    await session.make(sort, { name: dependent, ownerReferences: [blocks], finalizers: [hold] });
    await remove(session, owner, 'Foreground');
    await sleep(session.clock, session.draw.spread(100, 60_000));
    const again = session.draw.pick(['Foreground', 'Background', 'Orphan']);
    await remove(session, owner, again);
    if (again === 'Foreground') await session.meanwhile(`that ${owner} waits for ${dependent}`, () => isThere(owner));
    else await session.eventually(`the end of ${owner}, which waits for no dependent any more`, () => isOver(first));
    session.expect(`whether ${dependent} is there`, isThere(dependent), true);
    if (again === 'Orphan') session.expect(`owners of ${dependent}`, ownersOf(dependent), 0);
    if (again === 'Background')
      await session.eventually(`that ${dependent} goes`, () => {
        const found = session.world.mirror.get<KubeObject>(sort.kind, 'default', dependent);
        return found?.metadata.deletionTimestamp !== undefined;
      });
    await letGo(dependent);
    if (isThere(dependent)) await remove(session, dependent);
    await session.eventually(`the end of ${owner} and of ${dependent}`, () => isGone(owner) && isGone(dependent));
  },
  'collect an owner that orphans': async (session: Session) => {
    const { isGone, isThere } = look(session);
    const [owner, middle, leaf] = names(session, 'owner', 'middle', 'leaf') as [string, string, string];
    const first = await session.make(sort, { name: owner });
    // The finalizer of the middle object says that its dependents are to be orphaned.
    const second = await session.make(sort, {
      name: middle,
      ownerReferences: [referenceTo(first)],
      finalizers: ['orphan'],
    });
    await own(session, leaf, [referenceTo(second)]);
    await session.meanwhile(`that ${leaf} exists with its owners`, () => isThere(leaf) && isThere(middle));
    await remove(session, owner);
    await session.eventually(`the end of ${middle}`, () => isGone(middle));
    await session.meanwhile(`that ${leaf} exists without an owner`, () => isThere(leaf));
  },
  'delete an owner that orphans': async (session: Session) => {
    const { isGone, isThere, ownersOf } = look(session);
    const [owner, ...dependents] = names(session, 'owner', 'a', 'b', 'c', 'd', 'e') as [string, ...string[]];
    const first = await session.make(sort, { name: owner });
    const [shared] = names(session, 'shared') as [string];
    const other = await session.make(sort, { name: session.newName() });
    for (const dependent of dependents) await own(session, dependent, [referenceTo(first)]);
    await own(session, shared, [referenceTo(first), referenceTo(other, { controller: true })]);
    const [namesakes] = names(session, 'of-namesakes') as [string];
    const namesake = { apiVersion: 'apps/v1', kind: 'Deployment', name: owner, uid: other.metadata.uid! };
    await own(session, namesakes, [referenceTo(first), namesake]);
    session.world.mirror.onCommit(({ event, uid }) => {
      if (event !== 'DELETED' || uid !== first.metadata.uid) return;
      const bound = dependents.filter((dependent) => ownersOf(dependent) > 0);
      if (bound.length > 0) throw new Violation('collected', `${owner} is gone before it orphaned ${bound.join(', ')}`);
    });
    await remove(session, owner, 'Orphan');
    await session.eventually(`the end of ${owner}`, () => isGone(owner));
    const isLeft = (dependent: string) => isThere(dependent) && ownersOf(dependent) === 0;
    // An object with another owner stays owned by that one.
    session.expect(`owners of ${shared}, of which one is gone`, ownersOf(shared), 1);
    session.expect(`owners of ${namesakes}, of which one is gone`, ownersOf(namesakes), 1);
    await remove(session, namesakes);
    await session.meanwhile(`that ${dependents.join(', ')} exist without an owner`, () => dependents.every(isLeft));
    await remove(session, other.metadata.name);
    await session.eventually(`the end of ${shared}`, () => isGone(shared));
  },
  'delete a namespace': async (session: Session) => {
    const { mirror } = session.world;
    const name = session.newName();
    const place = `/api/v1/namespaces/${name}`;
    await session.ask('POST', '/api/v1/namespaces', 201, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const [held, namesake] = ['held', session.newName()] as const;
    for (const one of sorts) await session.make(one, { name: `of-${one.kind.toLowerCase()}`, namespace: name });
    await session.make(sort, { name: held, namespace: name, finalizers: [hold] });
    await session.make(sort, { name: namesake });
    await session.make(sort, { name: namesake, namespace: name }, 'second');
    const there = () => sorts.flatMap(({ kind }) => mirror.all(kind)).filter((one) => one.metadata.namespace === name);
    mirror.onCommit(({ type, event, name: of }) => {
      if (type === 'namespaces' && event === 'DELETED' && of === name && there().length > 0)
        throw new Violation('collected', `namespace ${name} is gone before ${there().map((one) => one.metadata.name)}`);
    });
    // An update cannot remove the finalizer that empties the namespace.
    await session.ask('PATCH', place, 200, { spec: { finalizers: null } });
    await session.ask('DELETE', place, 200);
    await session.ask('POST', `${place}/configmaps`, 403, bodyOf(sort, { name: 'late' }));
    await session.eventually(`that only ${held} is left`, () => there().every((one) => one.metadata.name === held));
    const conditions = () =>
      (mirror.get('Namespace', '', name)?.status as { conditions?: Condition[] }).conditions ?? [];
    await session.eventually(`that namespace ${name} reports what blocks its deletion`, () =>
      conditions().some(({ type, status }) => type === 'NamespaceFinalizersRemaining' && status === 'True'),
    );
    await session.meanwhile(`namespace ${name}`, () => mirror.get('Namespace', '', name) !== undefined);
    await session.ask('PATCH', placeOf(sort, held, name), 200, { metadata: { finalizers: null } }).catch((error) => {
      if (there().length > 0) throw error;
    });
    await session.eventually(`the end of namespace ${name}`, () => !mirror.get('Namespace', '', name));
    const kept = await session.ask('GET', placeOf(sort, namesake), 200);
    session.expect(`the word of ${namesake}`, sort.wordIn(kept), 'first');
  },
  'delete a namespace with a custom finalizer': async (session: Session) => {
    const { mirror } = session.world;
    const name = session.newName();
    const place = `/api/v1/namespaces/${name}`;
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: { finalizers: [hold] } };
    await session.ask('POST', '/api/v1/namespaces', 201, namespace);
    await session.make(sort, { name: 'inside', namespace: name });
    await session.ask('DELETE', place, 200);
    const finalizers = () =>
      mirror.get<KubeObject<{ finalizers?: string[] }>>('Namespace', '', name)?.spec?.finalizers ?? [];
    await session.eventually(`that only ${hold} blocks namespace ${name}`, () => finalizers().join() === hold);
    session.expect(`what is in ${name}`, mirror.get(sort.kind, name, 'inside'), undefined);
    await session.meanwhile(`namespace ${name}`, () => finalizers().join() === hold);
    const found = await session.ask('GET', place, 200);
    await session.client.request('PUT', `${place}/finalize`, { ...found, spec: { finalizers: [] } });
    await session.eventually(`the end of namespace ${name}`, () => !mirror.get('Namespace', '', name));
  },
};

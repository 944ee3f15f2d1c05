/** Garbage collection of dependents, and the deletion of namespaces. */
import type { Condition, KubeObject, OwnerReference } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { Violation } from '../../invariants/rule.ts';
import { bodyOf, configMaps, type Desk, placeOf, sorts } from './session.ts';
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
export const remove = (desk: Desk, name: string, propagationPolicy = 'Background') => {
  const isOld = propagationPolicy !== 'Foreground' && desk.draw.chance(0.3);
  const options = isOld ? { orphanDependents: propagationPolicy === 'Orphan' } : { propagationPolicy };
  const [[key, value]] = Object.entries(options) as [[string, unknown]];
  const one = placeOf(sort, name);
  const place = desk.draw.chance(0.3) ? `${collectionOf(one)}?fieldSelector=metadata.name=${name}` : one;
  return desk.draw.chance(0.5)
    ? desk.ask('DELETE', `${place}${place.includes('?') ? '&' : '?'}${key}=${value}`, 200)
    : desk.ask('DELETE', place, 200, { kind: 'DeleteOptions', apiVersion: 'v1', ...options });
};
const own = (desk: Desk, name: string, ownerReferences: readonly OwnerReference[]) =>
  desk.make(sort, { name, ownerReferences });

export const look = (desk: Desk) => {
  const find = (name: string) => desk.world.mirror.get<KubeObject>(sort.kind, 'default', name);
  return {
    isThere: (name: string) => find(name) !== undefined,
    isGone: (name: string) => find(name) === undefined,
    /** Another object may have the same name by now. */
    isOver: ({ metadata: { name, uid } }: KubeObject) => find(name)?.metadata.uid !== uid,
    ownersOf: (name: string) => find(name)?.metadata.ownerReferences?.length ?? 0,
    letGo: async (name: string) => {
      const { code } = await desk.client.request('PATCH', placeOf(sort, name), { metadata: { finalizers: null } });
      desk.expect(`letting ${name} go`, code === 200 || code === 404, true);
    },
  };
};
const names = (desk: Desk, ...words: string[]) => words.map((word) => `${desk.newName()}-${word}`);

export const collection = {
  'delete an owner': async (desk: Desk) => {
    const { isGone, isThere } = look(desk);
    const [owner, middle, leaf, bystander] = names(desk, 'owner', 'middle', 'leaf', 'bystander') as [
      string,
      string,
      string,
      string,
    ];
    const first = await desk.make(sort, { name: owner });
    const second = await own(desk, middle, [referenceTo(first, { controller: true })]);
    await own(desk, leaf, [referenceTo(second)]);
    await desk.make(sort, { name: bystander });
    await desk.meanwhile(`that ${leaf} exists with its owners`, () => isThere(leaf) && isThere(middle));
    await remove(desk, owner);
    await desk.eventually(`the end of ${leaf}`, () => isGone(middle) && isGone(leaf));
    desk.expect(`whether ${bystander} is there`, isThere(bystander), true);
  },
  'delete one of two owners': async (desk: Desk) => {
    const { isGone, isOver, isThere, ownersOf } = look(desk);
    const [one, other, dependent] = names(desk, 'one', 'other', 'dependent') as [string, string, string];
    const [first, second] = [await desk.make(sort, { name: one }), await desk.make(sort, { name: other })];
    const blocks = { blockOwnerDeletion: true };
    await own(desk, dependent, [referenceTo(first, blocks), referenceTo(second, blocks)]);
    // An owner does not wait for a dependent that has another owner.
    await remove(desk, one, desk.draw.pick(['Background', 'Foreground']));
    await desk.eventually(`that ${dependent} has one owner left`, () => isGone(dependent) || ownersOf(dependent) === 1);
    await desk.eventually(`the end of ${one}`, () => isOver(first));
    await desk.meanwhile(`that ${dependent} exists with one owner left`, () => isThere(dependent));
    await remove(desk, other, desk.draw.pick(['Background', 'Foreground']));
    await desk.eventually(`the end of ${other} and of ${dependent}`, () => isOver(second) && isGone(dependent));
  },
  'reference an unknown owner': async (desk: Desk) => {
    const { isGone, isThere, ownersOf } = look(desk);
    const [owner, stranger, orphan, both] = names(desk, 'owner', 'of-a-stranger', 'orphan', 'of-both') as [
      string,
      string,
      string,
      string,
    ];
    const first = await desk.make(sort, { name: owner });
    const { uid } = first.metadata;
    const unknown = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'somewhere-else', uid: uid! };
    await own(desk, stranger, [unknown]);
    const elsewhere = { ...unknown, uid: uid!.replace(/^.{8}/, 'deadbeef') };
    const gone = referenceTo(first, { uid: uid!.replace(/^.{8}/, 'beefdead') });
    await own(desk, both, [referenceTo(first), elsewhere, gone]);
    // The name exists, but with another uid.
    const ownerReferences = [referenceTo(first, { uid: uid!.replace(/^.{8}/, 'beefbeef') })];
    await desk.post(sort, { name: orphan, ownerReferences });
    await desk.meanwhile(`that ${stranger} with an unknown owner exists`, () => isThere(stranger));
    await desk.eventually(`the end of ${orphan}`, () => isGone(orphan));
    desk.expect(`whether ${stranger} is there`, isThere(stranger), true);
    await desk.eventually(`that ${both} has one owner less`, () => ownersOf(both) < 3);
    desk.expect(`owners of ${both}, which had a missing owner`, ownersOf(both), 2);
    for (const name of [stranger, both]) await remove(desk, name);
  },
  'recreate an owner under its name': async (desk: Desk) => {
    const { isGone, isThere } = look(desk);
    const [owner, dependent, later] = names(desk, 'owner', 'dependent', 'later') as [string, string, string];
    await own(desk, dependent, [referenceTo(await desk.make(sort, { name: owner }))]);
    await remove(desk, owner);
    const second = await desk.make(sort, { name: owner });
    await own(desk, later, [referenceTo(second)]);
    await desk.eventually(`the end of ${dependent}`, () => isGone(dependent));
    desk.expect(`whether ${later} is there`, isThere(later), true);
  },
  'add a new owner in time': async (desk: Desk) => {
    const { isGone, isThere } = look(desk);
    const [one, other, dependent] = names(desk, 'one', 'other', 'dependent') as [string, string, string];
    await own(desk, dependent, [referenceTo(await desk.make(sort, { name: one }))]);
    const heir = await desk.make(sort, { name: other });
    await remove(desk, one);
    await sleep(desk.clock, desk.draw.spread(1, 8000));
    const ownerReferences = [referenceTo(heir)];
    const { code } = await desk.client.request('PATCH', placeOf(sort, dependent), { metadata: { ownerReferences } });
    if (code === 200 && isThere(dependent)) await desk.meanwhile(`${dependent} of ${other}`, () => isThere(dependent));
    await remove(desk, other);
    await desk.eventually(`the end of ${dependent}`, () => isGone(dependent));
  },
  'delete an owner in the foreground': async (desk: Desk) => {
    const { isGone, isThere, letGo } = look(desk);
    const [owner, blocking, other] = names(desk, 'owner', 'blocking', 'other') as [string, string, string];
    const first = await desk.make(sort, { name: owner });
    const blocks = referenceTo(first, { blockOwnerDeletion: true });
    await desk.make(sort, { name: blocking, ownerReferences: [blocks], finalizers: [hold] });
    await own(desk, other, [referenceTo(first)]);
    desk.world.mirror.onCommit(({ type, name, event }) => {
      if (type === 'configmaps' && event === 'DELETED' && name === owner && isThere(blocking))
        throw new Violation('collected', `${owner} is gone before ${blocking}, which blocks its deletion`);
    });
    await remove(desk, owner, 'Foreground');
    await desk.eventually(`that ${blocking} goes`, () => {
      const found = desk.world.mirror.get<KubeObject>(sort.kind, 'default', blocking);
      return found?.metadata.deletionTimestamp !== undefined;
    });
    await letGo(blocking);
    await desk.eventually(`the end of ${owner}`, () => [owner, blocking, other].every(isGone));
    // A frozen server may still create an object that was requested before.
    desk.world.mirror.onCommit(({ type, name, object }) => {
      if (type === 'configmaps' && name === blocking && object?.metadata.deletionTimestamp) void letGo(blocking);
    });
  },
  'release a dependent that blocks its owner': async (desk: Desk) => {
    const { isGone, isOver, letGo } = look(desk);
    const [owner, held] = names(desk, 'owner', 'held') as [string, string];
    const first = await desk.make(sort, { name: owner });
    const blocks = referenceTo(first, { blockOwnerDeletion: true });
    await desk.make(sort, { name: held, ownerReferences: [blocks], finalizers: [hold] });
    await remove(desk, owner, 'Foreground');
    await desk.meanwhile(`that ${owner} waits for ${held}`, () => !isOver(first));
    const ownerReferences = [desk.draw.pick([referenceTo(first), referenceTo(first, { blockOwnerDeletion: false })])];
    await desk.ask('PATCH', placeOf(sort, held), 200, { metadata: { ownerReferences } });
    await desk.eventually(`the end of ${owner}, which waits for no dependent any more`, () => isOver(first));
    desk.expect(`whether ${held} is there`, isGone(held), false);
    await letGo(held);
    if (!isGone(held)) await remove(desk, held);
    await desk.eventually(`the end of ${held}`, () => isGone(held));
  },
  'delete a cycle of owners': async (desk: Desk) => {
    const { isGone } = look(desk);
    const circle = names(desk, 'one', 'other', 'third').slice(0, desk.draw.whole(2, 3));
    const blocks = { blockOwnerDeletion: true };
    const first = await desk.make(sort, { name: circle[0]! });
    let last = first;
    for (const name of circle.slice(1)) last = await own(desk, name, [referenceTo(last, blocks)]);
    const ownerReferences = [referenceTo(last, blocks)];
    await desk.ask('PATCH', placeOf(sort, circle[0]!), 200, { metadata: { ownerReferences } });
    await remove(desk, desk.draw.pick(circle), desk.draw.pick(['Background', 'Foreground', 'Foreground']));
    await desk.eventually(`the end of ${circle.join(', ')}, which own each other`, () => circle.every(isGone));
  },
  'delete a chain of owners in the foreground': async (desk: Desk) => {
    const { isGone, isThere, letGo } = look(desk);
    const [owner, middle, leaf, other] = names(desk, 'owner', 'middle', 'leaf', 'other') as [
      string,
      string,
      string,
      string,
    ];
    const first = await desk.make(sort, { name: owner });
    const second = await own(desk, middle, [referenceTo(first, { blockOwnerDeletion: true })]);
    await desk.make(sort, {
      name: leaf,
      ownerReferences: [referenceTo(second, { blockOwnerDeletion: true })],
      finalizers: [hold],
    });
    // This dependent does not block the owner's deletion.
    await desk.make(sort, { name: other, ownerReferences: [referenceTo(first)], finalizers: [hold] });
    desk.world.mirror.onCommit(({ type, name, event, object }) => {
      if (type !== 'configmaps') return;
      if (event === 'DELETED' && (name === owner || name === middle) && isThere(leaf))
        throw new Violation('collected', `${name} is gone before ${leaf}, which blocks its deletion`);
      if (name === leaf && isGone(owner) && object?.metadata.deletionTimestamp) void letGo(leaf);
    });
    await remove(desk, owner, 'Foreground');
    await desk.eventually(`that ${leaf} goes`, () => {
      const found = desk.world.mirror.get<KubeObject>(sort.kind, 'default', leaf);
      return found?.metadata.deletionTimestamp !== undefined;
    });
    await letGo(leaf);
    await desk.eventually(`the end of ${owner}`, () => [owner, middle, leaf].every(isGone));
    desk.expect(`whether ${other} is there`, isThere(other), true);
    await desk.eventually(`that ${other} goes`, () => {
      const found = desk.world.mirror.get<KubeObject>(sort.kind, 'default', other);
      return found?.metadata.deletionTimestamp !== undefined;
    });
    await letGo(other);
    await desk.eventually(`the end of ${other}`, () => isGone(other));
  },
  'change the propagation policy of a deletion': async (desk: Desk) => {
    const { isGone, isOver, isThere, letGo, ownersOf } = look(desk);
    const [owner, dependent] = names(desk, 'owner', 'dependent') as [string, string];
    const first = await desk.make(sort, { name: owner });
    const blocks = referenceTo(first, { blockOwnerDeletion: true });
    await desk.make(sort, { name: dependent, ownerReferences: [blocks], finalizers: [hold] });
    await remove(desk, owner, 'Foreground');
    await sleep(desk.clock, desk.draw.spread(100, 60_000));
    const again = desk.draw.pick(['Foreground', 'Background', 'Orphan']);
    await remove(desk, owner, again);
    if (again === 'Foreground') await desk.meanwhile(`that ${owner} waits for ${dependent}`, () => isThere(owner));
    else await desk.eventually(`the end of ${owner}, which waits for no dependent any more`, () => isOver(first));
    desk.expect(`whether ${dependent} is there`, isThere(dependent), true);
    if (again === 'Orphan') desk.expect(`owners of ${dependent}`, ownersOf(dependent), 0);
    if (again === 'Background')
      await desk.eventually(`that ${dependent} goes`, () => {
        const found = desk.world.mirror.get<KubeObject>(sort.kind, 'default', dependent);
        return found?.metadata.deletionTimestamp !== undefined;
      });
    await letGo(dependent);
    if (isThere(dependent)) await remove(desk, dependent);
    await desk.eventually(`the end of ${owner} and of ${dependent}`, () => isGone(owner) && isGone(dependent));
  },
  'collect an owner that orphans': async (desk: Desk) => {
    const { isGone, isThere } = look(desk);
    const [owner, middle, leaf] = names(desk, 'owner', 'middle', 'leaf') as [string, string, string];
    const first = await desk.make(sort, { name: owner });
    // The finalizer of the middle object says that its dependents are to be orphaned.
    const second = await desk.make(sort, {
      name: middle,
      ownerReferences: [referenceTo(first)],
      finalizers: ['orphan'],
    });
    await own(desk, leaf, [referenceTo(second)]);
    await desk.meanwhile(`that ${leaf} exists with its owners`, () => isThere(leaf) && isThere(middle));
    await remove(desk, owner);
    await desk.eventually(`the end of ${middle}`, () => isGone(middle));
    await desk.meanwhile(`that ${leaf} exists without an owner`, () => isThere(leaf));
  },
  'delete an owner that orphans': async (desk: Desk) => {
    const { isGone, isThere, ownersOf } = look(desk);
    const [owner, ...dependents] = names(desk, 'owner', 'a', 'b', 'c', 'd', 'e') as [string, ...string[]];
    const first = await desk.make(sort, { name: owner });
    const [shared] = names(desk, 'shared') as [string];
    const other = await desk.make(sort, { name: desk.newName() });
    for (const dependent of dependents) await own(desk, dependent, [referenceTo(first)]);
    await own(desk, shared, [referenceTo(first), referenceTo(other, { controller: true })]);
    const [namesakes] = names(desk, 'of-namesakes') as [string];
    const namesake = { apiVersion: 'apps/v1', kind: 'Deployment', name: owner, uid: other.metadata.uid! };
    await own(desk, namesakes, [referenceTo(first), namesake]);
    desk.world.mirror.onCommit(({ event, uid }) => {
      if (event !== 'DELETED' || uid !== first.metadata.uid) return;
      const bound = dependents.filter((dependent) => ownersOf(dependent) > 0);
      if (bound.length > 0) throw new Violation('collected', `${owner} is gone before it orphaned ${bound.join(', ')}`);
    });
    await remove(desk, owner, 'Orphan');
    await desk.eventually(`the end of ${owner}`, () => isGone(owner));
    const isLeft = (dependent: string) => isThere(dependent) && ownersOf(dependent) === 0;
    // An object with another owner stays owned by that one.
    desk.expect(`owners of ${shared}, of which one is gone`, ownersOf(shared), 1);
    desk.expect(`owners of ${namesakes}, of which one is gone`, ownersOf(namesakes), 1);
    await remove(desk, namesakes);
    await desk.meanwhile(`that ${dependents.join(', ')} exist without an owner`, () => dependents.every(isLeft));
    await remove(desk, other.metadata.name);
    await desk.eventually(`the end of ${shared}`, () => isGone(shared));
  },
  'delete a namespace': async (desk: Desk) => {
    const { mirror } = desk.world;
    const name = desk.newName();
    const place = `/api/v1/namespaces/${name}`;
    await desk.ask('POST', '/api/v1/namespaces', 201, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const [held, namesake] = ['held', desk.newName()] as const;
    for (const one of sorts) await desk.make(one, { name: `of-${one.kind.toLowerCase()}`, namespace: name });
    await desk.make(sort, { name: held, namespace: name, finalizers: [hold] });
    await desk.make(sort, { name: namesake });
    await desk.make(sort, { name: namesake, namespace: name }, 'second');
    const there = () => sorts.flatMap(({ kind }) => mirror.all(kind)).filter((one) => one.metadata.namespace === name);
    mirror.onCommit(({ type, event, name: of }) => {
      if (type === 'namespaces' && event === 'DELETED' && of === name && there().length > 0)
        throw new Violation('collected', `namespace ${name} is gone before ${there().map((one) => one.metadata.name)}`);
    });
    // An update cannot remove the finalizer that empties the namespace.
    await desk.ask('PATCH', place, 200, { spec: { finalizers: null } });
    await desk.ask('DELETE', place, 200);
    await desk.ask('POST', `${place}/configmaps`, 403, bodyOf(sort, { name: 'late' }));
    await desk.eventually(`that only ${held} is left`, () => there().every((one) => one.metadata.name === held));
    const told = () => (mirror.get('Namespace', '', name)?.status as { conditions?: Condition[] }).conditions ?? [];
    await desk.eventually(`that namespace ${name} reports what blocks its deletion`, () =>
      told().some(({ type, status }) => type === 'NamespaceFinalizersRemaining' && status === 'True'),
    );
    await desk.meanwhile(`namespace ${name}`, () => mirror.get('Namespace', '', name) !== undefined);
    await desk.ask('PATCH', placeOf(sort, held, name), 200, { metadata: { finalizers: null } }).catch((error) => {
      if (there().length > 0) throw error;
    });
    await desk.eventually(`the end of namespace ${name}`, () => !mirror.get('Namespace', '', name));
    const kept = await desk.ask('GET', placeOf(sort, namesake), 200);
    desk.expect(`the word of ${namesake}`, sort.wordIn(kept), 'first');
  },
  'delete a namespace with a custom finalizer': async (desk: Desk) => {
    const { mirror } = desk.world;
    const name = desk.newName();
    const place = `/api/v1/namespaces/${name}`;
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: { finalizers: [hold] } };
    await desk.ask('POST', '/api/v1/namespaces', 201, namespace);
    await desk.make(sort, { name: 'inside', namespace: name });
    await desk.ask('DELETE', place, 200);
    const finalizers = () =>
      mirror.get<KubeObject<{ finalizers?: string[] }>>('Namespace', '', name)?.spec?.finalizers ?? [];
    await desk.eventually(`that only ${hold} blocks namespace ${name}`, () => finalizers().join() === hold);
    desk.expect(`what is in ${name}`, mirror.get(sort.kind, name, 'inside'), undefined);
    await desk.meanwhile(`namespace ${name}`, () => finalizers().join() === hold);
    const found = await desk.ask('GET', place, 200);
    await desk.client.request('PUT', `${place}/finalize`, { ...found, spec: { finalizers: [] } });
    await desk.eventually(`the end of namespace ${name}`, () => !mirror.get('Namespace', '', name));
  },
};

/**
 * Rare sorts of owner references: an owner of very many dependents, duplicate owners, and owners in
 * an old version.
 */
import { look, referenceTo, remove } from './collection.ts';
import { configMaps, placeOf, type Session, templates } from './session.ts';

/** More than one page of the garbage collector. */
const many = 103;

export const owners = {
  'delete an owner of many': async (session: Session) => {
    const { draw } = session;
    const { isGone } = look(session);
    const owner = session.newName();
    const ownerReferences = [referenceTo(await session.make(configMaps, { name: owner }))];
    const isOfMany = draw.chance(0.5);
    const names = Array.from({ length: isOfMany ? many : draw.whole(2, 5) }, () => session.newName());
    for (const name of names) await session.post(configMaps, { name, ownerReferences });
    await remove(session, owner, isOfMany ? 'Background' : 'Foreground');
    await session.eventually(`the end of all ${names.length} of ${owner}`, () => names.every(isGone));
  },
  'reference an owner twice': async (session: Session) => {
    const { ownersOf } = look(session);
    const [owner, dependent] = [session.newName(), session.newName()];
    const reference = referenceTo(await session.make(configMaps, { name: owner }));
    const ownerReferences = [reference, { ...reference, blockOwnerDeletion: true }];
    const isLater = session.draw.chance(0.5);
    await session.make(configMaps, { name: dependent, ...(!isLater && { ownerReferences }) });
    if (isLater) await session.ask('PATCH', placeOf(configMaps, dependent), 200, { metadata: { ownerReferences } });
    session.expect(`the number of owners of ${dependent}`, ownersOf(dependent), 1);
  },
  'reference an owner in an old version': async (session: Session) => {
    const { isGone, isThere } = look(session);
    const [owner, dependent] = [session.newName(), session.newName()];
    const first = await session.make(templates, { name: owner });
    const apiVersion = templates.apiVersion.replace('v1beta2', 'v1beta1');
    await session.make(configMaps, { name: dependent, ownerReferences: [referenceTo({ ...first, apiVersion })] });
    await session.meanwhile(`that ${dependent} exists with its owner`, () => isThere(dependent));
    await session.ask('DELETE', placeOf(templates, owner), 200);
    await session.eventually(`the end of ${dependent}`, () => isGone(dependent));
  },
};

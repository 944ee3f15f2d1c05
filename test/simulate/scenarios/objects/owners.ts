/**
 * Rare sorts of owner references: an owner of very many dependents, duplicate owners, and owners in
 * an old version.
 */
import { look, referenceTo, remove } from './collection.ts';
import { configMaps, type Desk, placeOf, templates } from './session.ts';

/** More than one page of the garbage collector. */
const many = 103;

export const owners = {
  'delete an owner of many': async (desk: Desk) => {
    const { draw } = desk;
    const { isGone } = look(desk);
    const owner = desk.newName();
    const ownerReferences = [referenceTo(await desk.make(configMaps, { name: owner }))];
    const isOfMany = draw.chance(0.5);
    const names = Array.from({ length: isOfMany ? many : draw.whole(2, 5) }, () => desk.newName());
    for (const name of names) await desk.post(configMaps, { name, ownerReferences });
    await remove(desk, owner, isOfMany ? 'Background' : 'Foreground');
    await desk.eventually(`the end of all ${names.length} of ${owner}`, () => names.every(isGone));
  },
  'reference an owner twice': async (desk: Desk) => {
    const { ownersOf } = look(desk);
    const [owner, dependent] = [desk.newName(), desk.newName()];
    const reference = referenceTo(await desk.make(configMaps, { name: owner }));
    const ownerReferences = [reference, { ...reference, blockOwnerDeletion: true }];
    const isLater = desk.draw.chance(0.5);
    await desk.make(configMaps, { name: dependent, ...(!isLater && { ownerReferences }) });
    if (isLater) await desk.ask('PATCH', placeOf(configMaps, dependent), 200, { metadata: { ownerReferences } });
    desk.expect(`the number of owners of ${dependent}`, ownersOf(dependent), 1);
  },
  'reference an owner in an old version': async (desk: Desk) => {
    const { isGone, isThere } = look(desk);
    const [owner, dependent] = [desk.newName(), desk.newName()];
    const first = await desk.make(templates, { name: owner });
    const apiVersion = templates.apiVersion.replace('v1beta2', 'v1beta1');
    await desk.make(configMaps, { name: dependent, ownerReferences: [referenceTo({ ...first, apiVersion })] });
    await desk.meanwhile(`that ${dependent} exists with its owner`, () => isThere(dependent));
    await desk.ask('DELETE', placeOf(templates, owner), 200);
    await desk.eventually(`the end of ${dependent}`, () => isGone(dependent));
  },
};

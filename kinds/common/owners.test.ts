import { describe, expect, it } from 'vitest';
import type { KubeObject, OwnerReference } from '../../machinery/api/object.ts';
import { controllerReference, hasReference, ownerReference, withController, withOwner } from './owners.ts';

const object = (name: string, ownerReferences?: OwnerReference[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, uid: `uid-${name}`, ...(ownerReferences && { ownerReferences }) },
});
const [first, second] = [object('first'), object('second')];

describe('owner references', () => {
  it('name the direct owner only', () => {
    const owned = object('owned', [controllerReference(first)]);
    expect(ownerReference(owned)).toEqual({ apiVersion: 'v1', kind: 'Thing', name: 'owned', uid: 'uid-owned' });
  });

  it.each([
    { rule: 'are added', owners: [], added: ownerReference(first), is: [ownerReference(first)] },
    {
      rule: 'keep other owners',
      owners: [ownerReference(second)],
      added: controllerReference(first),
      is: [ownerReference(second), controllerReference(first)],
    },
    {
      rule: 'update an existing owner',
      owners: [ownerReference(first), ownerReference(second)],
      added: controllerReference(first),
      is: [ownerReference(second), controllerReference(first)],
    },
  ])('$rule', ({ owners, added, is }) => expect(withOwner(object('owned', owners), added)).toEqual(is));

  it('have one controller', () => {
    const former = object('owned', [controllerReference(second), ownerReference(first)]);
    expect(withController(former, controllerReference(first))).toEqual([controllerReference(first)]);
    const owned = object('owned', [ownerReference(second)]);
    expect(withController(owned, controllerReference(first))).toEqual([
      ownerReference(second),
      controllerReference(first),
    ]);
  });

  it.each<{ rule: string; change: Partial<OwnerReference>; is: boolean }>([
    { rule: 'match their owner', change: {}, is: true },
    { rule: 'do not match another UID', change: { uid: 'x' }, is: false },
    { rule: 'are outdated with an older apiVersion', change: { apiVersion: 'v1beta1' }, is: false },
    { rule: 'are outdated with another kind', change: { kind: 'Former' }, is: false },
    { rule: 'are outdated with another name', change: { name: 'former' }, is: false },
    { rule: 'do not match without controller', change: { controller: false }, is: false },
    {
      rule: 'match when the garbage collector cleared blockOwnerDeletion',
      change: { blockOwnerDeletion: false },
      is: true,
    },
  ])('$rule', ({ change, is }) => {
    const owned = object('owned', [{ ...controllerReference(first), ...change }]);
    expect(hasReference(owned, controllerReference(first))).toBe(is);
  });
});

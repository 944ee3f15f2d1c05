import { describe, expect, it } from 'vitest';
import type { KubeObject, OwnerReference } from '../../machinery/api/object.ts';
import { controllerReference, hasReference, ownerReference, withController, withOwner } from './owners.ts';

const object = (name: string, ownerReferences?: OwnerReference[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, uid: `uid-${name}`, ...(ownerReferences && { ownerReferences }) },
});
const [first, second] = [object('first'), object('second')];

describe('owners', () => {
  it('are named by themselves, whatever their owner', () => {
    const owned = object('owned', [controllerReference(first)]);
    expect(ownerReference(owned)).toEqual({ apiVersion: 'v1', kind: 'Thing', name: 'owned', uid: 'uid-owned' });
  });

  it.each([
    { rule: 'one is added', owners: [], added: ownerReference(first), is: [ownerReference(first)] },
    {
      rule: 'the others stay',
      owners: [ownerReference(second)],
      added: controllerReference(first),
      is: [ownerReference(second), controllerReference(first)],
    },
    {
      rule: 'one that is there already takes the new form',
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
    { rule: 'are what they are', change: {}, is: true },
    { rule: 'are others by another uid', change: { uid: 'x' }, is: false },
    { rule: 'are outdated by an older apiVersion', change: { apiVersion: 'v1beta1' }, is: false },
    { rule: 'are outdated by another kind', change: { kind: 'Former' }, is: false },
    { rule: 'are outdated by another name', change: { name: 'former' }, is: false },
    { rule: 'are others where they do not control', change: { controller: false }, is: false },
    {
      rule: 'are the same where the collector let them block no more',
      change: { blockOwnerDeletion: false },
      is: true,
    },
  ])('$rule', ({ change, is }) => {
    const owned = object('owned', [{ ...controllerReference(first), ...change }]);
    expect(hasReference(owned, controllerReference(first))).toBe(is);
  });
});

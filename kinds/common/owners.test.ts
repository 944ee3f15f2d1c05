import { describe, expect, it } from 'vitest';
import type { KubeObject, OwnerReference } from '../../machinery/api/object.ts';
import { controllerReference, ownerReference, withOwner } from './owners.ts';

const object = (name: string, ownerReferences?: OwnerReference[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, uid: `uid-${name}`, ...(ownerReferences && { ownerReferences }) },
});
const [first, second] = [object('first'), object('second')];

describe('owners', () => {
  it('are named by themselves, whoever owns them', () => {
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
});

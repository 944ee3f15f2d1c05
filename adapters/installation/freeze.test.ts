import { expect, it } from 'vitest';
import { freezeOf } from './freeze.ts';

const at = (stored: number | undefined, marked: number | undefined) =>
  freezeOf({ installation: 'here', stored, marked });

it.each([
  { rule: 'the installation has never acted', stored: undefined, marked: undefined, reason: undefined },
  { rule: 'both positions agree', stored: 7, marked: 7, reason: undefined },
  { rule: 'a crash came between the objects and the very first mark', stored: 1, marked: undefined, reason: undefined },
  { rule: 'a crash came between the objects and the mark', stored: 8, marked: 7, reason: undefined },
  { rule: 'the objects are one act behind', stored: 6, marked: 7, reason: 'ObjectsOlder' },
  { rule: 'the objects are many acts behind', stored: 1, marked: 900, reason: 'ObjectsOlder' },
  { rule: 'the objects have no position', stored: undefined, marked: 1, reason: 'ObjectsLost' },
  { rule: 'the account has no mark after many acts', stored: 2, marked: undefined, reason: 'AccountDiffers' },
  { rule: 'the account is behind', stored: 9, marked: 7, reason: 'AccountDiffers' },
])('$rule', ({ stored, marked, reason }) => expect(at(stored, marked)?.reason).toBe(reason));

it('has an ID of both positions and the installation, so that lifting one freeze lifts no other', () => {
  const other = freezeOf({ installation: 'there', stored: 6, marked: 7 });
  const ids = [at(6, 7), at(6, 8), at(5, 7), at(undefined, 7), at(0, 7), at(9, 7), other].map((freeze) => freeze?.id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(at(6, 7)?.id).toBe(at(6, 7)?.id);
});

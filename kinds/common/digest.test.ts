import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonValue } from '../../machinery/api/object.ts';
import { finish } from '../../machinery/api/steps.ts';
import { digestInSteps, digestOf } from './digest.ts';

it('is that of an object with its fields in another order', () => {
  expect(digestOf({ b: [{ d: 1, c: undefined as never }], a: 2 })).toBe(digestOf({ a: 2, b: [{ d: 1 }] }));
  expect(digestOf({ a: [1, 2] })).not.toBe(digestOf({ a: [2, 1] }));
});

it('is the same in steps', () =>
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      expect(finish(digestInSteps(value as JsonValue))).toBe(digestOf(value as JsonValue));
    }),
  ));

it('has a step for each item of a list', () => {
  const pods = Array.from({ length: 100 }, (_, at) => ({ name: `pod-${at}` }));
  expect([...digestInSteps({ snapshot: { pods } })].length).toBeGreaterThan(100);
});

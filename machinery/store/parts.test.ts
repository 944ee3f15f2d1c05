import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../api/object.ts';
import { changedParts } from './parts.ts';

const at = (minute: number) => `2026-01-01T00:0${minute}:00Z`;
const condition = (type: string, status: string, message = '', minute = 0) => ({
  type,
  status,
  reason: status,
  message,
  lastTransitionTime: at(minute),
  observedGeneration: minute,
});
const object = (status?: object, metadata: object = {}): KubeObject => ({
  apiVersion: 'toys.example/v1',
  kind: 'Widget',
  metadata: { name: 'a', ...metadata },
  ...(status && { status }),
});

describe('the parts that a change touches', () => {
  const before = {
    replicas: 1,
    message: 'waiting',
    conditions: [condition('Ready', 'False', 'no'), condition('Fitting', 'True')],
    deprecated: { v1beta1: { conditions: [condition('Ready', 'False', 'no')] } },
    steps: [{ name: 'one', message: 'waiting' }],
  };
  it.each([
    { rule: 'words alone are no facts', next: { message: 'still waiting' }, parts: ['status'] },
    {
      rule: 'nor are the words and times of conditions',
      next: { conditions: [condition('Ready', 'False', 'not yet', 1), condition('Fitting', 'True', 'x', 2)] },
      parts: ['status'],
    },
    {
      rule: 'nor those of the older conditions, and of steps',
      next: {
        deprecated: { v1beta1: { conditions: [condition('Ready', 'False', 'not yet', 1)] } },
        steps: [{ name: 'one', message: 'still waiting' }],
      },
      parts: ['status'],
    },
    {
      rule: 'what is so is a fact',
      next: { conditions: [condition('Ready', 'False', 'no'), condition('Fitting', 'False')] },
      parts: ['status', 'facts'],
    },
    {
      rule: 'also of older conditions',
      next: { deprecated: { v1beta1: { conditions: [condition('Ready', 'True')] } } },
      parts: ['status', 'facts'],
    },
    { rule: 'the end of a step is one', next: { steps: [{ name: 'one', ended: at(1) }] }, parts: ['status', 'facts'] },
    { rule: 'numbers are counted', next: { readyReplicas: 2 }, parts: ['status', 'facts', 'verdict'] },
    {
      rule: 'replica counts are a part of their own, for the controller that replaces the objects',
      next: { replicas: 2 },
      parts: ['status', 'facts', 'verdict', 'available'],
    },
    {
      rule: 'and what is Ready',
      next: { conditions: [condition('Ready', 'True'), condition('Fitting', 'True')] },
      parts: ['status', 'facts', 'verdict'],
    },
    {
      rule: 'what is Available stands out, and how many are',
      next: { availableReplicas: 1 },
      parts: ['status', 'facts', 'verdict', 'available'],
    },
    {
      rule: 'as a condition, too',
      next: { conditions: [...before.conditions, condition('Available', 'True')] },
      parts: ['status', 'facts', 'verdict', 'available'],
    },
    {
      rule: 'what is initialized is waited for',
      next: { initialization: { done: true } },
      parts: ['status', 'facts', 'latched'],
    },
  ])('$rule', ({ next, parts }) => expect(changedParts(object(before), object({ ...before, ...next }))).toEqual(parts));

  const deleting = { deletionTimestamp: at(0), finalizers: ['a', 'b'] };
  it.each([
    { rule: 'begins a deletion', old: { finalizers: ['a', 'b'] }, next: deleting, parts: ['deleting'] },
    {
      rule: 'deletes otherwise',
      old: deleting,
      next: { ...deleting, finalizers: ['a', 'b', 'foregroundDeletion'] },
      parts: ['metadata', 'deleting'],
    },
    { rule: 'lets go', old: deleting, next: { ...deleting, finalizers: ['b'] }, parts: ['metadata'] },
  ])('$rule', ({ old, next, parts }) =>
    expect(changedParts(object(undefined, old), object(undefined, next))).toEqual(parts));

  it('of metadata are a direction where the kind says what others act on', () => {
    const kind = { direction: ({ metadata }: KubeObject) => metadata.annotations?.goal ?? null };
    const noted = (annotations: Record<string, string>) => object(undefined, { annotations });
    expect(changedParts(noted({ goal: 'a' }), noted({ goal: 'b' }), kind)).toEqual(['metadata', 'direction']);
    expect(changedParts(noted({ goal: 'a' }), noted({ goal: 'a', note: 'b' }), kind)).toEqual(['metadata']);
    expect(changedParts(noted({ goal: 'a' }), noted({ goal: 'b' }))).toEqual(['metadata']);
  });
});

it('takes a status field for a gate only where its kind says so', () => {
  const next = object({ node: { name: 'n' } });
  expect(changedParts(object({}), next, { gates: ['node'] })).toEqual(['status', 'facts', 'latched']);
  expect(changedParts(object({}), next)).toEqual(['status', 'facts']);
});

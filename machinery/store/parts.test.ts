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

describe('the changed parts', () => {
  const before = {
    replicas: 1,
    message: 'waiting',
    conditions: [condition('Ready', 'False', 'no'), condition('Fitting', 'True')],
    deprecated: { v1beta1: { conditions: [condition('Ready', 'False', 'no')] } },
    steps: [{ name: 'one', message: 'waiting' }],
  };
  it.each([
    { rule: 'exclude facts for a message', next: { message: 'still waiting' }, parts: ['status'] },
    {
      rule: 'exclude facts for messages and times of conditions',
      next: { conditions: [condition('Ready', 'False', 'not yet', 1), condition('Fitting', 'True', 'x', 2)] },
      parts: ['status'],
    },
    {
      rule: 'exclude facts for messages of v1beta1 conditions and of steps',
      next: {
        deprecated: { v1beta1: { conditions: [condition('Ready', 'False', 'not yet', 1)] } },
        steps: [{ name: 'one', message: 'still waiting' }],
      },
      parts: ['status'],
    },
    {
      rule: 'include facts for the status of a condition',
      next: { conditions: [condition('Ready', 'False', 'no'), condition('Fitting', 'False')] },
      parts: ['status', 'facts'],
    },
    {
      rule: 'include facts for the status of a v1beta1 condition',
      next: { deprecated: { v1beta1: { conditions: [condition('Ready', 'True')] } } },
      parts: ['status', 'facts'],
    },
    {
      rule: 'include facts for the end of a step',
      next: { steps: [{ name: 'one', ended: at(1) }] },
      parts: ['status', 'facts'],
    },
    {
      rule: 'include the verdict for a replica count',
      next: { readyReplicas: 2 },
      parts: ['status', 'facts', 'verdict'],
    },
    {
      rule: 'include available for replica counts, which the controller that replaces the objects needs',
      next: { replicas: 2 },
      parts: ['status', 'facts', 'verdict', 'available'],
    },
    {
      rule: 'include the verdict for Ready',
      next: { conditions: [condition('Ready', 'True'), condition('Fitting', 'True')] },
      parts: ['status', 'facts', 'verdict'],
    },
    {
      rule: 'include available for the number of available replicas',
      next: { availableReplicas: 1 },
      parts: ['status', 'facts', 'verdict', 'available'],
    },
    {
      rule: 'include available for the Available condition',
      next: { conditions: [...before.conditions, condition('Available', 'True')] },
      parts: ['status', 'facts', 'verdict', 'available'],
    },
    {
      rule: 'include latched for initialization',
      next: { initialization: { done: true } },
      parts: ['status', 'facts', 'latched'],
    },
  ])('$rule', ({ next, parts }) => expect(changedParts(object(before), object({ ...before, ...next }))).toEqual(parts));

  const deleting = { deletionTimestamp: at(0), finalizers: ['a', 'b'] };
  it.each([
    { rule: 'name the start of a deletion', old: { finalizers: ['a', 'b'] }, next: deleting, parts: ['deleting'] },
    {
      rule: 'name another deletion policy',
      old: deleting,
      next: { ...deleting, finalizers: ['a', 'b', 'foregroundDeletion'] },
      parts: ['metadata', 'deleting'],
    },
    {
      rule: 'omit the deletion when a finalizer goes',
      old: deleting,
      next: { ...deleting, finalizers: ['b'] },
      parts: ['metadata'],
    },
  ])('$rule', ({ old, next, parts }) =>
    expect(changedParts(object(undefined, old), object(undefined, next))).toEqual(parts));

  it('include direction where the kind defines one', () => {
    const kind = { direction: ({ metadata }: KubeObject) => metadata.annotations?.goal ?? null };
    const noted = (annotations: Record<string, string>) => object(undefined, { annotations });
    expect(changedParts(noted({ goal: 'a' }), noted({ goal: 'b' }), kind)).toEqual(['metadata', 'direction']);
    expect(changedParts(noted({ goal: 'a' }), noted({ goal: 'a', note: 'b' }), kind)).toEqual(['metadata']);
    expect(changedParts(noted({ goal: 'a' }), noted({ goal: 'b' }))).toEqual(['metadata']);
  });
});

it('treats a status field as a gate only where its kind says so', () => {
  const next = object({ node: { name: 'n' } });
  expect(changedParts(object({}), next, { gates: ['node'] })).toEqual(['status', 'facts', 'latched']);
  expect(changedParts(object({}), next)).toEqual(['status', 'facts']);
});

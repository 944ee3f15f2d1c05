import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../api/object.ts';
import { levelOf } from './level.ts';

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

const marks = { gates: ['node', 'deep.inner', 'Fitting'], notes: ['message', 'seen', 'steps.message'] };
const before = {
  replicas: 1,
  message: 'waiting',
  conditions: [condition('Ready', 'False', 'no'), condition('Fitting', 'True')],
  deprecated: { v1beta1: { conditions: [condition('Ready', 'False', 'no')] } },
  steps: [{ name: 'one', message: 'waiting' }],
};

describe('the level of a changed status', () => {
  it.each([
    { rule: 'a message: a note', next: { message: 'still waiting' }, level: 'note' },
    { rule: 'a field that the kind marks: a note', next: { seen: at(1) }, level: 'note' },
    {
      rule: 'messages and times of conditions: a note',
      next: { conditions: [condition('Ready', 'False', 'not yet', 1), condition('Fitting', 'True', 'x', 2)] },
      level: 'note',
    },
    {
      rule: 'messages of v1beta1 conditions and of marked lists: a note',
      next: {
        deprecated: { v1beta1: { conditions: [condition('Ready', 'False', 'not yet', 1)] } },
        steps: [{ name: 'one', message: 'still waiting' }],
      },
      level: 'note',
    },
    {
      rule: 'a condition: a count',
      next: { conditions: [condition('Ready', 'True'), condition('Fitting', 'True')] },
      level: 'count',
    },
    {
      rule: 'a v1beta1 condition: a count',
      next: { deprecated: { v1beta1: { conditions: [condition('Ready', 'True')] } } },
      level: 'count',
    },
    { rule: 'the end of a step: a count', next: { steps: [{ name: 'one', ended: at(1) }] }, level: 'count' },
    { rule: 'replicas: a count', next: { replicas: 2 }, level: 'count' },
    { rule: 'a marked field: a gate', next: { node: { name: 'n' } }, level: 'gate' },
    { rule: 'a marked inner field: a gate', next: { deep: { inner: true } }, level: 'gate' },
    { rule: 'the field beside a marked one: a count', next: { deep: { other: true } }, level: 'count' },
    {
      rule: 'a marked condition: a gate',
      next: { conditions: [condition('Ready', 'False', 'no'), condition('Fitting', 'False')] },
      level: 'gate',
    },
    {
      rule: 'a marked condition that stays untrue: a note',
      from: { conditions: [condition('Fitting', 'False')] },
      next: { conditions: [condition('Fitting', 'Unknown')] },
      level: 'note',
    },
  ])('$rule', ({ from = {}, next, level }) => {
    const old = { ...before, ...from };
    expect(levelOf(object(old), object({ ...old, ...next }), marks, false)).toBe(level);
  });
});

describe('the level of a changed object', () => {
  const deleting = { deletionTimestamp: at(0), finalizers: ['a', 'b'] };
  const owned = { ownerReferences: [{ apiVersion: 'v1', kind: 'Owner', name: 'o', uid: 'u' }] };
  const noted = { annotations: { note: 'x' } };
  it.each([
    { rule: 'the start of a deletion: itself', old: { finalizers: ['a', 'b'] }, next: deleting },
    {
      rule: 'another deletion policy: itself',
      old: deleting,
      next: { ...deleting, finalizers: ['a', 'b', 'foregroundDeletion'] },
    },
    { rule: 'labels: itself', old: {}, next: { labels: { a: 'b' } } },
    { rule: 'owners: itself', old: {}, next: owned },
    { rule: 'a finalizer that goes: a note', old: deleting, next: { ...deleting, finalizers: ['b'] }, level: 'note' },
    { rule: 'a controller’s annotation: a note', old: {}, next: noted, level: 'note' },
    { rule: 'a client’s annotation: itself', old: {}, next: noted, isByClient: true },
  ])('$rule', ({ old, next, level, isByClient = false }) =>
    expect(levelOf(object(undefined, old), object(undefined, next), {}, isByClient)).toBe(level));

  const sized = (size: number) => ({ ...object(), spec: { size } });
  it('a client’s spec: itself', () => expect(levelOf(sized(1), sized(2), {}, true)).toBeUndefined());
  it('a controller’s spec: a count', () => expect(levelOf(sized(1), sized(2), {}, false)).toBe('count'));
  it('a controller’s spec that its kind marks: a gate', () =>
    expect(levelOf(sized(1), sized(2), { gates: ['spec'] }, false)).toBe('gate'));

  it('follows the direction where the kind defines one', () => {
    const kind = { direction: ({ metadata }: KubeObject) => metadata.annotations?.goal ?? null };
    const noted = (annotations: Record<string, string>) => object(undefined, { annotations });
    const [a, b] = [noted({ goal: 'a' }), noted({ goal: 'b' })];
    expect(levelOf(a, b, kind, false)).toBeUndefined();
    expect(levelOf(a, noted({ goal: 'a', note: 'b' }), kind, false)).toBe('note');
    expect(levelOf(a, noted({ goal: 'a', note: 'b' }), kind, true)).toBe('gate');
  });
});

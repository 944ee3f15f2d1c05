import { expect, it } from 'vitest';
import { holdOf } from './hold.ts';

const deletionTimestamp = '2026-01-01T00:00:00Z';
const own = 'awsmachine.infrastructure.cluster.x-k8s.io';

it.each<{ rule: string; metadata: object; hold: string | undefined }>([
  { rule: 'nothing, if there is neither', metadata: { finalizers: [own] }, hold: undefined },
  {
    rule: 'the annotation that pauses it, whatever its value',
    metadata: { annotations: { 'cluster.x-k8s.io/paused': 'false' } },
    hold: 'is held by its annotation cluster.x-k8s.io/paused',
  },
  {
    rule: 'the only finalizer that is left, if no controller of Capstan removes it',
    metadata: { deletionTimestamp, finalizers: ['example.com/backup'] },
    hold: 'is held by its finalizer example.com/backup',
  },
  {
    rule: 'two of them',
    metadata: { deletionTimestamp, finalizers: ['example.com/a', 'example.com/b'] },
    hold: 'is held by its finalizers example.com/a, example.com/b',
  },
  {
    rule: 'no finalizer while a controller of Capstan still has its own',
    metadata: { deletionTimestamp, finalizers: ['example.com/backup', own] },
    hold: undefined,
  },
  {
    rule: 'no finalizer of Capstan',
    metadata: { deletionTimestamp, finalizers: ['capstan.dev/operations'] },
    hold: undefined,
  },
  { rule: 'no finalizer of an object that stays', metadata: { finalizers: ['example.com/backup'] }, hold: undefined },
])('an object is held by $rule', ({ metadata, hold }) =>
  expect(holdOf({ apiVersion: 'v1', kind: 'Machine', metadata: { name: 'a', ...metadata } })).toBe(hold));

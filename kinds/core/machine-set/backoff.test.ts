import { describe, expect, it } from 'vitest';
import type { Machine } from '../machine/schema.ts';
import { type Backoff, backoffOf, remediationsAnnotation, remediationsNote } from './backoff.ts';
import type { MachineSet } from './schema.ts';

const now = Date.parse('2026-01-01T12:00:00Z');
const ago = (minutes: number) => new Date(now - minutes * 60_000).toISOString();
const machineOf = (name: string, made: number, available = false, isGoing = false) =>
  ({
    kind: 'Machine',
    metadata: { name, creationTimestamp: ago(made), ...(isGoing && { deletionTimestamp: ago(1) }) },
    status: { conditions: [{ type: 'Available', status: available ? 'True' : 'False' }] },
  }) as unknown as Machine;
const setOf = (annotations: Record<string, string> = {}, version = 'v1.35.0') =>
  ({
    kind: 'MachineSet',
    metadata: { name: 'set', annotations },
    spec: { template: { spec: { version } } },
  }) as unknown as MachineSet;
/** The set after so many remediations in a row, the last one some minutes ago. */
const remediated = (count: number, minutes: number, more: Record<string, string> = {}) => {
  let annotations: Record<string, string> = {};
  const failing = machineOf('x', 0);
  for (let n = 0; n < count; n++) {
    const note = remediationsNote(setOf(annotations), [failing], [failing], now - minutes * 60_000);
    annotations = { [remediationsAnnotation]: note! };
  }
  return setOf({ ...annotations, ...more });
};

describe('the next remediation of a set', () => {
  const fresh = machineOf('fresh', 1);
  const old = machineOf('old', 600);
  it.each<{ rule: string; set: MachineSet; ill: Machine[]; others?: Machine[]; backoff: Backoff }>([
    { rule: 'is free at first', set: setOf(), ill: [fresh], backoff: { state: 'Free' } },
    {
      rule: 'waits five minutes once a replacement fails',
      set: remediated(1, 2),
      ill: [fresh],
      backoff: { state: 'Waiting', seconds: 180, delay: 300, count: 1 },
    },
    { rule: 'is free after five minutes', set: remediated(1, 5), ill: [fresh], backoff: { state: 'Free' } },
    {
      rule: 'waits a quarter of an hour for the third',
      set: remediated(2, 2),
      ill: [fresh],
      backoff: { state: 'Waiting', seconds: 780, delay: 900, count: 2 },
    },
    {
      rule: 'waits an hour for the fourth',
      set: remediated(3, 2),
      ill: [fresh],
      backoff: { state: 'Waiting', seconds: 3480, delay: 3600, count: 3 },
    },
    {
      rule: 'is held after four replacements that never became Available',
      set: remediated(4, 900),
      ill: [fresh],
      backoff: { state: 'Held', count: 4 },
    },
    {
      rule: 'is free for a Machine older than the last remediation',
      set: remediated(4, 2),
      ill: [old],
      backoff: { state: 'Free' },
    },
    {
      rule: 'waits for older Machines too while a replacement fails',
      set: remediated(4, 2),
      ill: [old, fresh],
      backoff: { state: 'Held', count: 4 },
    },
    {
      rule: 'is free once a replacement is Available',
      set: remediated(4, 2),
      ill: [fresh],
      others: [machineOf('good', 1, true)],
      backoff: { state: 'Free' },
    },
    {
      rule: 'ignores an Available Machine in deletion',
      set: remediated(4, 2),
      ill: [fresh],
      others: [machineOf('going', 1, true, true)],
      backoff: { state: 'Held', count: 4 },
    },
    {
      rule: 'is free after a change of the template',
      set: setOf(remediated(4, 2).metadata.annotations, 'v1.36.0'),
      ill: [fresh],
      backoff: { state: 'Free' },
    },
    {
      rule: 'is free if a user disables the backoff',
      set: remediated(4, 2, { 'capstan.dev/remediation-backoff': 'Off' }),
      ill: [fresh],
      backoff: { state: 'Free' },
    },
    {
      rule: 'is free with an unreadable note',
      set: setOf({ [remediationsAnnotation]: '{"count":"many"}' }),
      ill: [fresh],
      backoff: { state: 'Free' },
    },
  ])('$rule', ({ set, ill, others = [], backoff }) =>
    expect(backoffOf(set, [...ill, ...others], ill, now)).toEqual(backoff));
});

describe('the note of remediations', () => {
  const fresh = machineOf('fresh', 1);
  const countOf = (note: string | null | undefined) => (note ? (JSON.parse(note) as { count: number }).count : note);
  it.each<{
    rule: string;
    set: MachineSet;
    machines: Machine[];
    replaced: Machine[];
    count: number | null | undefined;
  }>([
    { rule: 'starts with the first remediation', set: setOf(), machines: [fresh], replaced: [fresh], count: 1 },
    { rule: 'counts each failing replacement', set: remediated(2, 20), machines: [fresh], replaced: [fresh], count: 3 },
    {
      rule: 'does not count the remediation of an older Machine',
      set: remediated(2, 20),
      machines: [],
      replaced: [machineOf('old', 600)],
      count: undefined,
    },
    {
      rule: 'stays while no replacement is Available',
      set: remediated(2, 20),
      machines: [],
      replaced: [],
      count: undefined,
    },
    {
      rule: 'goes once a replacement is Available',
      set: remediated(2, 20),
      machines: [machineOf('good', 1, true)],
      replaced: [],
      count: null,
    },
    {
      rule: 'goes with the template that it is about',
      set: setOf(remediated(2, 20).metadata.annotations, 'v1.36.0'),
      machines: [],
      replaced: [],
      count: null,
    },
    {
      rule: 'is absent on a set that was never remediated',
      set: setOf(),
      machines: [],
      replaced: [],
      count: undefined,
    },
  ])('$rule', ({ set, machines, replaced, count }) =>
    expect(countOf(remediationsNote(set, machines, replaced, now))).toBe(count));
});

import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { alarmed, alarmFaults, alarmsOf } from './alarms.ts';

const own = { min: 1, max: 5 };
const two = 'queue-deep min=3 max=10\nslow answers min=4';

describe('the sizes of a pool with alarms', () => {
  it.each<{ rule: string; text?: string; alarming: string[]; is: object }>([
    { rule: 'are its own without an alarm', alarming: [], is: { sizes: undefined, entries: [] } },
    { rule: 'are its own while others are in ALARM', alarming: ['other'], is: { sizes: undefined, entries: [] } },
    {
      rule: 'are those of the entry of the alarm',
      alarming: ['queue-deep'],
      is: { sizes: { min: 3, max: 10 }, entries: ['queue-deep min=3 max=10'] },
    },
    {
      rule: 'keep the own size that the entry does not name',
      alarming: ['slow answers'],
      is: { sizes: { min: 4, max: 5 }, entries: ['slow answers min=4'] },
    },
    {
      rule: 'are the largest of all entries',
      alarming: ['queue-deep', 'slow answers'],
      is: { sizes: { min: 4, max: 10 }, entries: ['queue-deep min=3 max=10', 'slow answers min=4'] },
    },
    {
      rule: 'ignore an entry that contradicts them',
      text: 'a min=6',
      alarming: ['a'],
      is: { sizes: undefined, entries: [] },
    },
  ])('$rule', ({ text = two, alarming, is }) => expect(alarmed(text, own, new Set(alarming))).toEqual(is));
});

it('a pool names its alarms', () => {
  const annotations = { 'capstan.dev/autoscale-alarms': `${two};broken` };
  const object: KubeObject = { apiVersion: 'v1', kind: 'MachineDeployment', metadata: { name: 'a', annotations } };
  expect(alarmsOf(object)).toEqual(['queue-deep', 'slow answers']);
  expect(alarmsOf({ ...object, metadata: { name: 'a' } })).toEqual([]);
});

describe('alarms', () => {
  const form = 'must be the name of an alarm with min= or max=, each once';
  it.each<{ rule: string; text: string; faults: object[] }>([
    { rule: 'are valid', text: `${two}; Third\\One: 5xx max=9`, faults: [] },
    { rule: 'must not be empty', text: ' ;\n', faults: [{ at: 0, detail: form }] },
    { rule: 'need a size', text: 'a', faults: [{ at: 0, value: 'a', detail: form }] },
    { rule: 'need a name', text: 'min=1', faults: [{ at: 0, detail: form }] },
    { rule: 'have each size once', text: 'a min=1 min=2', faults: [{ at: 0, detail: form }] },
    { rule: 'have no other settings', text: 'a min=1 for=5m', faults: [{ at: 0, detail: form }] },
    { rule: 'need sizes that are numbers', text: 'b max=9;a min=x', faults: [{ at: 1, field: 'min', value: 'x' }] },
    { rule: 'need sizes of one value', text: 'a min=1=2', faults: [{ at: 0, field: 'min', value: '1=2' }] },
    {
      rule: 'need sizes that fit the pool',
      text: 'a min=6',
      faults: [
        {
          at: 0,
          field: 'min',
          detail:
            "its maximum of 5 must not be below its minimum of 6; the maximum is the pool's own: write min=6 max=6",
        },
      ],
    },
    { rule: 'are few', text: 'a min=1;'.repeat(21), faults: [{ at: 20, detail: 'must not exceed 20 entries' }] },
    { rule: 'have short names', text: `${'a'.repeat(256)} min=1`, faults: [{ at: 0, detail: form }] },
  ])('$rule', ({ text, faults }) => expect(alarmFaults(text, own)).toMatchObject(faults));
});

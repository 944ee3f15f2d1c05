import { expect, it } from 'vitest';
import { stampStatus } from './status.ts';

const now = Date.parse('2026-01-02T00:00:00Z');
const [before, after] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'];
const stamp = { form: 'v1beta2', generation: 2, now, failed: false } as const;

it('preserves the conditions of other writers under their own domain', () => {
  const audited = { type: 'example.com/Audited', status: 'True', lastTransitionTime: before, observedGeneration: 1 };
  const ready = { type: 'Ready', status: 'True', reason: 'Ready', lastTransitionTime: before, observedGeneration: 1 };
  const previous = { conditions: [audited, ready] };
  const next = { conditions: [{ type: 'Ready', status: 'True', reason: 'Ready' }, audited] };
  const { conditions } = stampStatus(next, previous, stamp);
  expect(conditions).toEqual(expect.arrayContaining([audited, { ...ready, message: '', observedGeneration: 2 }]));
  const gone = stampStatus({ conditions: [{ ...ready, status: 'False' }, audited] }, previous, stamp).conditions;
  expect(gone).toContainEqual({
    ...ready,
    status: 'False',
    message: '',
    lastTransitionTime: after,
    observedGeneration: 2,
  });
});

it.each([
  {
    rule: 'a v1beta2 condition',
    form: 'v1beta2',
    condition: { type: 'example.com/Audited', status: 'True', reason: 'Audited' },
  },
  { rule: 'a v1beta1 condition', form: 'v1beta1', condition: { type: 'example.com/Audited', status: 'True' } },
] as const)('preserves $rule of another writer, whose type has a domain', ({ form, condition }) => {
  const audited = { ...condition, lastTransitionTime: before };
  const previous = { conditions: [audited, { type: 'Ready', status: 'True', lastTransitionTime: before }] };
  const next = { conditions: [{ type: 'Ready', status: 'True' }] };
  const { conditions } = stampStatus(next, previous, { ...stamp, form });
  expect(conditions).toHaveLength(2);
  expect(conditions).toContainEqual(audited);
  // The controller may remove its own conditions.
  expect(stampStatus(next, { conditions: previous.conditions.slice(1) }, { ...stamp, form }).conditions).toHaveLength(
    1,
  );
});

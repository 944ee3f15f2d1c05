import { expect, it } from 'vitest';
import { make, widget } from '../../test/loop/kinds.ts';
import type { Admission, FieldError } from './kind.ts';
import type { KubeObject } from './object.ts';
import { ratcheted } from './ratchet.ts';

interface Spec {
  sizes?: number[];
  count?: number;
}
const odd: FieldError = { reason: 'FieldValueForbidden', field: 'spec.count', detail: 'must be even' };
const validate = ratcheted(({ spec }) => {
  const { sizes = [], count = 0 } = (spec ?? {}) as Spec;
  return [
    ...sizes.flatMap((size, i): FieldError[] =>
      size < 0
        ? [{ reason: 'FieldValueInvalid', field: `spec.sizes[${i}]`, value: size, detail: 'must not be negative' }]
        : [],
    ),
    ...(count % 2 === 0 ? [] : [odd]),
  ];
});
const of = (spec: Spec): KubeObject => make(widget, 'a', { spec });
const fieldsOf = (spec: Spec, old?: Spec): string[] => {
  const admission: Admission = {
    operation: old ? 'update' : 'create',
    ...(old && { old: of(old) }),
    user: { username: '', groups: [] },
    dryRun: false,
  };
  return validate(of(spec), admission).map(({ field }) => field);
};

it.each([
  { rule: 'is reported in a new object', spec: { sizes: [-1] }, says: ['spec.sizes[0]'] },
  { rule: 'is tolerated when it is already stored', spec: { sizes: [-1], count: 2 }, old: { sizes: [-1] }, says: [] },
  { rule: 'is reported with another value', spec: { sizes: [-2] }, old: { sizes: [-1] }, says: ['spec.sizes[0]'] },
  { rule: 'is reported in another place', spec: { sizes: [1, -1] }, old: { sizes: [-1] }, says: ['spec.sizes[1]'] },
  {
    rule: 'is reported beside a stored one',
    spec: { sizes: [-1], count: 1 },
    old: { sizes: [-1] },
    says: ['spec.count'],
  },
  {
    rule: 'is reported when its field changes, although it names no value',
    spec: { count: 3 },
    old: { count: 1 },
    says: ['spec.count'],
  },
])('an invalid field $rule', ({ spec, old, says }) => expect(fieldsOf(spec, old)).toEqual(says));

import type { FieldError, KindDefinition } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Infer, int32, object, string, time } from '../../../machinery/api/schema.ts';
import { age, defineBuiltIn } from '../built-in.ts';
import { lease as facts } from './kind.ts';

const spec = object('Who holds the lease, and since when.', {
  holderIdentity: string('Who holds it.'),
  leaseDurationSeconds: int32('How long others wait after the last renewal before they take it.'),
  acquireTime: time('When the holder took it.'),
  renewTime: time('When the holder last renewed it.'),
  leaseTransitions: int32('How often it changed hands.'),
  strategy: string('How a holder is chosen among candidates.'),
  preferredHolder: string('Who should hold it next, if there is a strategy.'),
});

export type Lease = KubeObject<Infer<typeof spec>>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    Lease: Lease;
  }
}

const validate: KindDefinition['validate'] = (lease, { operation }) => {
  if (operation === 'delete') return [];
  const { leaseDurationSeconds, leaseTransitions, strategy, preferredHolder } = (lease as Lease).spec ?? {};
  const errors: FieldError[] = [];
  const invalid = (field: string, value: number, detail: string) =>
    errors.push({ reason: 'FieldValueInvalid', field: `spec.${field}`, value, detail });
  if (leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0)
    invalid('leaseDurationSeconds', leaseDurationSeconds, 'must be greater than 0');
  if (leaseTransitions !== undefined && leaseTransitions < 0)
    invalid('leaseTransitions', leaseTransitions, 'must be greater than or equal to 0');
  if (preferredHolder && !strategy)
    errors.push({
      reason: 'FieldValueForbidden',
      field: 'spec.preferredHolder',
      detail: 'may only be specified if `strategy` is defined',
    });
  return errors;
};

export const lease = defineBuiltIn({
  ...facts,
  validate,
  version: {
    description: 'A claim that its holder renews while it holds it.',
    fields: { spec },
    columns: [{ name: 'Holder', type: 'string', jsonPath: '.spec.holderIdentity', description: 'Who holds it.' }, age],
  },
});

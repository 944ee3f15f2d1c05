/**
 * Ratcheting validation: a new rule of a kind must not block updates of objects that were stored
 * before it.
 */
import type { FieldError, KindDefinition } from './kind.ts';
import { equal } from './merge.ts';

type Validate = NonNullable<KindDefinition['validate']>;

/** The value at a path such as `spec.files[1].path`; undefined when `object` has no such path. */
const valueAt = (object: unknown, path: string): unknown =>
  path
    .split(/[.[\]]+/)
    .reduce((value, step) => (step ? (value as Record<string, unknown> | null | undefined)?.[step] : value), object);

/**
 * A kind's own validation with ratcheting, as for schemas: a fault counts unless the stored object
 * has the same value in the same field. So controllers can still write status, owners and
 * finalizers, and users metadata, of objects that are older than a rule.
 */
export const ratcheted =
  (validate: Validate): Validate =>
  (object, admission) => {
    const faults = validate(object, admission);
    const { old, operation } = admission;
    if (faults.length === 0 || operation !== 'update' || !old) return faults;
    const stored = validate(old, admission);
    const isStored = (fault: FieldError): boolean =>
      equal(valueAt(object, fault.field), valueAt(old, fault.field)) && stored.some((one) => equal(one, fault));
    return faults.filter((fault) => !isStored(fault));
  };

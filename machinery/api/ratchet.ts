/** A rule that is added to a kind must not freeze the objects that were stored before it. */
import type { FieldError, KindDefinition } from './kind.ts';
import { equal } from './merge.ts';

type Validate = NonNullable<KindDefinition['validate']>;

/** The value at a path such as `spec.files[1].path`; undefined where the path does not lead through `object`. */
const valueAt = (object: unknown, path: string): unknown =>
  path
    .split(/[.[\]]+/)
    .reduce((value, step) => (step ? (value as Record<string, unknown> | null | undefined)?.[step] : value), object);

/**
 * A kind's own validation, without what an update leaves as it is stored: as with ratcheting of a schema, a fault counts
 * unless the stored object has it in the same field with the same value. So controllers can write status, owners and
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

/** Validates the annotations with which a user sets the policy of a Cluster's operations. */

import { parseDuration } from '../../../machinery/api/durations.ts';
import type { FieldError } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { invalidValue } from '../../common/validate.ts';
import { failurePolicies } from '../contract/operation.ts';
import { policyAnnotations } from '../contract/target.ts';

type Check = (field: string, value: string) => FieldError[];

/** Go's longest duration. A longer value is not a valid duration, and would overflow a date. */
const longest = 2 ** 63 / 1e9;

const positiveDuration: Check = (field, value) => {
  const seconds = parseDuration(value);
  if (seconds === undefined || seconds >= longest)
    return [invalidValue(field, value, 'must be a duration such as 1h30m')];
  return seconds > 0 ? [] : [invalidValue(field, value, 'must be greater than 0')];
};

const oneOf =
  (...supported: string[]): Check =>
  (field, value) => {
    if (supported.includes(value)) return [];
    const detail = `supported values: ${supported.map((one) => JSON.stringify(one)).join(', ')}`;
    return [{ reason: 'FieldValueNotSupported', field, value, detail }];
  };

const checks: Record<string, Check> = {
  [policyAnnotations.createDeadline]: positiveDuration,
  [policyAnnotations.onCreateFailure]: oneOf(...failurePolicies),
  [policyAnnotations.protected]: oneOf('true', 'false'),
};

/**
 * Ignores an invalid value that is already stored, so that a client can still change other fields.
 */
export const validatePolicy = ({ metadata }: KubeObject, old: KubeObject | undefined): FieldError[] =>
  Object.entries(checks).flatMap(([name, check]) => {
    const value = metadata.annotations?.[name];
    if (value === undefined || value === old?.metadata.annotations?.[name]) return [];
    return check(`metadata.annotations[${name}]`, value);
  });

/** Checks of annotations that users set: each returns the faults of a value. */
import { parseDuration } from '../../machinery/api/durations.ts';
import type { Admission, FieldError } from '../../machinery/api/kind.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { invalidValue } from './validate.ts';

export type AnnotationCheck = (field: string, value: string) => FieldError[];
export type AnnotationChecks = Readonly<Record<string, AnnotationCheck>>;

/** What a wing requires of annotations on objects of a kind. */
export type AnnotationRules = (object: KubeObject, admission: Admission) => FieldError[];
/** By kind: a wing may have annotations on kinds of others. */
export type WingAnnotations = Readonly<Record<string, AnnotationRules>>;

/** Go's longest duration. A longer value is not a valid duration, and would overflow a date. */
const longest = 2 ** 63 / 1e9;

const duration =
  (isAllowed: (seconds: number) => boolean, rule: string): AnnotationCheck =>
  (field, value) => {
    const seconds = parseDuration(value);
    if (seconds === undefined || seconds >= longest)
      return [invalidValue(field, value, 'must be a duration such as 1h30m')];
    return isAllowed(seconds) ? [] : [invalidValue(field, value, rule)];
  };
export const positiveDuration = duration((seconds) => seconds > 0, 'must be greater than 0');
export const notNegativeDuration = duration((seconds) => seconds >= 0, 'must not be negative');

export const oneOf =
  (...supported: string[]): AnnotationCheck =>
  (field, value) => {
    if (supported.includes(value)) return [];
    const detail = `supported values: ${supported.map((one) => JSON.stringify(one)).join(', ')}`;
    return [{ reason: 'FieldValueNotSupported', field, value, detail }];
  };

export const listOf =
  (...supported: string[]): AnnotationCheck =>
  (field, value) =>
    value
      .split(',')
      .map((one) => one.trim())
      .flatMap((one) => oneOf(...supported)(field, one));

/**
 * Ignores an invalid value that is already stored, so that a client can still change other fields.
 */
export const annotationFaults = (
  checks: AnnotationChecks,
  { metadata }: KubeObject,
  old: KubeObject | undefined,
): FieldError[] =>
  Object.entries(checks).flatMap(([name, check]) => {
    const value = metadata.annotations?.[name];
    if (value === undefined || value === old?.metadata.annotations?.[name]) return [];
    return check(`metadata.annotations[${name}]`, value);
  });

export const checked =
  (checks: AnnotationChecks): AnnotationRules =>
  (object, { old }) =>
    annotationFaults(checks, object, old);

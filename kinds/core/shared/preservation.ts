/**
 * A Machine that a user wants to debug: its remediation replaces it, but takes it out of service and
 * keeps its host for a while before it deletes the host. Pure; `now` in milliseconds.
 */
import { parseDuration } from '../../../machinery/api/durations.ts';
import type { FieldError } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { labels } from '../../common/labels.ts';
import { isInFlight } from '../contract/remediation.ts';
import type { Machine } from '../machine/schema.ts';

/** How long the Machine is kept, such as `24h`; set by users. */
export const preserveAnnotation = 'capstan.dev/preserve';
/** The MachineSet that a preserved Machine belonged to. Reserved for controllers. */
export const preservedFromAnnotation = 'capstan.dev/preserved-from';

const durationOf = ({ metadata }: KubeObject): number | undefined => {
  const text = metadata.annotations?.[preserveAnnotation];
  return text === undefined ? undefined : parseDuration(text);
};

/** Its remediation keeps the Machine. */
export const isToBePreserved = (machine: KubeObject): boolean => (durationOf(machine) ?? 0) > 0;

/** The Machine has left its MachineSet, which does not count it any more. */
export const isPreserved = ({ metadata }: KubeObject): boolean =>
  metadata.annotations?.[preservedFromAnnotation] !== undefined;

/**
 * Until when the host is kept, in milliseconds; undefined for a Machine that is not preserved. A
 * user who changes or removes the annotation changes or ends the time. What counts is that the
 * remediation deletes the Machine: the host could be gone before the MachineSet lets go of it.
 */
export const preservedUntil = (machine: Machine): number | undefined => {
  const seconds = durationOf(machine);
  const isOfControlPlane = machine.metadata.labels?.[labels.controlPlane] !== undefined;
  if (!isInFlight(machine) || isOfControlPlane || seconds === undefined) return undefined;
  return Date.parse(machine.metadata.deletionTimestamp ?? '') + seconds * 1000;
};

/** Seconds; a longer time is a mistake, and the host is paid for. */
const longest = 30 * 24 * 60 * 60;

/** `before`: the stored annotations, whose invalid values do not prevent changes of other fields. */
export const validatePreserve = (
  at: string,
  annotations: Record<string, string> | undefined,
  before: Record<string, string> | undefined,
): FieldError[] => {
  const value = annotations?.[preserveAnnotation];
  if (value === undefined || value === before?.[preserveAnnotation]) return [];
  const seconds = parseDuration(value);
  if (seconds !== undefined && seconds > 0 && seconds <= longest) return [];
  const detail = 'must be a duration such as 24h, greater than 0 and at most 720h';
  return [{ reason: 'FieldValueInvalid', field: `${at}.annotations[${preserveAnnotation}]`, value, detail }];
};

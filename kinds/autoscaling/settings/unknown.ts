/** Annotations that name a setting of the autoscaler which their object does not have. Pure. */
import type { FieldError } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';

/** Of `capstan.dev/autoscale-max`, and of `auto-scale-max` and `autoScaleMax` instead of it. */
const namesSetting = (name: string): boolean => /^capstan\.dev\/auto-?scal/i.test(name);

/**
 * A misspelt limit would limit nothing, silently. What is already stored is accepted: another version
 * may have known it.
 */
export const unknownAutoscale = (
  { kind, metadata }: KubeObject,
  old: KubeObject | undefined,
  known: readonly string[],
): FieldError[] =>
  Object.keys(metadata.annotations ?? {})
    .filter((name) => namesSetting(name) && !known.includes(name))
    .filter((name) => old?.metadata.annotations?.[name] === undefined)
    .map((name) => ({
      reason: 'FieldValueForbidden',
      field: `metadata.annotations[${name}]`,
      detail: `a ${kind} has no such setting; it has ${known.map((one) => one.split('/')[1]).join(', ')}`,
    }));

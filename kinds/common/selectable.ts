/** Whether a selector can select Machines that carry the labels which controllers give them. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../../machinery/api/kind.ts';
import { labelMatcher } from '../../machinery/api/labels.ts';
import type { LabelSelector } from '../../machinery/api/object.ts';
import { invalidValue } from './validate.ts';

/** Stands for a value that a controller generates. It is no label value, so no selector can ask for it. */
export const generated = '(generated)';

const explain = (key: string, value: string): string => {
  const given = value === generated ? `a generated value of ${key}` : `${key}: ${value}`;
  return `never selects a Machine: the controller labels each Machine with ${given}; remove the label from the selector`;
};
const orSet = (value: string): string => (value === generated ? '' : `, or set it to ${JSON.stringify(value)}`);

const unselectable = (
  { matchLabels, matchExpressions }: LabelSelector,
  given: Record<string, string>,
): FieldError[] => [
  ...Object.entries(matchLabels ?? {}).flatMap(([key, value]) =>
    given[key] === undefined || given[key] === value
      ? []
      : [invalidValue(`spec.selector.matchLabels[${key}]`, value, explain(key, given[key]) + orSet(given[key]))],
  ),
  ...(matchExpressions ?? []).flatMap((expression, i) => {
    const value = given[expression.key];
    return value === undefined || labelMatcher({ matchExpressions: [expression] })({ [expression.key]: value })
      ? []
      : [invalidValue(`spec.selector.matchExpressions[${i}]`, expression, explain(expression.key, value))];
  }),
];

interface Selecting {
  selector: LabelSelector;
  /** Labels that controllers set on each Machine, whatever the template says. */
  given: Record<string, string>;
}

/**
 * Refuses a selector that excludes what controllers make. An update may keep such a selector that an earlier release
 * admitted: the object must still be scalable and deletable.
 */
export const validateSelectable = (now: Selecting, before: Selecting | undefined): FieldError[] => {
  const known = before ? unselectable(before.selector, before.given) : [];
  return unselectable(now.selector, now.given).filter((fault) => !known.some((one) => isDeepStrictEqual(one, fault)));
};

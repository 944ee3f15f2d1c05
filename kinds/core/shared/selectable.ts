/**
 * Whether a selector selects the objects that its controller creates, with the labels that
 * controllers add. Pure.
 */
import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../../../machinery/api/kind.ts';
import { labelMatcher } from '../../../machinery/api/labels.ts';
import type { KubeObject, LabelSelector } from '../../../machinery/api/object.ts';
import type { ConditionDraft } from '../../../machinery/api/reconcile.ts';
import { invalidValue } from '../../common/validate.ts';
import { isDeleting } from '../contract/machines.ts';

/**
 * Stands for a value that a controller generates. It is not a valid label value, so no selector can
 * require it.
 */
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
  ...Object.entries(matchLabels ?? {}).flatMap(([key, value]) => {
    const set = Object.hasOwn(given, key) ? given[key] : undefined;
    return set === undefined || set === value
      ? []
      : [invalidValue(`spec.selector.matchLabels[${key}]`, value, explain(key, set) + orSet(set))];
  }),
  ...(matchExpressions ?? []).flatMap((expression, i) => {
    const value = Object.hasOwn(given, expression.key) ? given[expression.key] : undefined;
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
 * Rejects a selector that excludes what controllers create. An update may keep such a selector if
 * an earlier release admitted it: the object must still be scalable and deletable.
 */
export const validateSelectable = (now: Selecting, before: Selecting | undefined): FieldError[] => {
  const known = before ? unselectable(before.selector, before.given) : [];
  return unselectable(now.selector, now.given).filter((fault) => !known.some((one) => isDeepStrictEqual(one, fault)));
};

const shown = 3;

/**
 * A condition while a controller controls objects that its selector misses, even with the labels
 * that the controller restores. They count like all others. `type` names the condition, which is
 * absent otherwise.
 */
export const unselectedCondition = <T extends KubeObject>(
  type: 'MachinesSelected' | 'MachineSetsSelected',
  selector: LabelSelector,
  controlled: readonly T[],
  given: (object: T) => Record<string, string>,
): ConditionDraft[] => {
  const selects = labelMatcher(selector);
  const unselected = controlled.filter(
    (object) => !isDeleting(object) && !selects({ ...object.metadata.labels, ...given(object) }),
  );
  if (unselected.length === 0) return [];
  const names = unselected.map(({ metadata }) => metadata.name).sort();
  const more = names.length > shown ? `, ... (${names.length - shown} more)` : '';
  const message = `spec.selector does not match the labels of ${names.slice(0, shown).join(', ')}${more}: each still counts towards spec.replicas`;
  return [{ type, status: 'False', reason: 'LabelsDoNotMatch', message }];
};

/** Faults of the expressions of a policy, where it is written. */
import type { MatchCondition, MutatingPolicy, PolicySpec, ValidatingPolicy } from '../api/admission.ts';
import type { FieldError } from '../api/kind.ts';
import type { Checked } from '../cel/program.ts';
import { type Checker, checkerOf } from './environment.ts';

const isBlank = (text: string | undefined): boolean => (text ?? '').trim() === '';

const invalid = (field: string, value: string, detail: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field,
  value,
  detail,
});

/** Of empty lists, and of those whose items are checked when they are there. */
const untypedLists = ['list', 'list<T>'];

/** Types that an expression may have; all if absent. */
type Wanted = readonly string[] | undefined;

const faultOf = (field: string, expression: string, checked: Checked, wanted: Wanted): FieldError[] => {
  if ('issue' in checked) return [invalid(field, expression, `compilation failed: ${checked.issue}`)];
  const { type } = checked;
  if (!wanted || type === 'dyn' || wanted.includes(type)) return [];
  const named = wanted.filter((one) => !untypedLists.includes(one));
  const what = named.length === 1 ? named[0] : `one of [${named.join(' ')}]`;
  return [invalid(field, expression, `must evaluate to ${what} but got ${type}`)];
};

/** Missing expressions are the schema's faults. */
export const expressionFaults = (
  field: string,
  expression: string | undefined,
  checker: Checker,
  wanted: Wanted,
): FieldError[] => (isBlank(expression) ? [] : faultOf(field, expression!, checker.expression(expression!), wanted));

export const conditionFaults = (
  conditions: readonly MatchCondition[] | undefined,
  field: string,
  hasParams: boolean,
): FieldError[] => {
  const checker = checkerOf({ hasParams, hasAuthorizer: true });
  return (conditions ?? []).flatMap(({ expression }, i) =>
    expressionFaults(`${field}[${i}].expression`, expression, checker, ['bool']),
  );
};

/** Declares the variables of a policy, and reports their faults. */
export const variableFaults = ({ variables = [] }: PolicySpec, checkers: readonly Checker[]): FieldError[] =>
  variables.flatMap((variable, i) => {
    if (isBlank(variable.name) || isBlank(variable.expression)) return [];
    const [checked] = checkers.map((checker) => checker.variable(variable));
    return faultOf(`spec.variables[${i}].expression`, variable.expression, checked!, undefined);
  });

export const mutatingFaults = ({ spec = {} }: MutatingPolicy): FieldError[] => {
  const hasParams = spec.paramKind !== undefined;
  const checker = checkerOf({ hasParams, hasAuthorizer: true, hasPatches: true });
  return [
    ...conditionFaults(spec.matchConditions, 'spec.matchConditions', hasParams),
    ...variableFaults(spec, [checker]),
    ...(spec.mutations ?? []).flatMap(({ applyConfiguration, jsonPatch }, i) => [
      ...expressionFaults(
        `spec.mutations[${i}].applyConfiguration.expression`,
        applyConfiguration?.expression,
        checker,
        ['Object'],
      ),
      ...expressionFaults(`spec.mutations[${i}].jsonPatch.expression`, jsonPatch?.expression, checker, [
        'list<JSONPatch>',
        ...untypedLists,
      ]),
    ]),
  ];
};

export const validatingFaults = ({ spec = {} }: ValidatingPolicy): FieldError[] => {
  const hasParams = spec.paramKind !== undefined;
  const checker = checkerOf({ hasParams, hasAuthorizer: true });
  const ofMessages = checkerOf({ hasParams, hasAuthorizer: false });
  return [
    ...conditionFaults(spec.matchConditions, 'spec.matchConditions', hasParams),
    ...variableFaults(spec, [checker, ofMessages]),
    ...(spec.validations ?? []).flatMap(({ expression, messageExpression }, i) => [
      ...expressionFaults(`spec.validations[${i}].expression`, expression, checker, ['bool']),
      ...expressionFaults(`spec.validations[${i}].messageExpression`, messageExpression, ofMessages, ['string']),
    ]),
    ...(spec.auditAnnotations ?? []).flatMap(({ valueExpression }, i) =>
      expressionFaults(`spec.auditAnnotations[${i}].valueExpression`, valueExpression, checker, ['string', 'null']),
    ),
  ];
};

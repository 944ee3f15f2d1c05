/** x-kubernetes-validations: CEL rules over `self` and, on updates, `oldSelf`. */

import { type Environment, Optional } from '@marcbachmann/cel-js';
import type { FieldError } from '../../api/kind.ts';
import { equal } from '../../api/merge.ts';
import { isObject } from '../../api/object.ts';
import type { JsonSchema, ValidationRule } from '../../api/schema.ts';
import { costOfCall, costOfObject, type Evaluated, evaluateWithin } from '../../cel/budget.ts';
import {
  baseEnvironment,
  check,
  checkingEnvironment,
  compilerOf,
  firstLine,
  type Program,
  shownError,
} from '../../cel/program.ts';
import { typeOf } from '../../cel/types.ts';
import { celValue } from '../../cel/value.ts';
import { childPath } from '../json.ts';

const compilers = {
  plain: compilerOf(baseEnvironment),
  /** For rules that also run without an old value. */
  optional: compilerOf(baseEnvironment.clone().registerVariable('oldSelf', 'optional')),
};
const compile = (rule: string, isOptional = false) => compilers[isOptional ? 'optional' : 'plain'](rule);

const checking = {
  plain: checkingEnvironment({ self: 'dyn', oldSelf: 'dyn' }),
  optional: checkingEnvironment({ self: 'dyn', oldSelf: 'optional' }),
};

const rulesKnown = new WeakMap<JsonSchema, boolean>();
/** Whether the schema contains any rule. */
export const hasRules = (schema: JsonSchema): boolean => {
  let known = rulesKnown.get(schema);
  if (known === undefined) {
    const children = [
      ...Object.values(schema.properties ?? {}),
      ...(schema.items ? [schema.items] : []),
      ...(typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []),
    ];
    known = (schema['x-kubernetes-validations']?.length ?? 0) > 0 || children.some(hasRules);
    rulesKnown.set(schema, known);
  }
  return known;
};

const typedBy = new WeakMap<JsonSchema, Record<'plain' | 'optional', Environment>>();
/** Environments in which `self` has the type of the schema. */
const typedFor = (schema: JsonSchema): Record<'plain' | 'optional', Environment> => {
  let typed = typedBy.get(schema);
  if (!typed) {
    const of = (oldSelf?: string) => {
      const types = checkingEnvironment({});
      const self = typeOf(types, schema, 'self');
      return types.registerVariable('self', self).registerVariable('oldSelf', oldSelf ?? self);
    };
    typed = { plain: of(), optional: of('optional') };
    typedBy.set(schema, typed);
  }
  return typed;
};

/**
 * Why an expression cannot be compiled, is of another type, or names a field that the schema of `self`
 * lacks; undefined when none is the case.
 */
export const compileErrorOf = (
  expression: string,
  wanted: 'bool' | 'string',
  isOptional = false,
  self?: JsonSchema,
): string | undefined => {
  const form = isOptional ? 'optional' : 'plain';
  const checked = check(expression, checking[form]);
  if ('issue' in checked) return `compilation failed: ${checked.issue}`;
  // Its other findings are stricter than those of cel-go.
  const typed = self && check(expression, typedFor(self)[form]);
  if (typed && 'issue' in typed && typed.issue.includes('undefined field')) return `compilation failed: ${typed.issue}`;
  if (checked.type === wanted || checked.type === 'dyn') return undefined;
  return wanted === 'bool' ? 'must evaluate to a bool' : 'messageExpression must evaluate to a string';
};

export const usesOldSelf = (rule: string): boolean => /\boldSelf\b/.test(rule);

/** A message shows no whole object or list. */
const badValue = (value: unknown): unknown => (isObject(value) || Array.isArray(value) ? undefined : value);

/** What the rules of an object may cost together. */
interface Budget {
  left: number;
}

const run = (program: Program, scope: Record<string, unknown>, budget: Budget): Evaluated => {
  const { result, cost } = evaluateWithin(Math.min(costOfCall, budget.left), () => program(scope));
  budget.left -= cost;
  return result;
};

const isOver = (result: Evaluated): result is { isOver: true } => 'isOver' in result;

const shownRule = ({ rule, message }: ValidationRule): string => message || rule.trim();

/** A rule's verdict: undefined when it holds; `ends`: no other rule is evaluated. */
type Verdict = { detail?: string; ends?: boolean } | undefined;

const verdictOf = (rule: ValidationRule, scope: Record<string, unknown>, budget: Budget): Verdict => {
  const program = compile(rule.rule, rule.optionalOldSelf);
  if (program instanceof Error) return { detail: `rule compile error: ${firstLine(program)}` };
  const result = run(program, scope, budget);
  if (isOver(result)) {
    if (budget.left <= 0)
      return {
        detail: 'validation failed due to running out of cost budget, no further validation rules will be run',
        ends: true,
      };
    const why = `'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${shownRule(rule)}`;
    return { detail: why, ends: true };
  }
  if ('value' in result) return result.value === true ? undefined : {};
  const shown = shownError(result.error);
  if (shown === 'no such overload')
    return {
      detail: `'no such overload': call arguments did not match a supported operator, function or macro signature for rule: ${shownRule(rule)}`,
    };
  return { detail: `${shown} evaluating rule: ${shownRule(rule)}` };
};

/** The most bytes of a computed message. */
const longestMessage = 5 * 1024;

const messageOf = (rule: ValidationRule, scope: Record<string, unknown>, budget: Budget): string => {
  const fixed = rule.message || `failed rule: ${rule.rule.trim()}`;
  if (!rule.messageExpression) return fixed;
  const program = compile(rule.messageExpression, rule.optionalOldSelf);
  if (program instanceof Error) return fixed;
  const result = run(program, scope, budget);
  if (!('value' in result) || typeof result.value !== 'string') return fixed;
  const text = result.value.trim();
  return text === '' || /[\n\r]/.test(text) || text.length > longestMessage ? fixed : text;
};

/** `.a.b` and `['x']`, as the path of a fault shows them. */
const shownPath = (path: string): string =>
  path.replace(/\['((?:[^'\\]|\\.)*)'\]/g, (_, name: string) => `[${name.replace(/\\(.)/g, '$1')}]`);

/**
 * `isKept`: whether the update keeps the stored value, or that of the nearest ancestor with an old
 * value. Returns false when no other rule may be evaluated.
 */
const checkRules = (
  value: unknown,
  schema: JsonSchema,
  field: string,
  old: unknown,
  isKept: () => boolean,
  errors: FieldError[],
  budget: Budget,
): boolean => {
  const rules = schema['x-kubernetes-validations'] ?? [];
  if (rules.length === 0) return true;
  const self = celValue(value, schema);
  const oldSelf = old === undefined ? undefined : celValue(old, schema);
  for (const rule of rules) {
    const isTransition = usesOldSelf(rule.rule);
    const isOptional = rule.optionalOldSelf === true;
    if (isTransition && oldSelf === undefined && !isOptional) continue;
    if (!isTransition && isKept()) continue;
    const before = isOptional ? (oldSelf === undefined ? Optional.none() : Optional.of(oldSelf)) : oldSelf;
    const scope = { self, ...(isTransition && { oldSelf: before }) };
    const verdict = verdictOf(rule, scope, budget);
    if (!verdict) continue;
    const reason = (rule.reason as FieldError['reason'] | undefined) ?? 'FieldValueInvalid';
    const isEvaluated = verdict.detail === undefined;
    errors.push({
      reason: isEvaluated ? reason : 'FieldValueInvalid',
      field: isEvaluated && rule.fieldPath ? `${field}${shownPath(rule.fieldPath)}` : field,
      value: isEvaluated ? badValue(value) : (schema.type ?? ''),
      detail: verdict.detail ?? messageOf(rule, scope, budget),
    });
    if (verdict.ends) return false;
  }
  return true;
};

const oldItem = (item: unknown, old: unknown, schema: JsonSchema): unknown => {
  if (!Array.isArray(old) || schema['x-kubernetes-list-type'] !== 'map' || !isObject(item)) return undefined;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  return old.find((other) => isObject(other) && keys.every((key) => equal(other[key], item[key])));
};

/** Evaluates every rule of the schema on its values. */
export const validateRules = (object: unknown, schema: JsonSchema, old: unknown): FieldError[] => {
  const errors: FieldError[] = [];
  const budget: Budget = { left: costOfObject };
  let goesOn = true;
  const walk = (value: unknown, of: JsonSchema, field: string, before: unknown, isParentKept: () => boolean): void => {
    if (!goesOn || value === null || value === undefined || !hasRules(of)) return;
    const isKept = before === undefined ? isParentKept : () => equal(value, before);
    goesOn = checkRules(value, of, field, before, isKept, errors, budget);
    if (!goesOn) return;
    if (Array.isArray(value)) {
      for (const [i, item] of value.entries())
        if (of.items) walk(item, of.items, `${field}[${i}]`, oldItem(item, before, of), isKept);
      return;
    }
    if (!isObject(value)) return;
    for (const [name, child] of Object.entries(value)) {
      const known = of.properties && Object.hasOwn(of.properties, name) ? of.properties[name] : undefined;
      const next = known ?? (typeof of.additionalProperties === 'object' ? of.additionalProperties : undefined);
      const previous = isObject(before) && Object.hasOwn(before, name) ? before[name] : undefined;
      if (next) walk(child, next, childPath(field, name), previous, isKept);
    }
  };
  walk(object, schema, '', old, () => false);
  return errors;
};

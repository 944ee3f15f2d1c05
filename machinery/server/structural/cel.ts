/** x-kubernetes-validations: CEL rules over `self` and, on updates, `oldSelf`. */

import { Environment, Optional } from '@marcbachmann/cel-js';
import type { FieldError } from '../../api/kind.ts';
import { equal } from '../../api/merge.ts';
import { isObject } from '../../api/object.ts';
import type { JsonSchema, ValidationRule } from '../../api/schema.ts';
import { childPath } from '../json.ts';
import { costOfCall, costOfObject, countSteps, type Evaluated, evaluateWithin } from './cel-budget.ts';
import { matchesName, registerLibrary } from './cel-library.ts';

type Program = (scope: Record<string, unknown>) => unknown;
const environment = registerLibrary(
  new Environment({
    unlistedVariablesAreDyn: true,
    enableOptionalTypes: true,
    homogeneousAggregateLiterals: false,
    limits: {
      maxAstNodes: 20_000,
      maxDepth: 200,
      maxListElements: 10_000,
      maxMapEntries: 10_000,
      maxCallArguments: 32,
    },
  }),
);
countSteps((environment.parse('0') as unknown as { ast: unknown }).ast);
/** For rules that also run without an old value. */
const optional = environment.clone().registerVariable('oldSelf', 'optional');
/** Know the variables of a rule, and report all others. */
const checking = environment
  .clone({ unlistedVariablesAreDyn: false })
  .registerVariable('self', 'dyn')
  .registerVariable('oldSelf', 'dyn');
const checkingOptional = optional.clone({ unlistedVariablesAreDyn: false }).registerVariable('self', 'dyn');

interface Node {
  op: string;
  args: unknown;
}
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'op' in value;

/** Has patterns matched by RE2. */
const withOwnMatches = (tree: unknown): void => {
  if (Array.isArray(tree)) for (const part of tree) withOwnMatches(part);
  if (!isNode(tree)) return;
  const { op, args } = tree;
  if ((op === 'rcall' || op === 'call') && Array.isArray(args) && args[0] === 'matches') args[0] = matchesName;
  withOwnMatches(args);
};

const parse = (rule: string, by = environment) => {
  const program = by.parse(rule) as unknown as Program & {
    ast: unknown;
    check(): { valid: boolean; type?: string; error?: Error };
  };
  withOwnMatches(program.ast);
  return program;
};

const mostPrograms = 5000;
const programs = new Map<string, Program | Error>();
const compile = (rule: string, isOptional = false): Program | Error => {
  const key = `${isOptional} ${rule}`;
  let program = programs.get(key);
  if (!program) {
    try {
      program = parse(rule, isOptional ? optional : environment);
    } catch (error) {
      program = error as Error;
    }
    if (programs.size >= mostPrograms) programs.clear();
    programs.set(key, program);
  }
  return program;
};

/** Field names that are CEL keywords are escaped in rules, as in Kubernetes. */
const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
const escaped = (name: string): string =>
  reserved.has(name)
    ? `__${name}__`
    : name
        .replaceAll('__', '__underscores__')
        .replaceAll('.', '__dot__')
        .replaceAll('-', '__dash__')
        .replaceAll('/', '__slash__');

const durationOf = parse('duration(text)');
/** A text in the type of its format; one that does not fit is left to the validation of formats. */
const textValue = (text: string, format: string | undefined): unknown => {
  switch (format) {
    case 'date':
    case 'date-time':
      return Number.isNaN(Date.parse(text)) ? text : new Date(text);
    case 'byte':
      return new Uint8Array(Buffer.from(text, 'base64'));
    case 'duration': {
      const { result } = evaluateWithin(costOfCall, () => durationOf({ text }));
      return 'value' in result ? result.value : text;
    }
    default:
      return text;
  }
};

/** The value for CEL: integers, times, durations and bytes by schema. */
const celValue = (value: unknown, schema: JsonSchema): unknown => {
  if (typeof value === 'string') return textValue(value, schema.format);
  if (typeof value === 'number') {
    const integral = schema.type === 'integer' || (schema.type !== 'number' && Number.isInteger(value));
    return integral ? BigInt(Math.trunc(value)) : value;
  }
  if (Array.isArray(value)) return value.map((item) => celValue(item, schema.items ?? {}));
  if (!isObject(value)) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(
    fields.map(([name, field]) => {
      const known = schema.properties && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
      if (known) return [escaped(name), celValue(field, known)];
      return [
        name,
        celValue(field, typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {}),
      ];
    }),
  );
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

const firstLine = (error: unknown): string => (error as Error).message.split('\n')[0]!;

/** Why an expression cannot be compiled, or is of another type; undefined when neither is the case. */
export const compileErrorOf = (
  expression: string,
  wanted: 'bool' | 'string',
  isOptional = false,
): string | undefined => {
  try {
    const { valid, type, error } = parse(expression, isOptional ? checkingOptional : checking).check();
    if (!valid) return `compilation failed: ERROR: <input>: ${firstLine(error)}`;
    if (type !== wanted && type !== 'dyn')
      return wanted === 'bool' ? 'must evaluate to a bool' : 'messageExpression must evaluate to a string';
    return undefined;
  } catch (error) {
    return `compilation failed: ERROR: <input>: ${firstLine(error)}`;
  }
};

export const usesOldSelf = (rule: string): boolean => /\boldSelf\b/.test(rule);

const badValue = (value: unknown): unknown => (isObject(value) ? 'object' : Array.isArray(value) ? 'array' : value);

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
  const text = firstLine(result.error);
  if (/^(found )?no (such|matching) overload/.test(text))
    return {
      detail: `'no such overload': call arguments did not match a supported operator, function or macro signature for rule: ${shownRule(rule)}`,
    };
  const shown = text.replace(/^No such key: /, 'no such key: ');
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
      value: badValue(value),
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

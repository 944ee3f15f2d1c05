/** x-kubernetes-validations: CEL rules over `self` and, on updates, `oldSelf`. */
import { Environment } from '@marcbachmann/cel-js';
import type { FieldError } from '../../api/kind.ts';
import { equal } from '../../api/merge.ts';
import { isObject } from '../../api/object.ts';
import type { JsonSchema, ValidationRule } from '../../api/schema.ts';
import { childPath } from '../json.ts';
import { registerLibrary } from './cel-library.ts';

type Program = (scope: Record<string, unknown>) => unknown;
const environment = registerLibrary(new Environment({ unlistedVariablesAreDyn: true, enableOptionalTypes: true }));

const programs = new Map<string, Program | Error>();
const compile = (rule: string): Program | Error => {
  let program = programs.get(rule);
  if (!program) {
    try {
      program = environment.parse(rule) as Program;
    } catch (error) {
      program = error as Error;
    }
    programs.set(rule, program);
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

/**
 * The value for CEL: integers by schema, times and durations as strings, unknown fields left out.
 */
const celValue = (value: unknown, schema: JsonSchema): unknown => {
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

/** Why an expression cannot be compiled; undefined when it can. */
export const compileErrorOf = (expression: string, _schema: JsonSchema, _rule: ValidationRule, _type: string) => {
  const program = compile(expression);
  return program instanceof Error ? `compilation failed: ${program.message.split('\n')[0]}` : undefined;
};

export const usesOldSelf = (rule: string): boolean => /\boldSelf\b/.test(rule);

const isTransition = ({ rule }: ValidationRule) => /\boldSelf\b/.test(rule);

const badValue = (value: unknown): unknown => (isObject(value) ? 'object' : Array.isArray(value) ? 'array' : value);

const evaluate = (rule: ValidationRule, scope: Record<string, unknown>): { holds: boolean; message?: string } => {
  const program = compile(rule.rule);
  if (program instanceof Error)
    return { holds: false, message: `rule compile error: ${program.message.split('\n')[0]}` };
  try {
    return { holds: program(scope) === true };
  } catch (error) {
    return {
      holds: false,
      message: `${(error as Error).message.split('\n')[0]} evaluating rule: ${rule.message ?? rule.rule}`,
    };
  }
};

const messageOf = (rule: ValidationRule, scope: Record<string, unknown>): string => {
  if (rule.messageExpression) {
    const program = compile(rule.messageExpression);
    if (!(program instanceof Error)) {
      try {
        const text = program(scope);
        if (typeof text === 'string' && text.trim() !== '') return text;
      } catch {
        return rule.message ?? `failed rule: ${rule.rule}`;
      }
    }
  }
  return rule.message ?? `failed rule: ${rule.rule}`;
};

/**
 * `isKept`: whether the update keeps the stored value, or that of the nearest ancestor with an old
 * value.
 */
const checkRules = (
  value: unknown,
  schema: JsonSchema,
  field: string,
  old: unknown,
  isKept: () => boolean,
  errors: FieldError[],
): void => {
  const rules = schema['x-kubernetes-validations'] ?? [];
  if (rules.length === 0) return;
  const self = celValue(value, schema);
  const oldSelf = old === undefined ? undefined : celValue(old, schema);
  for (const rule of rules) {
    const transition = isTransition(rule);
    if (transition && oldSelf === undefined && !rule.optionalOldSelf) continue;
    if (!transition && isKept()) continue;
    const scope = { self, ...(transition && oldSelf !== undefined && { oldSelf }) };
    const { holds, message } = evaluate(rule, scope);
    if (holds) continue;
    errors.push({
      reason: (rule.reason as FieldError['reason'] | undefined) ?? 'FieldValueInvalid',
      field: rule.fieldPath ? `${field}${rule.fieldPath}` : field,
      value: badValue(value),
      detail: message ?? messageOf(rule, scope),
    });
  }
};

const oldItem = (item: unknown, old: unknown, schema: JsonSchema): unknown => {
  if (!Array.isArray(old) || schema['x-kubernetes-list-type'] !== 'map' || !isObject(item)) return undefined;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  return old.find((other) => isObject(other) && keys.every((key) => equal(other[key], item[key])));
};

/** Evaluates every rule of the schema on its values. */
export const validateRules = (object: unknown, schema: JsonSchema, old: unknown): FieldError[] => {
  const errors: FieldError[] = [];
  const walk = (value: unknown, of: JsonSchema, field: string, before: unknown, isParentKept: () => boolean): void => {
    if (value === null || value === undefined || !hasRules(of)) return;
    const isKept = before === undefined ? isParentKept : () => equal(value, before);
    checkRules(value, of, field, before, isKept, errors);
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

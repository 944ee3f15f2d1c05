/** Validates x-kubernetes-validations where they are written. */

import { invalid, notSupported, required } from '../../api/faults.ts';
import type { FieldError } from '../../api/kind.ts';
import type { JsonSchema, ValidationRule } from '../../api/schema.ts';
import { compileErrorOf, usesOldSelf } from '../../server/structural/cel.ts';
import { schemaAt } from './path.ts';

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const hasLines = (text: string): boolean => /[\n\r]/.test(text);

const textErrors = (rule: ValidationRule, field: string): FieldError[] => {
  const { message = '', messageExpression = '' } = rule;
  const text = (rule.rule ?? '').trim();
  const errors: FieldError[] = [];
  if (text === '') errors.push(required(`${field}.rule`, 'rule is not specified'));
  else if (message !== '' && message.trim() === '')
    errors.push(invalid(`${field}.message`, message, 'must be non-empty if specified'));
  else if (hasLines(message.trim())) errors.push(invalid(`${field}.message`, message, 'must not contain line breaks'));
  else if (hasLines(text) && message.trim() === '')
    errors.push(required(`${field}.message`, 'message must be specified if rule contains line breaks'));
  if (messageExpression !== '' && messageExpression.trim() === '')
    errors.push(required(`${field}.messageExpression`, 'messageExpression must be non-empty if specified'));
  return errors;
};

const placeErrors = ({ reason, fieldPath = '' }: ValidationRule, schema: JsonSchema, field: string): FieldError[] => {
  const errors: FieldError[] = [];
  if (reason !== undefined && !reasons.includes(reason)) errors.push(notSupported(`${field}.reason`, reason, reasons));
  if (fieldPath === '') return errors;
  if (fieldPath.trim() === '') errors.push(invalid(`${field}.fieldPath`, fieldPath, 'must be non-empty if specified'));
  if (hasLines(fieldPath)) errors.push(invalid(`${field}.fieldPath`, fieldPath, 'must not contain line breaks'));
  if ('fault' in schemaAt(fieldPath, schema))
    errors.push(invalid(`${field}.fieldPath`, fieldPath, 'must be a valid path'));
  return errors;
};

const string: JsonSchema = { type: 'string' };
/** Of a whole object, rules see these fields of all objects and no others. */
const ofObject = {
  apiVersion: string,
  kind: string,
  metadata: { type: 'object', properties: { name: string, generateName: string } },
} satisfies Record<string, JsonSchema>;
/** What rules of a schema see as `self`. */
const selfOf = (schema: JsonSchema, field: string): JsonSchema =>
  field.endsWith('.openAPIV3Schema') || schema['x-kubernetes-embedded-resource']
    ? {
        ...schema,
        'x-kubernetes-embedded-resource': undefined,
        properties: { ...schema.properties, ...ofObject },
      }
    : schema;

const expressionErrors = (
  rule: ValidationRule,
  self: JsonSchema,
  field: string,
  uncorrelated: string | undefined,
): FieldError[] => {
  const errors: FieldError[] = [];
  const compiled = compileErrorOf(rule.rule, 'bool', rule.optionalOldSelf, self);
  if (compiled !== undefined) errors.push(invalid(`${field}.rule`, rule, compiled));
  if (rule.messageExpression) {
    const message = compileErrorOf(rule.messageExpression, 'string', rule.optionalOldSelf, self);
    if (message !== undefined) errors.push(invalid(`${field}.messageExpression`, rule, message));
  }
  if (usesOldSelf(rule.rule)) {
    const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`;
    if (uncorrelated !== undefined) errors.push(invalid(`${field}.rule`, rule.rule, why));
  } else if (rule.optionalOldSelf !== undefined) {
    const why = 'may not be set if oldSelf is not used in rule';
    errors.push(invalid(`${field}.optionalOldSelf`, rule.optionalOldSelf, why));
  }
  return errors;
};

export const ruleErrors = (
  schema: JsonSchema,
  field: string,
  { withExpressions, uncorrelated }: { withExpressions: boolean; uncorrelated?: string },
): FieldError[] => {
  const rules = schema['x-kubernetes-validations'] ?? [];
  const self = rules.length > 0 ? selfOf(schema, field) : schema;
  return rules.flatMap((rule, i) => {
    const path = `${field}.x-kubernetes-validations[${i}]`;
    const errors = [...textErrors(rule, path), ...placeErrors(rule, schema, path)];
    if (!withExpressions || errors.length > 0) return errors;
    return expressionErrors(rule, self, path, uncorrelated);
  });
};

/** Templates with JSONata: strings of the form `{% … %}`. */
import jsonata from 'jsonata';
import type { JsonObject, JsonValue } from '../../machinery/api/object.ts';
import { StateError } from './errors.ts';

/** Variables of an expression: `$states` and the execution's. */
export interface Scope {
  states: JsonObject;
  variables: JsonObject;
}

const expression = /^\{%([\s\S]*)%\}$/;
const compiled = new Map<string, jsonata.Expression>();

const compile = (source: string): jsonata.Expression => {
  const known = compiled.get(source);
  if (known) return known;
  const made = jsonata(source);
  compiled.set(source, made);
  return made;
};

/** Strips what JSONata adds to arrays and objects. */
const plain = (value: unknown): JsonValue | undefined => {
  const text = JSON.stringify(value);
  return text === undefined ? undefined : (JSON.parse(text) as JsonValue);
};

const query = async (source: string, { states, variables }: Scope): Promise<JsonValue> => {
  let value: JsonValue | undefined;
  try {
    value = plain(await compile(source).evaluate(undefined, { ...variables, states }));
  } catch (error) {
    const { message } = error as Error;
    throw new StateError('States.QueryEvaluationError', `The JSONata expression '${source.trim()}' failed: ${message}`);
  }
  if (value === undefined)
    throw new StateError('States.QueryEvaluationError', `The JSONata expression '${source.trim()}' returned nothing`);
  return value;
};

/** Throws States.QueryEvaluationError if an expression fails or yields no value. */
export const evaluate = async (template: JsonValue, scope: Scope): Promise<JsonValue> => {
  if (typeof template === 'string') {
    const source = expression.exec(template)?.[1];
    return source === undefined ? template : query(source, scope);
  }
  if (Array.isArray(template)) {
    const items: JsonValue[] = [];
    for (const item of template) items.push(await evaluate(item, scope));
    return items;
  }
  return typeof template === 'object' && template !== null ? evaluateFields(template, scope) : template;
};

export const evaluateFields = async (template: JsonObject, scope: Scope): Promise<JsonObject> => {
  const fields: JsonObject = {};
  for (const [name, value] of Object.entries(template)) {
    if (value !== undefined) fields[name] = await evaluate(value, scope);
  }
  return fields;
};

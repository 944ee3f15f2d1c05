/** The values of patches. Pure. */
import { isObject, type JsonValue } from '../../../machinery/api/object.ts';
import { documentValue, yamlDocuments } from '../../../machinery/api/yaml.ts';
import { renderTemplate, TemplateError, type Value } from '../../common/go-template/index.ts';
import type { Variables } from './builtins.ts';

/** A patch that cannot be computed or applied. */
export class PatchError extends Error {
  override readonly name = 'PatchError';
}

const segment = /^([^[\]]*)(?:\[(\d+)\])?$/;

/** The value at a path such as `names[0].first`. */
export const variableAt = (variables: Variables, path: string): JsonValue => {
  let value: JsonValue = variables;
  for (const [i, part] of path.split('.').entries()) {
    const match = segment.exec(part);
    if (!match) throw new PatchError(`variable "${path}" has invalid syntax: failed to parse path segment "${part}"`);
    const [, name = '', index] = match;
    if (!isObject(value) || !Object.hasOwn(value, name))
      throw new PatchError(
        i === 0
          ? `variable "${part}" does not exist`
          : `variable "${path}" does not exist: failed to lookup segment "${name}"`,
      );
    value = (value as Record<string, JsonValue>)[name]!;
    if (index === undefined) continue;
    if (!Array.isArray(value)) throw new PatchError(`variable "${path}" is invalid: failed to get array "${name}"`);
    if (Number(index) >= value.length)
      throw new PatchError(`variable "${path}" is invalid: array does not have index ${index}`);
    value = value[Number(index)]!;
  }
  return value;
};

/** What a template renders to, read as YAML. */
export const renderedValue = (template: string, variables: Variables): JsonValue => {
  let text: string;
  try {
    text = renderTemplate(template, structuredClone(variables) as Value);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw new PatchError(`failed to render template ${JSON.stringify(template)}: ${error.message}`);
  }
  try {
    const [document] = yamlDocuments(text);
    return ((document && documentValue(document)) ?? null) as JsonValue;
  } catch (error) {
    throw new PatchError(`failed to unmarshal rendered template ${JSON.stringify(text)}: ${(error as Error).message}`);
  }
};

export interface ValueSource {
  value?: JsonValue;
  valueFrom?: { template?: string; variable?: string };
}
export const patchValue = ({ value, valueFrom }: ValueSource, variables: Variables): JsonValue => {
  if (valueFrom?.variable !== undefined) return variableAt(variables, valueFrom.variable);
  if (valueFrom?.template !== undefined) return renderedValue(valueFrom.template, variables);
  if (value === undefined) throw new PatchError('failed to calculate value: neither .value nor .valueFrom are set');
  return value;
};

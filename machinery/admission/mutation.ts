/** What one mutation of a MutatingAdmissionPolicy makes of an object. */
import type { Mutation } from '../api/admission.ts';
import { isObject, type JsonObject, type JsonValue, type KubeObject } from '../api/object.ts';
import { jsonPatch, TestFailed } from '../api/patch.ts';
import { mergeConfig } from '../apply/merge.ts';
import { fieldType, type MergeType } from '../apply/type.ts';
import { misfitsOf, misfitsText } from '../apply/typed.ts';
import { jsonOf } from '../cel/json.ts';
import { ObjectLiteral } from '../cel/literals.ts';
import type { Scope } from '../cel/program.ts';
import { compilePatch } from './environment.ts';
import { evaluate, newBudget, type Outcome } from './evaluate.ts';
import { JsonPatchLiteral } from './patches.ts';

/** A mutation that cannot be made: the failure policy decides. */
export class MutationFailed extends Error {}

/** Throws MutationFailed for what JSON has no form of. */
const json = (value: unknown): JsonValue => {
  try {
    return jsonOf(value);
  } catch (error) {
    throw new MutationFailed((error as Error).message);
  }
};

const failed = (message: string): never => {
  throw new MutationFailed(message);
};

/** Literals below a field are named after its path. */
const misnamed = (value: unknown, path: string): string[] => {
  if (Array.isArray(value)) return value.flatMap((item) => misnamed(item, path));
  if (!(value instanceof ObjectLiteral)) {
    return isObject(value) ? Object.values(value).flatMap((one) => misnamed(one, path)) : [];
  }
  const type = ObjectLiteral.typeOf(value);
  const own = `unexpected type name ${JSON.stringify(type)}, expected ${JSON.stringify(path)}, which matches field name path from root Object type`;
  return [
    ...(type === path ? [] : [own]),
    ...Object.entries(value).flatMap(([name, field]) => misnamed(field, `${path}.${name}`)),
  ];
};

const checkNames = (value: ObjectLiteral): void => {
  const faults = misnamed(value, ObjectLiteral.typeOf(value));
  if (faults.length > 0) failed(`type mismatch: ${faults.join('\n')}`);
};

/** Paths of values that a merge would replace as a whole. */
const atomics = (value: JsonValue | undefined, type: MergeType | undefined, path: string): string[] => {
  if (Array.isArray(value)) {
    if (!type?.list) return [];
    const own = type.list.isAtomic ? [path] : [];
    return [...own, ...value.flatMap((item, i) => atomics(item, type.list!.item, `${path}[${i}]`))];
  }
  if (!isObject(value) || !type?.map) return [];
  const own = type.map.isAtomic ? [path] : [];
  return [
    ...own,
    ...Object.entries(value).flatMap(([name, field]) =>
      atomics(field as JsonValue, fieldType(type.map!, name), `${path}.${name}`),
    ),
  ];
};

const applied = (made: unknown, object: KubeObject, type: MergeType): KubeObject => {
  if (!(made instanceof ObjectLiteral)) return failed('unsupported return type from ApplyConfiguration expression');
  checkNames(made);
  const { apiVersion, kind } = object;
  const configuration = { ...(json(made) as JsonObject), apiVersion, kind } as KubeObject;
  const misfits = misfitsOf(configuration as unknown as JsonValue, type);
  if (misfits.length > 0)
    failed(`error applying patch: failed to convert patch object to typed object: ${misfitsText(misfits)}`);
  const whole = atomics(configuration as unknown as JsonValue, type, '');
  if (whole.length > 0)
    failed(
      `error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${whole.join(', ')}`,
    );
  const merged = mergeConfig(object, configuration, type);
  return 'value' in merged
    ? merged.value
    : failed(`error applying patch: failed to merge patch: ${misfitsText(merged.misfits)}`);
};

const operationOf = (one: unknown): JsonObject => {
  if (!(one instanceof JsonPatchLiteral))
    return failed('type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch');
  if (one.value instanceof ObjectLiteral) checkNames(one.value);
  return json(one) as JsonObject;
};

const patched = (made: unknown, object: KubeObject): KubeObject => {
  if (!Array.isArray(made)) return failed('type mismatch: JSONPatchType.expression should evaluate to array');
  try {
    return jsonPatch(object, made.map(operationOf)) as KubeObject;
  } catch (error) {
    if (error instanceof TestFailed) return object;
    throw error instanceof MutationFailed ? error : new MutationFailed(`JSON Patch: ${(error as Error).message}`);
  }
};

const expressionOf = ({ patchType, applyConfiguration, jsonPatch: patch }: Mutation): string =>
  (patchType === 'JSONPatch' ? patch : applyConfiguration)?.expression ?? '';

/** What the expression makes of a scope that has the object, params and variables. Throws OutOfBudget. */
export const evaluateMutation = (mutation: Mutation, scope: Scope): Outcome =>
  evaluate(expressionOf(mutation), scope, newBudget(), compilePatch);

/** The object with what the expression made. Throws MutationFailed. */
export const mutatedBy = (
  { patchType }: Mutation,
  outcome: Outcome,
  object: KubeObject,
  type: MergeType,
): KubeObject => {
  if ('error' in outcome) return failed(outcome.error);
  return patchType === 'JSONPatch' ? patched(outcome.value, object) : applied(outcome.value, object, type);
};

import type { FieldError, ScalePaths } from '../api/kind.ts';
import { isObject } from '../api/object.ts';

const most = 2 ** 31 - 1;

/** The paths of /scale must hold numbers of replicas, whatever the schema allows. */
export const scaleErrors = (paths: ScalePaths, object: unknown): FieldError[] =>
  [paths.specReplicasPath, paths.statusReplicasPath].flatMap((path) => {
    const invalid = (value: number, detail: string): FieldError[] => [
      { reason: 'FieldValueInvalid', field: path, value, detail },
    ];
    const accessor = (value: unknown, found: string, wanted: string) =>
      invalid(
        0,
        `${path} accessor error: ${JSON.stringify(value)} is of the type ${found}, expected ${wanted}`.replaceAll(
          '"',
          '',
        ),
      );
    let at: unknown = object;
    for (const part of path.split('.').filter(Boolean)) {
      if (!isObject(at)) return accessor(at, goType(at), 'map[string]interface{}');
      at = at[part];
      if (at === undefined) return [];
    }
    if (typeof at !== 'number' || !Number.isInteger(at)) return accessor(at, goType(at), 'int64');
    if (at < 0) return invalid(at, 'should be a non-negative integer');
    return at > most ? invalid(at, `should be less than or equal to ${most}`) : [];
  });

const goType = (value: unknown): string => {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  const types: Record<string, string> = {
    number: Number.isInteger(value) ? 'int64' : 'float64',
    boolean: 'bool',
    object: 'map[string]interface {}',
  };
  return types[typeof value] ?? typeof value;
};

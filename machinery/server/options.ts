/** Query options of write requests. */
import { invalid } from '../api/errors.ts';
import type { FieldError } from '../api/kind.ts';
import type { JsonObject } from '../api/object.ts';
import type { FieldValidation } from './decode.ts';

export interface WriteOptions {
  dryRun: boolean;
  fieldValidation: FieldValidation;
}

const validations: FieldValidation[] = ['Ignore', 'Strict', 'Warn'];
const quoted = (values: string[]) => values.map((value) => JSON.stringify(value)).join(', ');

const dryRunErrors = (values: string[]): FieldError[] =>
  values.every((value) => value === 'All')
    ? []
    : [{ reason: 'FieldValueNotSupported', field: 'dryRun', value: values, detail: 'supported values: "All"' }];

/** 422 in the name of the options' kind for unknown values. */
export const refuseOptions = (kind: string, errors: FieldError[]): void => {
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind }, '', errors);
};

export const writeOptions = (kind: string, query: URLSearchParams, force = false): WriteOptions => {
  const dryRun = query.getAll('dryRun').filter((value) => value !== '');
  const fieldValidation = query.get('fieldValidation') || 'Warn';
  const manager = query.get('fieldManager') ?? '';
  refuseOptions(kind, [
    ...(query.has('force') && !force && query.get('force') !== ''
      ? [{ reason: 'FieldValueForbidden', field: 'force', detail: 'may not be specified for non-apply patch' } as const]
      : []),
    ...(manager.length > 128
      ? [
          {
            reason: 'FieldValueTooLong',
            field: 'fieldManager',
            value: '',
            detail: 'may not be more than 128 bytes',
          } as const,
        ]
      : []),
    ...dryRunErrors(dryRun),
    ...(validations.includes(fieldValidation as FieldValidation)
      ? []
      : [
          {
            reason: 'FieldValueNotSupported',
            field: 'fieldValidation',
            value: fieldValidation,
            detail: `supported values: ${quoted(['', ...validations])}`,
          } as const,
        ]),
  ]);
  return { dryRun: dryRun.length > 0, fieldValidation: fieldValidation as FieldValidation };
};

/** Options of an apply, which needs to know whose fields it applies. */
export const applyOptions = (query: URLSearchParams): WriteOptions & { force: boolean } => {
  const options = writeOptions('PatchOptions', query, true);
  const detail = 'is required for apply patch';
  if (!query.get('fieldManager'))
    refuseOptions('PatchOptions', [{ reason: 'FieldValueRequired', field: 'fieldManager', detail }]);
  return { ...options, force: ['true', '1'].includes(query.get('force') ?? '') };
};

export const dryRunOf = (kind: string, query: URLSearchParams, more: string[] = []): boolean => {
  const dryRun = [...query.getAll('dryRun').filter((value) => value !== ''), ...more];
  refuseOptions(kind, dryRunErrors(dryRun));
  return dryRun.length > 0;
};

/** The options of a write as an object, as admission shows them. */
export const optionsObject = (kind: string, query: URLSearchParams): JsonObject => {
  const manager = query.get('fieldManager');
  const validation = query.get('fieldValidation');
  const dryRun = query.getAll('dryRun').filter((value) => value !== '');
  return {
    kind,
    apiVersion: 'meta.k8s.io/v1',
    ...(dryRun.length > 0 && { dryRun }),
    ...(query.has('force') && { force: ['true', '1'].includes(query.get('force') ?? '') }),
    ...(manager && { fieldManager: manager }),
    ...(validation && { fieldValidation: validation }),
  };
};

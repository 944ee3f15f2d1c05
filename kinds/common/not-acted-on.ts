import type { KubeObject } from '../../machinery/api/object.ts';

/** A field that is accepted and stored because manifests have it, and has no effect yet. */
export interface NotActedOn {
  kind: string;
  /** Path of the field, such as spec.template.spec.ref; `[]` iterates over a list. */
  path: string;
  /** The feature that is not implemented. */
  feature: string;
  /** If absent, any value counts. */
  when?: (value: unknown, object: KubeObject) => boolean;
}

const valuesAt = (value: unknown, path: string[]): unknown[] => {
  const [step, ...rest] = path;
  if (value === undefined || value === null) return [];
  if (step === undefined) return [value];
  if (typeof value !== 'object') return [];
  const child = (value as Record<string, unknown>)[step.replace('[]', '')];
  if (!step.endsWith('[]')) return valuesAt(child, rest);
  return Array.isArray(child) ? child.flatMap((item) => valuesAt(item, rest)) : [];
};

/** The entries that apply to an object. */
export const notActedOn = (table: readonly NotActedOn[], object: KubeObject): NotActedOn[] =>
  table.filter(
    ({ kind, path, when = () => true }) =>
      kind === object.kind && valuesAt(object, path.split('.')).some((value) => when(value, object)),
  );

/** The same entries as warnings for the API client. */
export const warnNotActedOn =
  (table: readonly NotActedOn[]) =>
  (object: KubeObject): string[] =>
    notActedOn(table, object).map(({ path, feature }) => `${path}: ${feature}: accepted and stored, but not acted on`);

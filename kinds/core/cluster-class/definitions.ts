/** The variables of a ClusterClass: its own, and those that extensions define. Pure. */
import { equal } from '../../../machinery/api/merge.ts';
import { isObject, type JsonObject } from '../../../machinery/api/object.ts';
import type { VariableDefinition } from '../../ports/api.ts';
import type { ClusterClass, ClusterClassStatus } from './schema.ts';

type StatusVariable = NonNullable<ClusterClassStatus['variables']>[number];

/** Where a variable of the class itself comes from. */
export const inline = 'inline';

/** Those of the spec at once, those of extensions as they were last discovered. */
export const definitionsOf = ({ spec, status }: ClusterClass): VariableDefinition[] => {
  const own = spec?.variables ?? [];
  const discovered = (status?.variables ?? []).flatMap(({ name, definitions }) =>
    definitions
      .filter(({ from }) => from !== inline && !own.some((one) => one.name === name))
      .slice(0, 1)
      .map(({ required, schema }) => ({ name, required, schema })),
  );
  return [...own, ...discovered] as VariableDefinition[];
};

export interface Discovered {
  /** The name of the patch. */
  from: string;
  definitions: VariableDefinition[];
}

/** What an extension answered, or why it cannot be used. */
export const discoveredIn = (from: string, { variables = [] }: JsonObject): Discovered | { fault: string } => {
  const isDefinition = (one: unknown): boolean =>
    isObject(one) && typeof one.name === 'string' && isObject(one.schema) && isObject(one.schema.openAPIV3Schema);
  if (!Array.isArray(variables) || !variables.every(isDefinition))
    return { fault: `patch ${from}: a variable has no name or no schema` };
  const definitions = (variables as JsonObject[]).map(({ name, required, schema }) => ({
    name: name as string,
    required: required === true,
    schema: schema as VariableDefinition['schema'],
  }));
  return { from, definitions };
};

/** The variables for the status by name, and those that are defined in different ways. */
export const mergedDefinitions = (
  own: readonly StatusVariable[],
  discovered: readonly Discovered[],
): { variables: StatusVariable[]; conflicts: string[] } => {
  const variables = new Map(own.map((one) => [one.name, one]));
  const conflicts = new Set<string>();
  for (const { from, definitions } of discovered)
    for (const { name, required, schema } of definitions) {
      const known = variables.get(name);
      const definition = { from, required, schema } as StatusVariable['definitions'][number];
      const [first] = known?.definitions ?? [];
      if (first && !(first.required === required && equal(first.schema, schema))) conflicts.add(name);
      variables.set(name, { name, definitions: [...(known?.definitions ?? []), definition] });
    }
  return { variables: [...variables.values()], conflicts: [...conflicts].toSorted() };
};

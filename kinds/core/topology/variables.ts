/** The values of variables of a Cluster with a topology, and where they stand. Pure. */
import type { FieldError } from '../../../machinery/api/kind.ts';
import type { JsonValue } from '../../../machinery/api/object.ts';
import type { JsonSchema } from '../../../machinery/api/schema.ts';
import { invalidValue, requiredField } from '../../common/validate.ts';
import type { VariableDefinition, VariableList, VariableValue } from '../../ports/api.ts';
import type { ClusterSpec } from '../cluster/schema.ts';

export type Topology = NonNullable<ClusterSpec['topology']>;

const at = 'spec.topology';
const overridesIn = (one: { variables?: { overrides?: VariableValue[] } } | undefined): VariableValue[] =>
  one?.variables?.overrides ?? [];

/** First those of the whole cluster, then of the control plane, of MachineDeployments and of MachinePools. */
export const variableLists = (topology: Topology, old: Topology | undefined): VariableList[] => {
  const { controlPlane, workers, variables = [] } = topology;
  const named = (field: 'machineDeployments' | 'machinePools') =>
    (workers?.[field] ?? []).map((one, i) => ({
      field: `${at}.workers.${field}[${i}].variables.overrides`,
      values: overridesIn(one),
      old: overridesIn((old?.workers?.[field] ?? []).find(({ name }) => name === one.name)),
      isWhole: false,
    }));
  return [
    { field: `${at}.variables`, values: variables, old: old?.variables ?? [], isWhole: true },
    {
      field: `${at}.controlPlane.variables.overrides`,
      values: overridesIn(controlPlane),
      old: overridesIn(old?.controlPlane),
      isWhole: false,
    },
    ...named('machineDeployments'),
    ...named('machinePools'),
  ];
};

const withOverrides = <T extends object>(one: T, overrides: VariableValue[] | undefined): T =>
  overrides && overrides.length > 0 ? { ...one, variables: { overrides } } : one;

/** The topology with the values that `variableLists` lists, in the same order. */
export const withVariables = (topology: Topology, lists: readonly VariableValue[][]): Topology => {
  const [variables = [], controlPlane, ...rest] = lists;
  const { machineDeployments, machinePools } = topology.workers ?? {};
  const pools = rest.slice(machineDeployments?.length ?? 0);
  return {
    ...topology,
    ...(variables.length > 0 && { variables }),
    ...(topology.controlPlane && { controlPlane: withOverrides(topology.controlPlane, controlPlane) }),
    ...(topology.workers && {
      workers: {
        ...topology.workers,
        ...(machineDeployments && {
          machineDeployments: machineDeployments.map((one, i) => withOverrides(one, rest[i])),
        }),
        ...(machinePools && { machinePools: machinePools.map((one, i) => withOverrides(one, pools[i])) }),
      },
    }),
  };
};

/** How a schema is applied to a value. */
export interface Fit {
  /** The value with defaults. */
  filled: (value: JsonValue | undefined, schema: JsonSchema) => JsonValue | undefined;
  faults: (value: JsonValue, schema: JsonSchema, old: JsonValue | undefined) => FieldError[];
}

const valueNamed = (values: readonly VariableValue[], name: string): VariableValue | undefined =>
  values.find((one) => one.name === name);

const fitList = (
  definitions: readonly VariableDefinition[],
  { field, values, old, isWhole }: VariableList,
  fit: Fit,
): { values: VariableValue[]; faults: FieldError[] } => {
  const faults: FieldError[] = [];
  const names = [
    ...values.map(({ name }) => name),
    ...(isWhole ? definitions.map(({ name }) => name).filter((name) => !valueNamed(values, name)) : []),
  ];
  const fitted = names.flatMap((name): VariableValue[] => {
    const definition = definitions.find((one) => one.name === name);
    const given = valueNamed(values, name)?.value;
    const place = `${field}[${name}]`;
    if (!definition) {
      faults.push(invalidValue(place, JSON.stringify(given), 'variable is not defined'));
      return [];
    }
    const schema = definition.schema.openAPIV3Schema as JsonSchema;
    if (given === undefined && schema.default === undefined) {
      if (definition.required) faults.push(requiredField(field, `required variable "${name}" must be set`));
      return [];
    }
    const value = fit.filled(given, schema) ?? null;
    const before = valueNamed(old, name)?.value;
    for (const fault of fit.faults(value, schema, before))
      faults.push({ ...fault, field: `${place}.${fault.field === '<nil>' ? 'value' : fault.field}` });
    return [{ name, value }];
  });
  return { values: fitted, faults };
};

/** The lists with defaults, and what is wrong with them. */
export const fitVariables = (
  definitions: readonly VariableDefinition[],
  lists: readonly VariableList[],
  fit: Fit,
): { lists: VariableValue[][]; faults: FieldError[] } => {
  const fitted = lists.map((list) => fitList(definitions, list, fit));
  return { lists: fitted.map(({ values }) => values), faults: fitted.flatMap(({ faults }) => faults) };
};

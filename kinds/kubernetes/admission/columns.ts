import type { BindingSpec, ParamRef, PolicySpec } from '../../../machinery/api/admission.ts';
import type { Column } from '../../../machinery/api/kind.ts';
import { age } from '../built-in.ts';

const unset = '<unset>';

/** Columns of a policy. `counted`: the list whose items it counts. */
export const policyColumns = (name: string, counted: string): Column[] => [
  {
    name,
    type: 'integer',
    value: ({ spec }) => ((spec as Record<string, unknown[] | undefined>)[counted] ?? []).length,
    description: `How many ${name.toLowerCase()} it has.`,
  },
  {
    name: 'ParamKind',
    type: 'string',
    value: ({ spec }) => {
      const { paramKind } = spec as PolicySpec;
      return paramKind ? `${paramKind.apiVersion}/${paramKind.kind}` : unset;
    },
    description: 'The kind of its params.',
  },
  age,
];

const shownRef = ({ name, namespace, selector }: ParamRef): string => {
  if (name) return `${namespace || '*'}/${name}`;
  return selector ? `${namespace || '*'}/${JSON.stringify(selector)}` : unset;
};

export const bindingColumns: Column[] = [
  {
    name: 'PolicyName',
    type: 'string',
    jsonPath: '.spec.policyName',
    description: 'The policy that it puts into effect.',
  },
  {
    name: 'ParamRef',
    type: 'string',
    value: ({ spec }) => {
      const { paramRef } = spec as BindingSpec;
      return paramRef ? shownRef(paramRef) : unset;
    },
    description: 'The objects that are its params.',
  },
  age,
];

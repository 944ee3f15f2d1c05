import {
  admissionGroup,
  type MatchResources,
  type MutatingBinding,
  type MutatingPolicy,
  type Mutation,
} from '../../../machinery/api/admission.ts';
import { invalid, notSupported, required } from '../../../machinery/api/faults.ts';
import type { FieldError, KindDefinition } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { atomicList, required as mustHave, object, string } from '../../../machinery/api/schema.ts';
import { bindingColumns, policyColumns } from '../admission/columns.ts';
import { withBindingDefaults, withPolicyDefaults } from '../admission/defaults.ts';
import { bindingFaults, isBlank, oneOf, policyFaults } from '../admission/faults.ts';
import {
  failurePolicy,
  matchConditions,
  matchResources,
  paramKind,
  paramRef,
  variables,
} from '../admission/schemas.ts';
import { defineBuiltIn } from '../built-in.ts';
import { mutatingAdmissionPolicyBinding as bindingFacts, mutatingAdmissionPolicy as facts } from './kind.ts';

const spec = object('What the policy changes of which requests.', {
  paramKind,
  matchConstraints: matchResources('The requests that the policy is about.'),
  variables,
  mutations: atomicList(
    'Changes of the object, one after the other.',
    object('A change.', {
      patchType: mustHave(string('ApplyConfiguration or JSONPatch.')),
      applyConfiguration: object('Fields that are merged into the object as by server-side apply.', {
        expression: string('CEL expression of type Object.'),
      }),
      jsonPatch: object('A JSON patch of the object.', {
        expression: string('CEL expression of a list of JSONPatch.'),
      }),
    }),
  ),
  failurePolicy,
  matchConditions,
  reinvocationPolicy: string('IfNeeded asks again when others have changed the object since; Never does not.'),
});

const operations = ['*', 'CREATE', 'UPDATE', 'CONNECT'];

/** There is nothing to change of what is deleted. */
const operationFaults = (match: MatchResources | undefined, field: string): FieldError[] =>
  (match?.resourceRules ?? [])
    .flatMap((rule) => rule.operations ?? [])
    .filter((one) => !operations.includes(one))
    .map((one) => notSupported(`${field}.resourceRules.operations`, one, [...operations].sort()));

const patches = {
  ApplyConfiguration: { own: 'applyConfiguration', other: 'jsonPatch' },
  JSONPatch: { own: 'jsonPatch', other: 'applyConfiguration' },
} as const;

const mutationFaults = (mutation: Mutation, field: string): FieldError[] => {
  const { patchType } = mutation;
  if (!patchType) return [required(`${field}.patchType`)];
  if (!Object.hasOwn(patches, patchType)) return oneOf(`${field}.patchType`, patchType, Object.keys(patches));
  const { own, other } = patches[patchType];
  const patch = mutation[own];
  return [
    ...(patch ? [] : [required(`${field}.${own}`, `must be specified when patchType is ${patchType}`)]),
    ...(patch && isBlank(patch.expression) ? [required(`${field}.${own}.expression`)] : []),
    ...(mutation[other]
      ? [invalid(`${field}.${other}`, `{${other}}`, `must not be specified when patchType is ${patchType}`)]
      : []),
  ];
};

const validate: KindDefinition['validate'] = (policy, { operation }) => {
  if (operation === 'delete') return [];
  const { mutations = [], reinvocationPolicy, ...rest } = (policy as MutatingPolicy).spec ?? {};
  return [
    ...policyFaults(rest, 'spec'),
    ...operationFaults(rest.matchConstraints, 'spec.matchConstraints'),
    ...(mutations.length === 0 ? [required('spec.mutations', 'mutations must contain at least one item')] : []),
    ...mutations.flatMap((one, i) => mutationFaults(one, `spec.mutations[${i}]`)),
    ...(reinvocationPolicy
      ? oneOf('spec.reinvocationPolicy', reinvocationPolicy, ['Never', 'IfNeeded'])
      : [required('spec.reinvocationPolicy')]),
  ];
};

/** Policies from before v1 apply as they are: the versions differ in nothing but their name. */
const withBeta = (kind: KindDefinition): KindDefinition => {
  const [v1] = kind.versions;
  const named = (version: string) => (one: KubeObject) => ({ ...one, apiVersion: `${admissionGroup}/${version}` });
  const beta = { ...v1!, name: 'v1beta1', storage: false, toStorage: named('v1'), fromStorage: named('v1beta1') };
  return { ...kind, versions: [v1!, beta] };
};

export const mutatingAdmissionPolicy = withBeta(
  defineBuiltIn({
    ...facts,
    categories: ['api-extensions'],
    generations: true,
    default: (policy) => ({ ...policy, spec: withPolicyDefaults((policy as MutatingPolicy).spec ?? {}) }),
    validate,
    version: {
      description: 'Changes objects before they are admitted; bindings put it into effect.',
      fields: { spec },
      columns: policyColumns('Mutations', 'mutations'),
    },
  }),
);

export const mutatingAdmissionPolicyBinding = withBeta(
  defineBuiltIn({
    ...bindingFacts,
    categories: ['api-extensions'],
    generations: true,
    default: (binding) => ({ ...binding, spec: withBindingDefaults((binding as MutatingBinding).spec ?? {}) }),
    validate: (binding, { operation }) => {
      if (operation === 'delete') return [];
      const own = (binding as MutatingBinding).spec ?? {};
      return [...bindingFaults(own, 'spec'), ...operationFaults(own.matchResources, 'spec.matchResources')];
    },
    version: {
      description: 'Puts a MutatingAdmissionPolicy into effect.',
      fields: {
        spec: object('Which policy has an effect on which requests.', {
          policyName: string('Name of the policy; a binding to one that does not exist has no effect.'),
          paramRef,
          matchResources: matchResources('Limits the requests that the policy is about.'),
        }),
      },
      columns: bindingColumns,
    },
  }),
);

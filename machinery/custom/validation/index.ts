/** Validates a CustomResourceDefinition, as a Kubernetes API server does. */
import { caBundleFault } from '../../api/ca-bundle.ts';
import { isTrue } from '../../api/conditions.ts';
import { invalid, notSupported, required } from '../../api/faults.ts';
import type { FieldError } from '../../api/kind.ts';
import { equal } from '../../api/merge.ts';
import type { Definition, DefinitionSpec } from '../definition.ts';
import { approval, approvalOf } from '../names.ts';
import { conversionErrors } from './conversion.ts';
import { groupErrors, missingNames, namesErrors } from './names.ts';
import { versionErrors } from './version.ts';

const scopeErrors = (scope: string | undefined): FieldError[] => {
  if (!scope) return [required('spec.scope')];
  return scope === 'Cluster' || scope === 'Namespaced'
    ? []
    : [notSupported('spec.scope', scope, ['Cluster', 'Namespaced'])];
};

/** Parts of versions, and where errors stand if the part is the same in all versions: Kubernetes knows them once. */
const shared = {
  schema: 'validation',
  subresources: 'subresources',
  additionalPrinterColumns: 'additionalPrinterColumns',
  selectableFields: 'selectableFields',
} as const;

const partErrors = (versions: NonNullable<DefinitionSpec['versions']>): FieldError[] => {
  const [first] = versions;
  const parts = (Object.keys(shared) as (keyof typeof shared)[]).filter((part) =>
    versions.every((version) => equal(version[part], first?.[part])),
  );
  return versions.flatMap((version, i) => {
    const field = `spec.versions[${i}]`;
    return versionErrors(version, field).flatMap((error) => {
      const part = parts.find((one) => error.field.startsWith(`${field}.${one}`));
      if (!part) return [error];
      const rest = error.field.slice(`${field}.${part}`.length);
      return i === 0 ? [{ ...error, field: `spec.${shared[part]}${rest}` }] : [];
    });
  });
};

const versionsErrors = ({ versions = [] }: DefinitionSpec): FieldError[] => {
  const errors = versions.flatMap(({ schema }, i) =>
    schema?.openAPIV3Schema ? [] : [required(`spec.versions[${i}].schema.openAPIV3Schema`)],
  );
  errors.push(...partErrors(versions));
  const names = versions.map(({ name }) => name);
  if (new Set(names).size < names.length)
    errors.push(invalid('spec.versions', names, 'must contain unique version names'));
  if (versions.filter(({ storage }) => storage).length !== 1)
    errors.push(invalid('spec.versions', names, 'must have exactly one version marked as storage version'));
  return errors;
};

const specErrors = (spec: DefinitionSpec): FieldError[] => [
  ...groupErrors(spec.group),
  ...scopeErrors(spec.scope),
  ...versionsErrors(spec),
  ...missingNames(spec.names ?? {}),
  ...namesErrors(spec.names ?? {}, 'spec.names'),
  ...conversionErrors(spec.conversion),
];

const storedErrors = ({ spec, status }: Definition): FieldError[] => {
  const stored = status?.storedVersions ?? [];
  if (stored.length === 0) return [invalid('status.storedVersions', stored, 'must have at least one stored version')];
  const names = (spec?.versions ?? []).map(({ name }) => name);
  return stored.flatMap((version, i) =>
    names.includes(version)
      ? []
      : [
          invalid(
            `status.storedVersions[${i}]`,
            version,
            `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`,
          ),
        ],
  );
};

const approvalErrors = (definition: Definition, old: Definition | undefined): FieldError[] => {
  const state = approvalOf(definition);
  if (!state || (old && approvalOf(old)?.reason === state.reason)) return [];
  const field = `metadata.annotations[${approval}]`;
  if (state.reason === 'MissingAnnotation') return [required(field, state.message)];
  return state.reason === 'InvalidAnnotation' ? [invalid(field, state.text, state.message)] : [];
};

const wholeErrors = (definition: Definition): FieldError[] => {
  const { metadata, spec } = definition;
  const wanted = `${spec?.names?.plural ?? ''}.${spec?.group ?? ''}`;
  return [
    ...(metadata.name === wanted
      ? []
      : [invalid('metadata.name', metadata.name, 'must be spec.names.plural+"."+spec.group')]),
    ...specErrors(spec ?? ({} as DefinitionSpec)),
    ...namesErrors(definition.status?.acceptedNames ?? {}, 'status.acceptedNames'),
    ...storedErrors(definition),
    ...(spec?.preserveUnknownFields
      ? [
          invalid(
            'spec.preserveUnknownFields',
            true,
            'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
          ),
        ]
      : []),
  ];
};

const immutable = (field: string, value: unknown, old: unknown): FieldError[] =>
  equal(value, old) ? [] : [invalid(field, value, 'field is immutable')];

const bundleOf = ({ spec }: Definition): string => spec?.conversion?.webhook?.clientConfig?.caBundle ?? '';

/** A definition that is served already keeps a usable bundle of authorities. */
const bundleErrors = (definition: Definition, old: Definition): FieldError[] => {
  const [bundle, before] = [bundleOf(definition), bundleOf(old)];
  const fault = bundle === '' ? undefined : caBundleFault(bundle);
  const isOld = before !== '' && caBundleFault(before) !== undefined;
  if (fault === undefined || isOld || !isTrue(old.status?.conditions, 'Established')) return [];
  return [invalid('spec.conversion.webhookClientConfig.caBundle', bundle, fault)];
};

const immutableErrors = ({ spec }: Definition, old: Definition): FieldError[] => [
  ...(isTrue(old.status?.conditions, 'Established')
    ? [
        ...immutable('spec.scope', spec?.scope, old.spec?.scope),
        ...immutable('spec.names.kind', spec?.names?.kind, old.spec?.names.kind),
      ]
    : []),
  ...immutable('spec.group', spec?.group, old.spec?.group),
  ...immutable('spec.names.plural', spec?.names?.plural, old.spec?.names.plural),
];

/** Faults that the stored definition has as well are not held against the new one. */
const newErrors = (errors: FieldError[], old: Definition | undefined): FieldError[] => {
  if (!old || errors.length === 0) return errors;
  const before = wholeErrors(old);
  return errors.filter((error) => !before.some((one) => one.field === error.field && one.detail === error.detail));
};

export const validateDefinition = (
  definition: Definition,
  old: Definition | undefined,
  subresource?: string,
): FieldError[] => {
  if (subresource === 'status') return namesErrors(definition.status?.acceptedNames ?? {}, 'status.acceptedNames');
  return [
    ...newErrors(wholeErrors(definition), old),
    ...(old ? [...immutableErrors(definition, old), ...bundleErrors(definition, old)] : []),
    ...approvalErrors(definition, old),
  ];
};

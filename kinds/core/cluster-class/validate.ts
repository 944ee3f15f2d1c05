/** Checks of a ClusterClass that need no other object. Their messages are Cluster API's. */
import type { Admission, FieldError } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { TemplateError } from '../../common/go-template/index.ts';
import { compareVersions, parseVersion } from '../../common/kubernetes-version.ts';
import { dnsSubdomain } from '../../common/schema.ts';
import {
  forbiddenField,
  invalidValue,
  normalVersion,
  validateDurations,
  validateReferences,
  validateRollingUpdate,
  validateTaints,
  validateTemplateMetadata,
} from '../../common/validate.ts';
import { validateChecks } from '../machine-health-check/validate.ts';
import { validateCompatible } from './compatible.ts';
import { nameByTemplate } from './names.ts';
import type { ClusterClassSpec } from './schema.ts';
import { validatePatches } from './validate-patches.ts';

interface TemplateRef {
  kind: string;
}
const validateTemplate = (at: string, { kind }: TemplateRef): FieldError[] =>
  kind.length > 'Template'.length && kind.endsWith('Template')
    ? []
    : [invalidValue(`${at}.kind`, kind, 'template kind must be of form "<name>Template"')];

const validateName = (at: string, template: string | undefined, data: object): FieldError[] => {
  if (template === undefined) return [];
  const name = nameByTemplate(template, { cluster: 'cluster', random: 'abcde', ...data });
  if (name instanceof TemplateError) return [invalidValue(at, template, `invalid name template: ${name.message}`)];
  return new RegExp(dnsSubdomain).test(name)
    ? []
    : [invalidValue(at, template, `generated names such as "${name}" would not be valid names of objects`)];
};

const isRepeated = (names: readonly string[], i: number): boolean => names.indexOf(names[i]!) < i;

const validateWorkers = ({ workers }: ClusterClassSpec): FieldError[] => {
  const [deployments = [], pools = []] = [workers?.machineDeployments, workers?.machinePools];
  const all = [
    ...deployments.map((one, i) => ({
      one,
      i,
      list: deployments,
      field: 'machineDeployments',
      kind: 'MachineDeployment',
    })),
    ...pools.map((one, i) => ({ one, i, list: pools, field: 'machinePools', kind: 'MachinePool' })),
  ];
  const shared = all.flatMap(({ one, i, list, field, kind }) => {
    const at = `spec.workers.${field}[${i}]`;
    const topologyName =
      kind === 'MachineDeployment' ? { machineDeployment: 'mdtopology' } : { machinePool: 'mptopology' };
    const why = `${kind} class must be unique. ${kind} with class "${one.class}" is defined more than once`;
    return [
      ...(isRepeated(
        list.map((other) => other.class),
        i,
      )
        ? [invalidValue(`${at}.class`, one.class, why)]
        : []),
      ...validateTemplate(`${at}.bootstrap.templateRef`, one.bootstrap.templateRef),
      ...validateTemplate(`${at}.infrastructure.templateRef`, one.infrastructure.templateRef),
      ...validateName(`${at}.naming.template`, one.naming?.template, topologyName),
      ...validateTaints(`${at}.taints`, one.taints, { worker: true }),
      ...validateTemplateMetadata(`${at}.metadata`, one.metadata),
    ];
  });
  const own = deployments.flatMap((one, i) => {
    const at = `spec.workers.machineDeployments[${i}]`;
    return [
      ...validateRollingUpdate(`${at}.rollout.strategy.rollingUpdate`, one.rollout?.strategy?.rollingUpdate),
      ...validateChecks(`${at}.healthCheck`, one.healthCheck ?? {}),
    ];
  });
  return [...shared, ...own];
};

const validateControlPlane = ({ controlPlane }: ClusterClassSpec): FieldError[] => {
  const at = 'spec.controlPlane';
  const { templateRef, machineInfrastructure, naming, taints, metadata, healthCheck } = controlPlane;
  return [
    ...validateTemplate(`${at}.templateRef`, templateRef),
    ...(machineInfrastructure
      ? validateTemplate(`${at}.machineInfrastructure.templateRef`, machineInfrastructure.templateRef)
      : []),
    ...validateName(`${at}.naming.template`, naming?.template, {}),
    ...validateTaints(`${at}.taints`, taints, { worker: false }),
    ...validateTemplateMetadata(`${at}.metadata`, metadata),
    ...validateChecks(`${at}.healthCheck`, healthCheck ?? {}),
    ...(healthCheck && !machineInfrastructure
      ? [forbiddenField(`${at}.healthCheck`, 'can be only set if spec.controlPlane.machineInfrastructure is set')]
      : []),
  ];
};

const validateVersions = ({ kubernetesVersions = [] }: ClusterClassSpec): FieldError[] =>
  kubernetesVersions.flatMap((text, i) => {
    const field = `spec.kubernetesVersions[${i}]`;
    const version = parseVersion(normalVersion(text));
    if (!version) return [invalidValue(field, text, 'version must be a valid semantic version')];
    const before = i > 0 ? parseVersion(normalVersion(kubernetesVersions[i - 1]!)) : undefined;
    if (!before) return [];
    const [last, next] = [before.minor, before.minor + 1];
    return [
      ...(compareVersions(version, before) < 0 || text === kubernetesVersions[i - 1]
        ? [invalidValue(field, text, `version must be greater than ${kubernetesVersions[i - 1]}`)]
        : []),
      ...(version.minor === last || version.minor === next
        ? []
        : [invalidValue(field, text, `expecting a version with minor ${last} or ${next}, found version ${text}`)]),
    ];
  });

const validateVariableNames = ({ variables = [] }: ClusterClassSpec): FieldError[] =>
  variables.flatMap(({ name }, i) => {
    const field = `spec.variables[${i}].name`;
    const repeated = `variable name must be unique. Variable with name "${name}" is defined more than once`;
    return [
      ...(isRepeated(
        variables.map((one) => one.name),
        i,
      )
        ? [invalidValue(field, name, repeated)]
        : []),
      ...(name === 'builtin' ? [invalidValue(field, name, '"builtin" is a reserved variable name')] : []),
      ...(name.includes('.') ? [invalidValue(field, name, 'variable name cannot contain "."')] : []),
    ];
  });

export const validateClusterClass = (object: KubeObject, { operation, old, subresource }: Admission): FieldError[] => {
  const spec = object.spec as ClusterClassSpec | undefined;
  if (!spec || operation === 'delete' || subresource === 'status') return [];
  const before = old?.spec as ClusterClassSpec | undefined;
  return [
    ...validateTemplate('spec.infrastructure.templateRef', spec.infrastructure.templateRef),
    ...validateName('spec.infrastructure.naming.template', spec.infrastructure.naming?.template, {}),
    ...validateControlPlane(spec),
    ...validateWorkers(spec),
    ...validateVariableNames(spec),
    ...validatePatches(spec),
    ...validateVersions(spec),
    ...(before ? validateCompatible(before, spec) : []),
  ];
};

const workers = ['spec.workers.machineDeployments[]', 'spec.workers.machinePools[]'];
const checked = ['spec.controlPlane', 'spec.workers.machineDeployments[]'];
const timeouts = ['nodeDrainTimeout', 'nodeVolumeDetachTimeout', 'nodeDeletionTimeout'];
const checkTimeouts = ['nodeStartupTimeout', 'unhealthyConditions[].timeout', 'unhealthyMachineConditions[].timeout'];
const referencesV1beta1 = validateReferences([
  'spec.infrastructure.ref',
  'spec.controlPlane.ref',
  'spec.controlPlane.machineInfrastructure.ref',
  ...workers.flatMap((place) => [`${place}.template.bootstrap.ref`, `${place}.template.infrastructure.ref`]),
  ...checked.map((place) => `${place}.machineHealthCheck.remediationTemplate`),
]);
const durationsV1beta1 = validateDurations([
  ...['spec.controlPlane', ...workers].flatMap((place) => timeouts.map((field) => `${place}.${field}`)),
  ...checked.flatMap((place) => checkTimeouts.map((field) => `${place}.machineHealthCheck.${field}`)),
]);
/** Errors that only v1beta1 can have. */
export const validateV1beta1 = (object: KubeObject): FieldError[] => [
  ...referencesV1beta1(object),
  ...durationsV1beta1(object),
];

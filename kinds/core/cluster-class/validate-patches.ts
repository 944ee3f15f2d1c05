/** Checks of a ClusterClass' patches. Their messages are Cluster API's. */
import type { FieldError } from '../../../machinery/api/kind.ts';
import { isQualifiedName } from '../../../machinery/api/labels.ts';
import { templateFault } from '../../common/go-template/index.ts';
import { invalidValue, requiredField } from '../../common/validate.ts';
import type { ClusterClassSpec } from './schema.ts';

type Patch = NonNullable<ClusterClassSpec['patches']>[number];
type Definition = NonNullable<Patch['definitions']>[number];
type Selector = Definition['selector'];
type JsonPatch = Definition['jsonPatches'][number];
interface TemplateRef {
  apiVersion: string;
  kind: string;
}

const selects = (selector: Selector, templates: readonly (TemplateRef | undefined)[]): boolean =>
  templates.some((template) => template?.kind === selector.kind && template.apiVersion === selector.apiVersion);

/** `*` at the start or the end stands for any text. */
export const matchesClassName = (pattern: string, name: string): boolean =>
  pattern === name ||
  pattern === '*' ||
  (pattern.startsWith('*') && name.endsWith(pattern.slice(1))) ||
  (pattern.endsWith('*') && name.startsWith(pattern.slice(0, -1)));

const patternFault = (name: string): string | undefined => {
  if (!name.includes('*')) return undefined;
  if (name.split('*').length > 2) return 'selector can at most contain a single "*" rune';
  if (!name.startsWith('*') && !name.endsWith('*'))
    return '"*" rune can only appear at the beginning, or ending of the selector';
  return isQualifiedName(name.replaceAll('*', 'a'))
    ? undefined
    : 'selector does not comply with the Kubernetes naming standards';
};

interface WorkerClass {
  class: string;
  bootstrap: { templateRef: TemplateRef };
  infrastructure: { templateRef: TemplateRef };
}
const validateNames = (
  at: string,
  selector: Selector,
  names: readonly string[],
  { classes, what }: { classes: readonly WorkerClass[] | undefined; what: string },
): FieldError[] =>
  names.flatMap((name, i) => {
    const field = `${at}.names[${i}]`;
    const fault = patternFault(name);
    if (fault) return [invalidValue(field, name, fault)];
    const isMatched = (classes ?? [])
      .filter((one) => matchesClassName(name, one.class))
      .some((one) => selects(selector, [one.infrastructure.templateRef, one.bootstrap.templateRef]));
    const mismatch = `selector is enabled but matches neither the bootstrap ref nor the infrastructure ref of a ${what} class`;
    return isMatched ? [] : [invalidValue(field, name, mismatch)];
  });

const validateSelector = (at: string, selector: Selector, spec: ClusterClassSpec): FieldError[] => {
  const { infrastructureCluster, controlPlane, machineDeploymentClass, machinePoolClass } = selector.matchResources;
  const [deployments = [], pools = []] = [machineDeploymentClass?.names, machinePoolClass?.names];
  if (!infrastructureCluster && !controlPlane && deployments.length + pools.length === 0)
    return [invalidValue(at, selector, 'no selector enabled')];
  const place = `${at}.matchResources`;
  const ofControlPlane = [spec.controlPlane.templateRef, spec.controlPlane.machineInfrastructure?.templateRef];
  return [
    ...(infrastructureCluster && !selects(selector, [spec.infrastructure.templateRef])
      ? [
          invalidValue(
            `${place}.infrastructureCluster`,
            true,
            'selector is enabled but does not match the infrastructure ref',
          ),
        ]
      : []),
    ...(controlPlane && !selects(selector, ofControlPlane)
      ? [
          invalidValue(
            `${place}.controlPlane`,
            true,
            'selector is enabled but matches neither the controlPlane ref nor the controlPlane machineInfrastructure ref',
          ),
        ]
      : []),
    ...validateNames(`${place}.machineDeploymentClass`, selector, deployments, {
      classes: spec.workers?.machineDeployments,
      what: 'MachineDeployment',
    }),
    ...validateNames(`${place}.machinePoolClass`, selector, pools, {
      classes: spec.workers?.machinePools,
      what: 'MachinePool',
    }),
  ];
};

/** Lists only grow at their ends: an index in between says nothing of other patches' items. */
const indexFault = ({ op, path }: JsonPatch): string | undefined => {
  const parts = path.split('/');
  const isIndex = (part: string | undefined) => part !== undefined && (part === '-' || /^\d+$/.test(part));
  if (!parts.some(isIndex)) return undefined;
  if (op !== 'add') return `elements in arrays can not be accessed in a ${op} operation`;
  const last = parts.at(-1);
  if (parts.slice(0, -1).some(isIndex) || (isIndex(last) && last !== '0' && last !== '-'))
    return 'arrays can only be accessed using "0" (prepend) or "-" (append)';
  return undefined;
};

const variableOf = (path: string): string => path.split('.')[0]!.replace(/\[.*$/, '');

const validateVariable = (at: string, path: string, spec: ClusterClassSpec): FieldError[] => {
  const name = variableOf(path);
  const isKnown = name === 'builtin' || (spec.variables ?? []).some((variable) => variable.name === name);
  return isKnown ? [] : [invalidValue(at, path, `variable with name ${name} cannot be found`)];
};

const validateValue = (at: string, patch: JsonPatch, spec: ClusterClassSpec): FieldError[] => {
  const { op, value, valueFrom } = patch;
  if (op === 'remove') return [];
  const { template, variable } = valueFrom ?? {};
  const fault = template === undefined ? undefined : templateFault(template);
  return [
    ...(value === undefined && !valueFrom
      ? [invalidValue(at, patch, 'jsonPatch must define one of value or valueFrom')]
      : []),
    ...(value !== undefined && valueFrom
      ? [invalidValue(at, patch, 'jsonPatch can not define both value and valueFrom')]
      : []),
    ...(valueFrom && template === undefined && variable === undefined
      ? [invalidValue(`${at}.valueFrom`, valueFrom, 'valueFrom must set either template or variable')]
      : []),
    ...(template !== undefined && variable !== undefined
      ? [invalidValue(`${at}.valueFrom`, valueFrom, 'valueFrom can not set both template and variable')]
      : []),
    ...(fault === undefined
      ? []
      : [invalidValue(`${at}.valueFrom.template`, template, `template can not be parsed: ${fault}`)]),
    ...(variable === undefined ? [] : validateVariable(`${at}.valueFrom.variable`, variable, spec)),
  ];
};

const validateJsonPatch = (at: string, patch: JsonPatch, spec: ClusterClassSpec): FieldError[] => {
  const fault = indexFault(patch);
  return [
    ...(patch.path.startsWith('/spec')
      ? []
      : [invalidValue(`${at}.path`, patch, 'jsonPatch path must start with "/spec"')]),
    ...(fault === undefined ? [] : [invalidValue(`${at}.path`, patch.path, fault)]),
    ...validateValue(at, patch, spec),
  ];
};

const validatePatch = (at: string, patch: Patch, spec: ClusterClassSpec): FieldError[] => {
  const { name, enabledIf, definitions, external } = patch;
  const fault = enabledIf === undefined ? undefined : templateFault(enabledIf);
  return [
    ...(name === 'inline' ? [requiredField(`${at}.name`, '"inline" can not be used as the name of a patch')] : []),
    ...(fault === undefined
      ? []
      : [invalidValue(`${at}.enabledIf`, enabledIf, `template can not be parsed: ${fault}`)]),
    ...(definitions || external ? [] : [requiredField(at, 'one of definitions or external must be defined')]),
    ...(definitions && external ? [invalidValue(at, patch, 'only one of definitions or external can be defined')] : []),
    ...(external && !external.generatePatchesExtension && !external.validateTopologyExtension
      ? [
          invalidValue(
            `${at}.external`,
            external,
            'one of validateTopologyExtension and generatePatchesExtension must be defined',
          ),
        ]
      : []),
    ...(definitions ?? []).flatMap((definition, i) => [
      ...definition.jsonPatches.flatMap((one, k) =>
        validateJsonPatch(`${at}.definitions[${i}].jsonPatches[${k}]`, one, spec),
      ),
      ...validateSelector(`${at}.definitions[${i}].selector`, definition.selector, spec),
    ]),
  ];
};

export const validatePatches = (spec: ClusterClassSpec): FieldError[] => {
  const patches = spec.patches ?? [];
  return patches.flatMap((patch, i) => {
    const at = `spec.patches[${i}]`;
    const isRepeated = patches.slice(0, i).some(({ name }) => name === patch.name);
    const why = `patch names must be unique. Patch with name "${patch.name}" is defined more than once`;
    return [...(isRepeated ? [invalidValue(`${at}.name`, patch.name, why)] : []), ...validatePatch(at, patch, spec)];
  });
};

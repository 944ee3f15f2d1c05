import type { Admission, FieldError } from '../../machinery/api/kind.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { validateReplicas } from '../common/replicas.ts';
import {
  immutable,
  invalidValue,
  validateNaming,
  validateSelector,
  validateSkippedPreflights,
  validateTaints,
  validateTemplateMetadata,
  validateVersion,
} from '../common/validate.ts';
import { validateBootstrap } from '../machine/validate.ts';
import type { MachineDeploymentSpec } from '../machine-deployment/schema.ts';
import type { MachineSet, MachineSetSpec } from './schema.ts';

/** Checks that MachineSets and MachineDeployments share. */
export const validateSetSpec = (
  spec: MachineSetSpec | MachineDeploymentSpec,
  before: MachineSetSpec | MachineDeploymentSpec | undefined,
): FieldError[] => {
  const { template, clusterName, machineNaming } = spec;
  const at = 'spec.template.spec';
  return [
    ...validateBootstrap(at, template.spec),
    ...(before && before.clusterName !== clusterName ? [immutable('spec.clusterName')] : []),
    ...(template.spec.clusterName === clusterName
      ? []
      : [
          invalidValue(
            'spec.clusterName',
            clusterName,
            'spec.clusterName and spec.template.spec.clusterName must be set to the same value',
          ),
        ]),
    ...validateVersion(`${at}.version`, template.spec.version),
    ...validateTaints(`${at}.taints`, template.spec.taints, { worker: true }),
    ...validateNaming('spec.machineNaming.template', machineNaming?.template, {
      'cluster.name': 'cluster',
      'machineSet.name': 'machineset',
    }),
    ...validateTemplateMetadata('spec.template.metadata', template.metadata),
  ];
};

export const validateMachineSet = (object: KubeObject, { old }: Admission): FieldError[] => {
  const machineSet = object as MachineSet;
  const { spec } = machineSet;
  if (!spec) return [];
  const { labels } = spec.template.metadata ?? {};
  return [
    ...validateSelector(spec.selector, labels, (field, detail) => invalidValue(field, labels ?? {}, detail)),
    ...validateSkippedPreflights(machineSet),
    ...validateReplicas(machineSet),
    ...validateSetSpec(spec, (old as MachineSet | undefined)?.spec),
  ];
};

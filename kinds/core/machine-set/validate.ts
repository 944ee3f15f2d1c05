import type { Admission, FieldError } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { labels } from '../../common/labels.ts';
import { labelValueOf } from '../../common/names.ts';
import { validateReplicas } from '../../common/replicas.ts';
import {
  immutable,
  invalidValue,
  validateNaming,
  validateSelector,
  validateSkippedPreflights,
  validateTaints,
  validateTemplateMetadata,
  validateVersion,
} from '../../common/validate.ts';
import { validateRebalance } from '../contract/interruption.ts';
import { validateBootstrap } from '../machine/validate.ts';
import type { MachineDeploymentSpec } from '../machine-deployment/schema.ts';
import { validatePreserve } from '../shared/preservation.ts';
import { validateSelectable } from '../shared/selectable.ts';
import { backoffAnnotation } from './backoff.ts';
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
    ...validatePreserve(
      'spec.template.metadata',
      template.metadata?.annotations,
      before?.template.metadata?.annotations,
    ),
  ];
};

/** Ignores an invalid value that is already stored. */
export const validateBackoff = ({ metadata }: KubeObject, old: KubeObject | undefined): FieldError[] => {
  const value = metadata.annotations?.[backoffAnnotation];
  if (value === undefined || value === 'On' || value === 'Off') return [];
  if (value === old?.metadata.annotations?.[backoffAnnotation]) return [];
  return [
    {
      reason: 'FieldValueNotSupported',
      field: `metadata.annotations[${backoffAnnotation}]`,
      value,
      detail: 'supported values: "On", "Off"',
    },
  ];
};

/**
 * Reads the deployment label from `stored`: the MachineDeployment reverts an update of that label.
 */
const selectingOf = ({ metadata, spec }: MachineSet, stored: MachineSet) => {
  const { selector = {}, clusterName = '' } = spec ?? {};
  const deployment = stored.metadata.labels?.[labels.deployment];
  return {
    // The MachineSet controller writes the cluster's name into matchLabels.
    selector: { ...selector, matchLabels: { ...selector.matchLabels, [labels.cluster]: clusterName } },
    given: {
      [labels.set]: labelValueOf(metadata.name),
      [labels.cluster]: clusterName,
      ...(deployment !== undefined && { [labels.deployment]: deployment }),
    },
  };
};

export const validateMachineSet = (object: KubeObject, { old }: Admission): FieldError[] => {
  const machineSet = object as MachineSet;
  const { spec } = machineSet;
  if (!spec) return [];
  const before = old as MachineSet | undefined;
  const templateLabels = spec.template.metadata?.labels;
  return [
    ...validateSelector(spec.selector, templateLabels, (field, detail) =>
      invalidValue(field, templateLabels ?? {}, detail),
    ),
    ...validateSelectable(selectingOf(machineSet, before ?? machineSet), before && selectingOf(before, before)),
    ...validateSkippedPreflights(machineSet),
    ...validateBackoff(machineSet, old),
    ...validateRebalance(machineSet),
    ...validateReplicas(machineSet),
    ...validateSetSpec(spec, before?.spec),
  ];
};

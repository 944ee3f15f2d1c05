/**
 * Making Machines so that a crash, a repetition or a worker that wakes up late makes none twice: the names are written on
 * the MachineSet first, at the version observed. Whatever is missing under them is created in this or any later pass, and
 * a name is struck off once its Machine exists.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Action, Context } from '../../../machinery/api/reconcile.ts';
import { annotations, labels } from '../../common/labels.ts';
import { labelValueOf, nameFromTemplate, nameWithSuffix } from '../../common/names.ts';
import { controllerReference, ownerReference } from '../../common/owners.ts';
import { type Flowing, flowing } from '../../common/propagation.ts';
import { cloneOf, referenceTo } from '../contract/clone.ts';
import { machineFinalizer } from '../contract/finalizers.ts';
import type { Machine, MachineSpec } from '../machine/schema.ts';
import type { MachineSet } from './schema.ts';

/** Annotation with the names of Machines being created, as a JSON list. */
export const { creating } = annotations;

/** Names written before; what is no list of names counts as none. */
export const namesInCreation = ({ metadata }: KubeObject): string[] => {
  try {
    const names: unknown = JSON.parse(metadata.annotations?.[creating] ?? '[]');
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
};
export const creationNote = (names: string[]): string | null => (names.length > 0 ? JSON.stringify(names) : null);

export const newName = (machineSet: MachineSet, { random }: Context): string => {
  const { clusterName = '', machineNaming } = machineSet.spec ?? {};
  const { name } = machineSet.metadata;
  const suffix = random.suffix(5);
  const variables = { 'cluster.name': clusterName, 'machineSet.name': name };
  const named = machineNaming?.template && nameFromTemplate(machineNaming.template, variables, suffix);
  // Admission refuses naming templates that cannot be followed.
  return typeof named === 'string' && named ? named : nameWithSuffix(`${name}-`, suffix);
};

/** Labels and annotations that everything of a Machine gets from its set. */
export const flowOf = (machineSet: MachineSet): Flowing => {
  const { metadata, spec } = machineSet;
  const deployment = metadata.labels?.[labels.deployment];
  return {
    labels: {
      ...spec?.template.metadata?.labels,
      [labels.set]: labelValueOf(metadata.name),
      ...(deployment !== undefined && { [labels.deployment]: deployment }),
      [labels.cluster]: spec?.clusterName ?? '',
    },
    annotations: { ...spec?.template.metadata?.annotations },
  };
};

/** What a Machine follows in place of its set, without being replaced. */
export const inPlaceFields = ({ spec }: MachineSet): Partial<MachineSpec> => {
  const { readinessGates, deletion, minReadySeconds, taints } = spec?.template.spec ?? {};
  return {
    ...(readinessGates && { readinessGates }),
    ...(deletion && { deletion }),
    ...(minReadySeconds !== undefined && { minReadySeconds }),
    ...(taints && { taints }),
  };
};

export interface Parts {
  infrastructure: KubeObject;
  bootstrap: KubeObject | undefined;
}

/** What is missing of one Machine, in the order in which it must be made. */
export const creationOf = (
  name: string,
  machineSet: MachineSet,
  templates: Parts,
  existing: { infraMachine: boolean; bootstrapConfig: boolean },
): Action[] => {
  const flow = flowing(flowOf(machineSet));
  const made = { name, owner: ownerReference(machineSet), ...flow };
  const infraMachine = cloneOf(templates.infrastructure, made);
  const bootstrapConfig = templates.bootstrap && cloneOf(templates.bootstrap, made);
  const { namespace = '' } = machineSet.metadata;
  const { template, clusterName } = machineSet.spec!;
  const machine: Machine = {
    apiVersion: machineSet.apiVersion,
    kind: 'Machine',
    metadata: {
      name,
      namespace,
      ...flow,
      ownerReferences: [controllerReference(machineSet)],
      finalizers: [machineFinalizer],
    },
    spec: {
      ...template.spec,
      clusterName,
      infrastructureRef: referenceTo(infraMachine),
      bootstrap: {
        ...template.spec.bootstrap,
        ...(bootstrapConfig && { configRef: referenceTo(bootstrapConfig) }),
      },
    },
  };
  const objects = [
    ...(bootstrapConfig && !existing.bootstrapConfig ? [bootstrapConfig] : []),
    ...(existing.infraMachine ? [] : [infraMachine]),
    machine,
  ];
  // One group a Machine: what is wrong with one does not stop the others.
  return objects.map((object) => ({ do: 'create', object, group: name }));
};

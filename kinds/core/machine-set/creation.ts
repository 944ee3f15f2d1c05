/**
 * Creates Machines so that no crash, retry or stale pass creates one twice. The MachineSet records
 * the names first, against the observed resourceVersion. This or any later pass creates the objects
 * that are missing under these names, and drops a name once its Machine exists.
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

/** Names noted by an earlier pass; an annotation that is not a list of names counts as empty. */
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
  // Admission rejects naming templates that cannot be rendered.
  return typeof named === 'string' && named ? named : nameWithSuffix(`${name}-`, suffix);
};

/** Labels and annotations that a set propagates to its Machines and their parts. */
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

/** Fields that a Machine takes over from its set without being replaced. */
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

/** The missing objects of one Machine, in creation order. */
export const creationOf = (
  name: string,
  machineSet: MachineSet,
  templates: Parts,
  existing: { infraMachine: boolean; bootstrapConfig: boolean },
  /** Annotations of the infrastructure machine. */
  notes: Record<string, string> = {},
): Action[] => {
  const flow = flowing(flowOf(machineSet));
  const made = { name, owner: ownerReference(machineSet), ...flow };
  const noted = { ...made, annotations: { ...made.annotations, ...notes } };
  const infraMachine = cloneOf(templates.infrastructure, noted);
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
  // One group per Machine: a failure of one does not stop the others.
  return objects.map((object) => ({ do: 'create', object, group: name }));
};

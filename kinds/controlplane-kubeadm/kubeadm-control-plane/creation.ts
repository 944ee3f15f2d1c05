/**
 * Creates a Machine so that no crash, retry or stale pass creates it twice. The control plane
 * records the name first, against the observed resourceVersion. This or any later pass creates the
 * objects that are missing under that name, and removes the note once all of them exist.
 */
import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Action, absenceOf, type Context, found } from '../../../machinery/api/reconcile.ts';
import type { KubeadmConfig } from '../../bootstrap-kubeadm/kubeadm-config/index.ts';
import { restoreAnnotation, type SnapshotFile } from '../../bootstrap-kubeadm/kubeadm-config/restore.ts';
import { labels } from '../../common/labels.ts';
import { labelValueOf, nameFromTemplate } from '../../common/names.ts';
import { controllerReference, ownerReference, patchOf } from '../../common/owners.ts';
import { type Flowing, flowInto, flowing } from '../../common/propagation.ts';
import { cloneOf, referenceTo } from '../../core/contract/clone.ts';
import { machineFinalizer } from '../../core/contract/finalizers.ts';
import { hooks } from '../../core/contract/hooks.ts';
import { claimed, quotaMessages } from '../../core/contract/machine-quota.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { originFileOf } from '../../core/contract/origin.ts';
import { restoreAnnotations } from '../../core/contract/restore.ts';
import type { Machine, MachineSpec } from '../../core/machine/schema.ts';
import type { ControlPlane } from './control-plane.ts';
import { initConfig, joinConfig } from './desired-config.ts';
import { domainForNew } from './failure-domains.ts';
import type { KubeadmControlPlane } from './index.ts';
import { hasManagedEtcd, healthConditionTypes } from './machine-conditions.ts';
import { annotations } from './names.ts';
import { type StepPlan, waitFor } from './step.ts';

/** A Machine that is being created. */
export interface Creation {
  name: string;
  /** True for the Machine that initializes the cluster. */
  init: boolean;
  failureDomain?: string;
  /** The remediation that it replaces a Machine for, as the annotation has it. */
  remediation?: string;
  /** The uid of the restore that it is created for; with the file that its etcd starts on. */
  restore?: { uid: string; file?: SnapshotFile };
  /** The copy of another cluster's snapshot that the cluster begins with. */
  origin?: SnapshotFile;
}

/** The note on the control plane; undefined if there is none or it is unreadable. */
export const creationOf = ({ metadata }: KubeadmControlPlane): Creation | undefined => {
  try {
    const note = JSON.parse(metadata.annotations?.[annotations.creating] ?? 'null') as Creation | null;
    return typeof note?.name === 'string' ? note : undefined;
  } catch {
    return undefined;
  }
};

const defaultName = '{{ .kubeadmControlPlane.name }}-{{ .random }}';
const newName = ({ metadata, spec }: KubeadmControlPlane, cluster: string, { random }: Context): string => {
  const variables = { 'cluster.name': cluster, 'kubeadmControlPlane.name': metadata.name };
  const suffix = random.suffix(5);
  const name = nameFromTemplate(spec?.machineNaming?.template ?? defaultName, variables, suffix);
  // Admission rejects naming templates that cannot be rendered.
  return name instanceof Error ? `${metadata.name.slice(0, 57)}-${suffix}` : name;
};

/** Labels and annotations that a control plane propagates to its Machines and their parts. */
export const flowOf = ({ metadata, spec }: KubeadmControlPlane, cluster: string): Flowing => ({
  labels: {
    ...spec?.machineTemplate.metadata?.labels,
    [labels.cluster]: cluster,
    [labels.controlPlane]: '',
    [labels.controlPlaneName]: labelValueOf(metadata.name),
  },
  annotations: { ...spec?.machineTemplate.metadata?.annotations },
});

/** Fields that a Machine takes over from its control plane without being replaced. */
export const inPlaceFields = (kcp: KubeadmControlPlane): Partial<MachineSpec> => {
  const { readinessGates = [], deletion, taints } = kcp.spec?.machineTemplate.spec ?? {};
  const own = healthConditionTypes(hasManagedEtcd({ controlPlane: kcp }));
  return {
    readinessGates: [
      ...own.map((conditionType) => ({ conditionType })),
      ...readinessGates.filter(({ conditionType }) => !own.includes(conditionType)),
    ],
    ...(deletion && { deletion }),
    ...(taints && { taints }),
  };
};

const withoutEmpty = (spec: KubeadmConfig['spec']) => (spec && Object.keys(spec).length > 0 ? { spec } : {});

const objectsOf = (
  { name, init, failureDomain, remediation, restore, origin }: Creation,
  controlPlane: ControlPlane,
  template: KubeObject,
) => {
  const { kcp, cluster } = controlPlane;
  const { namespace = '' } = kcp.metadata;
  const flow = flowing(flowOf(kcp, cluster.metadata.name));
  const file = restore?.file ?? origin;
  const infraMachine = cloneOf(template, { name, owner: ownerReference(kcp), ...flow });
  const config: KubeadmConfig = {
    apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
    kind: 'KubeadmConfig',
    metadata: {
      name,
      namespace,
      ...flow,
      ...(file && { annotations: { ...flow.annotations, [restoreAnnotation]: JSON.stringify(file) } }),
      ownerReferences: [ownerReference(kcp)],
    },
    ...withoutEmpty(init ? initConfig(kcp.spec!) : joinConfig(kcp.spec!)),
  };
  const machine: Machine = {
    apiVersion: cluster.apiVersion,
    kind: 'Machine',
    metadata: {
      name,
      namespace,
      labels: flow.labels,
      annotations: {
        ...flow.annotations,
        [annotations.cleanupHook]: '',
        ...(remediation !== undefined && { [annotations.remediationFor]: remediation }),
        ...(restore && { [restoreAnnotations.restoredBy]: restore.uid }),
      },
      ownerReferences: [controllerReference(kcp)],
      finalizers: [machineFinalizer],
    },
    spec: {
      clusterName: cluster.metadata.name,
      version: kcp.spec!.version,
      ...(failureDomain !== undefined && { failureDomain }),
      bootstrap: { configRef: referenceTo(config) },
      infrastructureRef: referenceTo(infraMachine),
      ...inPlaceFields(kcp),
    },
  };
  return [infraMachine, config, machine];
};

const noteOf = (creation: Creation | null) => ({
  metadata: { annotations: { [annotations.creating]: creation && JSON.stringify(creation) } },
});

const createActions = (creation: Creation, controlPlane: ControlPlane): Action[] => {
  const template = found(controlPlane.template);
  return template ? objectsOf(creation, controlPlane, template).map((object) => ({ do: 'create', object })) : [];
};

const originIn = (cluster: KubeObject, init: boolean): Pick<Creation, 'origin'> => {
  const file = init ? originFileOf(cluster) : undefined;
  return file ? { origin: { ...file, isCopy: true } } : {};
};

const restoreIn = ({ restore, cluster }: ControlPlane, init: boolean): Pick<Creation, 'restore' | 'origin'> => {
  if (!restore) return originIn(cluster, init);
  const { uid, location, checksum } = restore;
  return { restore: { uid, ...(init && { file: { location, checksum } }) } };
};

/** Starts the creation of a Machine. */
export const createMachine = (controlPlane: ControlPlane, init: boolean, context: Context): StepPlan => {
  const { kcp, cluster, members } = controlPlane;
  const failureDomain = domainForNew(cluster, members);
  const remediation = kcp.metadata.annotations?.[annotations.remediationInProgress];
  const creation: Creation = {
    name: newName(kcp, cluster.metadata.name, context),
    init,
    ...(failureDomain !== undefined && { failureDomain }),
    ...(remediation !== undefined && { remediation }),
    ...restoreIn(controlPlane, init),
  };
  const actions = claimed(controlPlane.quotas, creation.name, createActions(creation, controlPlane));
  return { intent: noteOf(creation), actions, again: true };
};

/** Continues the noted creation; undefined if none is noted. */
export const continueCreation = (controlPlane: ControlPlane): StepPlan | undefined => {
  const { kcp, members, orphans, quotas } = controlPlane;
  if (kcp.metadata.annotations?.[annotations.creating] === undefined) return undefined;
  const creation = creationOf(kcp);
  const cleared = (more: Record<string, null> = {}): StepPlan => ({
    intent: { metadata: { annotations: { [annotations.creating]: null, ...more } } },
  });
  if (!creation) return cleared();
  const member = members.find(({ machine }) => machine.metadata.name === creation.name);
  const complete = member?.infraMachine && member.config;
  if (member && (complete || isDeleting(member.machine)))
    return cleared(creation.remediation === undefined ? {} : { [annotations.remediationInProgress]: null });
  // The Machine exists, but lost its owner reference: adoption restores it.
  if (orphans.some(({ metadata }) => metadata.name === creation.name)) return undefined;
  // The note was written before its quota claim, which may have failed because of another
  // controller's claim.
  if (!member && quotaMessages(quotas, 1).length > 0) return cleared();
  const creations = createActions(creation, controlPlane);
  const actions = member || creations.length === 0 ? creations : claimed(quotas, creation.name, creations);
  // Without its template the creation waits: the template's creation wakes the controller.
  return actions.length > 0
    ? { actions, again: true }
    : waitFor(absenceOf(controlPlane.template, kcp.spec!.machineTemplate.spec.infrastructureRef.kind));
};

/** A Machine in deletion takes over only the fields that its deletion uses. */
const changedFields = (machine: Machine, wanted: Partial<MachineSpec>): Record<string, unknown> => {
  // Admission fills in this default, whatever the control plane says.
  const deletion = { nodeDeletionTimeoutSeconds: 10, ...wanted.deletion };
  const target: Partial<MachineSpec> = { taints: undefined, ...wanted, deletion };
  const ending = ['deletion', 'taints'] as const;
  const fields = isDeleting(machine) ? ending : ([...ending, 'readinessGates'] as const);
  return Object.fromEntries(
    fields
      .filter((field) => !isDeepStrictEqual(machine.spec?.[field], target[field]))
      .map((field) => [
        field,
        field === 'deletion' ? replacing(machine.spec?.deletion, deletion) : (target[field] ?? null),
      ]),
  );
};
/** A merge patch that removes all previous keys. */
const replacing = (before: Record<string, unknown> | undefined, after: Record<string, unknown>) => ({
  ...Object.fromEntries(Object.keys(before ?? {}).map((key) => [key, null])),
  ...after,
});

/** Restores the etcd cleanup hook if a client removed it. */
const held = (machine: Machine, metadata: ReturnType<typeof flowInto>): ReturnType<typeof flowInto> =>
  machine.metadata.annotations?.[annotations.cleanupHook] === undefined
    ? { ...metadata, annotations: { ...metadata?.annotations, [annotations.cleanupHook]: '' } }
    : metadata;

/**
 * Propagates labels, annotations, readiness gates, timeouts and taints to existing Machines,
 * without replacing them.
 */
export const followInPlace = ({ kcp, cluster, members }: ControlPlane): Action[] => {
  const flow = flowOf(kcp, cluster.metadata.name);
  return members.flatMap(({ machine, infraMachine, config }): Action[] => {
    const spec = changedFields(machine, inPlaceFields(kcp));
    const metadata = isDeleting(machine) ? undefined : held(machine, flowInto(machine, flow));
    const group = machine.metadata.name;
    const own: Action[] =
      metadata || Object.keys(spec).length > 0
        ? [{ ...patchOf(machine, { ...(metadata && { metadata }), spec: spec as never }), group }]
        : [];
    const parts = (isDeleting(machine) ? [] : [infraMachine, config]).flatMap((part): Action[] => {
      const change = part && !isDeleting(part) ? flowInto(part, flow) : undefined;
      return part && change ? [{ ...patchOf(part, { metadata: change }), group }] : [];
    });
    return [...own, ...parts];
  });
};

/** Pre-terminate hooks of other controllers on a deleted Machine. */
export const otherTerminateHooks = ({ metadata }: Machine): string[] =>
  Object.keys(metadata.annotations ?? {}).filter(
    (key) => key.startsWith(hooks.preTerminate) && key !== annotations.cleanupHook,
  );

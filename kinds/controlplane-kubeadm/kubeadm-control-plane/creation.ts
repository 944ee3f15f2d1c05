/**
 * Making a machine so that a crash, a repetition or a worker that wakes up late makes none twice: its name is written on
 * the control plane first, at the version observed. Whatever is missing under it is created in this or any later pass,
 * and the note is taken off once all of it exists.
 */
import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Action, type Context, found, type Plan } from '../../../machinery/api/reconcile.ts';
import type { KubeadmConfig } from '../../bootstrap-kubeadm/kubeadm-config/index.ts';
import { labels } from '../../common/labels.ts';
import { labelValueOf, nameFromTemplate } from '../../common/names.ts';
import { controllerReference, ownerReference, patchOf } from '../../common/owners.ts';
import { type Flowing, flowInto, flowing } from '../../common/propagation.ts';
import { cloneOf, referenceTo } from '../../core/contract/clone.ts';
import { machineFinalizer } from '../../core/contract/finalizers.ts';
import { hooks } from '../../core/contract/hooks.ts';
import { claimed, quotaMessages } from '../../core/contract/machine-quota.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import type { Machine, MachineSpec } from '../../core/machine/schema.ts';
import type { ControlPlane } from './control-plane.ts';
import { initConfig, joinConfig } from './desired-config.ts';
import { domainForNew } from './failure-domains.ts';
import type { KubeadmControlPlane } from './index.ts';
import { hasManagedEtcd, healthConditionTypes } from './machine-conditions.ts';
import { annotations } from './names.ts';

/** A Machine that is being created. */
export interface Creation {
  name: string;
  /** True for the machine that initialises the cluster. */
  init: boolean;
  failureDomain?: string;
  /** The remediation it is made for, as it stands in the annotation. */
  remediation?: string;
}

/** The note left on the control plane; undefined when there is none or it cannot be read. */
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
  // Admission refuses naming templates that cannot be followed.
  return name instanceof Error ? `${metadata.name.slice(0, 57)}-${suffix}` : name;
};

/** Labels and annotations that everything of a machine gets from its control plane. */
export const flowOf = ({ metadata, spec }: KubeadmControlPlane, cluster: string): Flowing => ({
  labels: {
    ...spec?.machineTemplate.metadata?.labels,
    [labels.cluster]: cluster,
    [labels.controlPlane]: '',
    [labels.controlPlaneName]: labelValueOf(metadata.name),
  },
  annotations: { ...spec?.machineTemplate.metadata?.annotations },
});

/** What a Machine follows in place of its control plane, without being replaced. */
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
  { name, init, failureDomain, remediation }: Creation,
  controlPlane: ControlPlane,
  template: KubeObject,
) => {
  const { kcp, cluster } = controlPlane;
  const { namespace = '' } = kcp.metadata;
  const flow = flowing(flowOf(kcp, cluster.metadata.name));
  const infraMachine = cloneOf(template, { name, owner: ownerReference(kcp), ...flow });
  const config: KubeadmConfig = {
    apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
    kind: 'KubeadmConfig',
    metadata: { name, namespace, ...flow, ownerReferences: [ownerReference(kcp)] },
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

/** Begins a new machine. */
export const createMachine = (controlPlane: ControlPlane, init: boolean, context: Context): Plan => {
  const { kcp, cluster, members } = controlPlane;
  const failureDomain = domainForNew(cluster, members);
  const remediation = kcp.metadata.annotations?.[annotations.remediationInProgress];
  const creation: Creation = {
    name: newName(kcp, cluster.metadata.name, context),
    init,
    ...(failureDomain !== undefined && { failureDomain }),
    ...(remediation !== undefined && { remediation }),
  };
  const actions = claimed(controlPlane.quotas, creation.name, createActions(creation, controlPlane));
  return { intent: noteOf(creation), actions, again: true };
};

/** Goes on with the machine that was begun; undefined when there is none. */
export const continueCreation = (controlPlane: ControlPlane): Plan | undefined => {
  const { kcp, members, orphans, quotas } = controlPlane;
  if (kcp.metadata.annotations?.[annotations.creating] === undefined) return undefined;
  const creation = creationOf(kcp);
  const cleared = (more: Record<string, null> = {}): Plan => ({
    intent: { metadata: { annotations: { [annotations.creating]: null, ...more } } },
  });
  if (!creation) return cleared();
  const member = members.find(({ machine }) => machine.metadata.name === creation.name);
  const complete = member?.infraMachine && member.config;
  if (member && (complete || isDeleting(member.machine)))
    return cleared(creation.remediation === undefined ? {} : { [annotations.remediationInProgress]: null });
  // Adoption brings back a Machine whose owner reference was removed meanwhile.
  if (orphans.some(({ metadata }) => metadata.name === creation.name)) return undefined;
  // The note was written before its claim, which another controller's may have refused.
  if (!member && quotaMessages(quotas, 1).length > 0) return cleared();
  const creations = createActions(creation, controlPlane);
  const actions = member || creations.length === 0 ? creations : claimed(quotas, creation.name, creations);
  // Without its template it waits for the template: creating that wakes us.
  return actions.length > 0 ? { actions, again: true } : {};
};

/** One that goes follows what matters to its end alone. */
const changedFields = (machine: Machine, wanted: Partial<MachineSpec>): Record<string, unknown> => {
  // The default of one timeout is filled in at admission, whatever the control plane says.
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
/** A merge patch that leaves nothing of what was there. */
const replacing = (before: Record<string, unknown> | undefined, after: Record<string, unknown>) => ({
  ...Object.fromEntries(Object.keys(before ?? {}).map((key) => [key, null])),
  ...after,
});

/** With what holds it until it is out of etcd, should somebody have taken that off. */
const held = (machine: Machine, metadata: ReturnType<typeof flowInto>): ReturnType<typeof flowInto> =>
  machine.metadata.annotations?.[annotations.cleanupHook] === undefined
    ? { ...metadata, annotations: { ...metadata?.annotations, [annotations.cleanupHook]: '' } }
    : metadata;

/** Brings labels, annotations, gates, timeouts and taints of existing machines up to date, without replacing them. */
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

/** Hooks of others that still hold a deleted machine. */
export const otherTerminateHooks = ({ metadata }: Machine): string[] =>
  Object.keys(metadata.annotations ?? {}).filter(
    (key) => key.startsWith(hooks.preTerminate) && key !== annotations.cleanupHook,
  );

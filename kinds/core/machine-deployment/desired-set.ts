/**
 * The desired MachineSet of a MachineDeployment, and the patch that updates an existing one. Pure.
 */
import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject, type JsonValue } from '../../../machinery/api/object.ts';
import type { MergePatch } from '../../../machinery/api/reconcile.ts';
import { annotations, labels } from '../../common/labels.ts';
import { controllerReference } from '../../common/owners.ts';
import { type Flowing, flowInto, flowing, type Implied } from '../../common/propagation.ts';
import type { MachineTemplate } from '../machine/schema.ts';
import type { MachineSet, MachineSetSpec } from '../machine-set/schema.ts';
import { templateHash } from './revisions.ts';
import { limitsOf } from './rollout.ts';
import type { MachineDeployment } from './schema.ts';

/** Annotations that kubectl writes, or that concern the MachineDeployment alone. */
const ownAnnotations: string[] = [
  annotations.lastApplied,
  annotations.revision,
  annotations.revisionHistory,
  annotations.desiredReplicas,
  annotations.maxReplicas,
  'cluster.x-k8s.io/conversion-data',
];
const isPassedOn = (annotation: string) =>
  !ownAnnotations.includes(annotation) && !annotation.startsWith('capstan.dev/');

/** Annotations that every set gets, whatever its MachineDeployment has. */
const computedAnnotations: string[] = [
  annotations.desiredReplicas,
  annotations.maxReplicas,
  annotations.disableMachineCreate,
  annotations.revision,
  annotations.revisionHistory,
];

/** The totals of which the set's replicas are a share. */
const sizeAnnotations = (deployment: MachineDeployment): Record<string, string> => {
  const { replicas, maxSurge } = limitsOf(deployment);
  return {
    [annotations.desiredReplicas]: String(replicas),
    [annotations.maxReplicas]: String(replicas + maxSurge),
  };
};

const setAnnotations = (deployment: MachineDeployment, isOld: boolean): Record<string, string> => {
  const passedOn = Object.entries(deployment.metadata.annotations ?? {}).filter(([name]) => isPassedOn(name));
  const waits = isOld && deployment.spec?.rollout?.strategy?.type === 'OnDelete';
  return {
    ...Object.fromEntries(passedOn),
    ...sizeAnnotations(deployment),
    [annotations.disableMachineCreate]: String(waits),
  };
};

const withHash = (deployment: MachineDeployment, hash: string) => ({
  ...deployment.spec?.template.metadata?.labels,
  [labels.templateHash]: hash,
});

/**
 * The template's labels for an existing set: admission rejects a set whose template lacks the
 * labels that it selects.
 */
const templateLabelsOf = (deployment: MachineDeployment, { metadata, spec }: MachineSet): Record<string, string> => {
  const hash = metadata.labels?.[labels.templateHash];
  return {
    ...(hash === undefined ? deployment.spec?.template.metadata?.labels : withHash(deployment, hash)),
    ...spec?.selector.matchLabels,
  };
};

/** Labels that a MachineDeployment sets on each of its MachineSets. */
export const ownLabels = (deployment: MachineDeployment, machineSet: MachineSet): Record<string, string> => ({
  ...templateLabelsOf(deployment, machineSet),
  [labels.deployment]: deployment.metadata.name,
  [labels.cluster]: machineSet.spec?.clusterName ?? '',
});

/**
 * What a set with this template received: the template's labels, and the same annotations, which a
 * topology writes on the MachineDeployment and in its template alike. Cluster API's specs compare a
 * set's annotations with those of its MachineDeployment, so that a note would be one too many.
 */
const impliedBy = (
  metadata: MachineTemplate['metadata'],
  { annotations: own }: Pick<Flowing, 'annotations'>,
): Implied => ({
  labels: [...new Set([...Object.keys(metadata?.labels ?? {}), labels.deployment, labels.cluster])],
  annotations: [
    ...new Set([
      ...Object.keys(metadata?.annotations ?? {}).filter(isPassedOn),
      ...computedAnnotations.filter((name) => name in own),
    ]),
  ],
});

/** A new set of the given name, which ends in five random characters. */
export const newMachineSet = (
  deployment: MachineDeployment,
  name: string,
  replicas: number,
  revision: Record<string, string>,
): MachineSet => {
  const { template, selector, clusterName, deletion, machineNaming } = deployment.spec!;
  const hash = `${templateHash(template)}-${name.slice(-5)}`;
  const templateLabels = withHash(deployment, hash);
  const templateMetadata = { ...template.metadata, labels: templateLabels };
  const from = {
    labels: { ...templateLabels, [labels.deployment]: deployment.metadata.name, [labels.cluster]: clusterName },
    annotations: { ...setAnnotations(deployment, false), ...revision },
  };
  return {
    apiVersion: deployment.apiVersion,
    kind: 'MachineSet',
    metadata: {
      name,
      namespace: deployment.metadata.namespace ?? '',
      ...flowing(from, impliedBy(templateMetadata, from)),
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      clusterName,
      replicas,
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [labels.templateHash]: hash } },
      template: { ...template, metadata: templateMetadata },
      ...(deletion && { deletion }),
      ...(machineNaming && { machineNaming }),
    },
  };
};

/** The merge patch from `current` to `wanted`; undefined if they are equal. */
const difference = (current: unknown, wanted: unknown): JsonValue | undefined => {
  if (isDeepStrictEqual(current, wanted)) return undefined;
  if (!isObject(current) || !isObject(wanted)) return (wanted ?? null) as JsonValue;
  const fields = [...new Set([...Object.keys(current), ...Object.keys(wanted)])];
  const changed = fields.flatMap((field) => {
    const change = difference(current[field], wanted[field]);
    return change === undefined ? [] : [[field, change] as const];
  });
  return Object.fromEntries(changed);
};

/**
 * What an existing set takes over from its MachineDeployment without replacing Machines, with its
 * new size and revision.
 */
export const setChanges = (
  deployment: MachineDeployment,
  machineSet: MachineSet,
  { isOld, replicas, revision }: { isOld: boolean; replicas: number | undefined; revision: Record<string, string> },
): MergePatch | undefined => {
  const spec = machineSet.spec!;
  const { template, deletion, machineNaming } = deployment.spec!;
  const templateLabels = templateLabelsOf(deployment, machineSet);
  const { readinessGates: _, deletion: __, minReadySeconds: ___, taints: ____, ...kept } = spec.template.spec;
  const { readinessGates, deletion: timeouts, minReadySeconds, taints } = template.spec;
  const { annotations: templateAnnotations } = template.metadata ?? {};
  const wanted: MachineSetSpec = {
    clusterName: spec.clusterName,
    selector: spec.selector,
    ...(replicas === undefined ? spec.replicas !== undefined && { replicas: spec.replicas } : { replicas }),
    ...(deletion && { deletion }),
    ...(machineNaming && { machineNaming }),
    template: {
      metadata: {
        labels: templateLabels,
        ...(templateAnnotations && { annotations: templateAnnotations }),
      },
      spec: {
        ...kept,
        ...(readinessGates && { readinessGates }),
        ...(timeouts && { deletion: timeouts }),
        ...(minReadySeconds !== undefined && { minReadySeconds }),
        ...(taints && { taints }),
      },
    },
  };
  const changed = difference(spec, wanted) as JsonObject | undefined;
  const from = {
    labels: ownLabels(deployment, machineSet),
    annotations: { ...setAnnotations(deployment, isOld), ...revision },
  };
  const { annotations: present = {} } = machineSet.metadata;
  // An adopted set has its metadata from its user.
  const isFollowing = annotations.disableMachineCreate in present;
  const metadata = flowInto(machineSet, from, {
    before: isFollowing ? impliedBy(spec.template.metadata, { annotations: present }) : { labels: [], annotations: [] },
    after: impliedBy(wanted.template.metadata, from),
  });
  return changed || metadata ? { ...(metadata && { metadata }), ...(changed && { spec: changed }) } : undefined;
};

/**
 * The new size of a set while its MachineDeployment is paused, and the totals that it is a share
 * of. One patch carries both: if a crash leaves some sets unscaled, each set still records the
 * totals of its size.
 */
export const sizeChanges = (
  deployment: MachineDeployment,
  { metadata }: MachineSet,
  replicas: number | undefined,
): MergePatch | undefined => {
  const noted = sizeAnnotations(deployment);
  const isNoted = Object.entries(noted).every(([name, value]) => metadata.annotations?.[name] === value);
  if (isNoted && replicas === undefined) return undefined;
  return {
    ...(!isNoted && { metadata: { annotations: noted } }),
    ...(replicas !== undefined && { spec: { replicas } }),
  };
};

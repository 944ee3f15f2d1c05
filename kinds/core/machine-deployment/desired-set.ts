/** What a MachineSet of a deployment looks like, and how an existing one is brought there. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, JsonValue } from '../../../machinery/api/object.ts';
import type { MergePatch } from '../../../machinery/api/reconcile.ts';
import { annotations, labels } from '../../common/labels.ts';
import { controllerReference } from '../../common/owners.ts';
import { flowInto, flowing } from '../../common/propagation.ts';
import type { MachineSet, MachineSetSpec } from '../machine-set/schema.ts';
import { templateHash } from './revisions.ts';
import { limitsOf } from './rollout.ts';
import type { MachineDeployment } from './schema.ts';

/** Written by kubectl, or meant for the deployment alone. */
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

/** Of what the size of a set is a part. */
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

/** Labels of the template as an existing set has them: a set whose template lacks what it selects by is refused. */
const templateLabelsOf = (deployment: MachineDeployment, { metadata, spec }: MachineSet): Record<string, string> => {
  const hash = metadata.labels?.[labels.templateHash];
  return {
    ...(hash === undefined ? deployment.spec?.template.metadata?.labels : withHash(deployment, hash)),
    ...spec?.selector.matchLabels,
  };
};

/** Labels that a deployment puts on each of its sets. */
export const ownLabels = (deployment: MachineDeployment, machineSet: MachineSet): Record<string, string> => ({
  ...templateLabelsOf(deployment, machineSet),
  [labels.deployment]: deployment.metadata.name,
  [labels.cluster]: machineSet.spec?.clusterName ?? '',
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
  return {
    apiVersion: deployment.apiVersion,
    kind: 'MachineSet',
    metadata: {
      name,
      namespace: deployment.metadata.namespace ?? '',
      ...flowing({
        labels: { ...templateLabels, [labels.deployment]: deployment.metadata.name, [labels.cluster]: clusterName },
        annotations: { ...setAnnotations(deployment, false), ...revision },
      }),
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      clusterName,
      replicas,
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [labels.templateHash]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels: templateLabels } },
      ...(deletion && { deletion }),
      ...(machineNaming && { machineNaming }),
    },
  };
};

/** The difference between two values as a merge patch; undefined when there is none. */
const difference = (current: unknown, wanted: unknown): JsonValue | undefined => {
  if (isDeepStrictEqual(current, wanted)) return undefined;
  const isMap = (value: unknown): value is JsonObject =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isMap(current) || !isMap(wanted)) return (wanted ?? null) as JsonValue;
  const fields = [...new Set([...Object.keys(current), ...Object.keys(wanted)])];
  const changed = fields.flatMap((field) => {
    const change = difference(current[field], wanted[field]);
    return change === undefined ? [] : [[field, change] as const];
  });
  return Object.fromEntries(changed);
};

/** What an existing set takes over from its deployment without replacing machines, with its new size and revision. */
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
  const metadata = flowInto(machineSet, {
    labels: ownLabels(deployment, machineSet),
    annotations: { ...setAnnotations(deployment, isOld), ...revision },
  });
  return changed || metadata ? { ...(metadata && { metadata }), ...(changed && { spec: changed }) } : undefined;
};

/**
 * The new size of a set while its deployment is paused, and what it is a part of: in one, so that of several sets those that
 * are told later still know of what they had a part before.
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

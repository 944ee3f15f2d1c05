/**
 * Whether the operation of a cluster admits the replacement of an object's Machines. A control plane
 * or MachineDeployment whose spec asks for other Machines waits until an upgrade admits that
 * revision of its spec; scaling needs no admission. Pure.
 */
import type { JsonValue, KubeObject } from '../../../machinery/api/object.ts';
import { objectTarget } from './object-targets.ts';
import { refusalOf } from './operation.ts';
import { asRestored } from './restore.ts';
import { operationAnnotations, wasAvailable } from './target.ts';

export type Admission =
  /** The rollout proceeds until `most` Machines have the new revision. `held`: none of the others goes. */
  | { state: 'Admitted'; most: number; held?: true }
  /** No operation has admitted the revision yet: the object keeps its Machines as they are. */
  | { state: 'Waiting' }
  /** An operation rolled the revision back: the object works towards its previous one. */
  | { state: 'RolledBack' };

export const freely: Admission = { state: 'Admitted', most: Number.POSITIVE_INFINITY };

/**
 * `revision`: that of the object's spec. Before a cluster was Available, its creation admits every
 * revision; without workflows, nothing waits.
 */
export const admissionOf = (
  cluster: KubeObject,
  object: KubeObject,
  revision: string,
  config: Record<string, JsonValue>,
): Admission => {
  if (config.workflows !== true || !wasAvailable(cluster)) return freely;
  const entry = objectTarget(cluster, object);
  // A restore creates every Machine anew.
  if (entry?.target === 'Restore') return freely;
  if (entry?.revision !== revision) return { state: 'Waiting' };
  if (entry.target === 'RollBack') return { state: 'RolledBack' };
  return { state: 'Admitted', most: entry.most ?? Number.POSITIVE_INFINITY, ...(entry.held && { held: true }) };
};

interface Versions {
  /** The lowest version of its Machines. */
  version?: string;
  versions?: unknown[];
}

/**
 * The control plane as others must see it: the version of a spec that no operation has admitted, or
 * that one rolled back, is not the version of the cluster.
 */
export const asAdmitted = (
  cluster: KubeObject,
  controlPlane: KubeObject,
  config: Record<string, JsonValue>,
): KubeObject => {
  if (config.workflows !== true || !wasAvailable(cluster)) return controlPlane;
  const { target = 'RollBack' } = objectTarget(cluster, controlPlane) ?? {};
  if (target === 'Restore') return asRestored(cluster, controlPlane);
  const { version, versions = [] } = (controlPlane.status ?? {}) as Versions;
  // A rollback replaces Machines, too.
  if (target !== 'RollBack' || version === undefined || versions.length > 1) return controlPlane;
  return { ...controlPlane, spec: { ...(controlPlane.spec as object), version } };
};

/** An upgrade of the control plane is asked for, and its operation has yet to admit it. */
export const awaitsUpgrade = (
  cluster: KubeObject,
  controlPlane: KubeObject,
  config: Record<string, JsonValue>,
): boolean => {
  const versionOf = ({ spec }: KubeObject) => (spec as { version?: string } | undefined)?.version;
  return (
    versionOf(asAdmitted(cluster, controlPlane, config)) !== versionOf(controlPlane) &&
    objectTarget(cluster, controlPlane) === undefined &&
    refusalOf(cluster) === undefined
  );
};

/** Why the object does not work towards its spec; undefined if it does. */
export const admissionMessage = (cluster: KubeObject, { state }: Admission): string | undefined => {
  if (state === 'Admitted') return undefined;
  const refusal = refusalOf(cluster);
  if (refusal !== undefined) return refusal;
  if (state === 'Waiting') return 'Waiting for an upgrade of the cluster to admit the change';
  const name = cluster.metadata.annotations?.[operationAnnotations.operation] ?? 'an upgrade of the cluster';
  return `Rolled back by ${name}`;
};

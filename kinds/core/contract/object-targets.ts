/** The targets of single objects of a cluster, which an upgrade sets for what it moves. */
import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { controllerOf } from '../../common/owners.ts';
import { controlPlaneAlias } from './control-plane.ts';
import type { Restoring } from './restore.ts';
import { operationAnnotations } from './target.ts';

export interface ObjectTarget {
  /** RollBack: towards the revision before `revision`. Restore: from a snapshot of etcd. */
  target: 'Build' | 'Hold' | 'RollBack' | 'Restore';
  /** The revision of the object's spec that an upgrade admits or rolls back; see rollout.ts. */
  revision?: string;
  /** How many Machines may have that revision; absent: all. */
  most?: number;
  /** The upgrade is held, and decides nothing about its Machines any more. */
  held?: true;
  /** What a restore asks; see restore.ts. */
  restore?: Restoring;
}

/** Targets that differ from the Cluster's, by kind and name, such as `MachineDeployment/workers`. */
export type ObjectTargets = Record<string, ObjectTarget>;

/** An annotation of another format gives no object a target of its own. */
export const objectTargets = ({ metadata }: KubeObject): Partial<ObjectTargets> => {
  try {
    const targets: unknown = JSON.parse(metadata.annotations?.[operationAnnotations.objectTargets] ?? '{}');
    return typeof targets === 'object' && targets !== null ? (targets as ObjectTargets) : {};
  } catch {
    return {};
  }
};

export const targetKey = ({ kind, metadata }: KubeObject): string => `${kind}/${metadata.name}`;
export const objectTarget = (cluster: KubeObject, object: KubeObject): ObjectTarget | undefined =>
  objectTargets(cluster)[targetKey(object)];

/** For an object that follows the target of the object that controls it. */
export const keyOfController = (object: KubeObject): string | undefined => {
  const controller = controllerOf(object);
  return controller && `${controller.kind}/${controller.name}`;
};

/** The Cluster without what every change alters, and without the targets. */
const apartFromTargets = ({ metadata, ...others }: KubeObject) => {
  const { resourceVersion: _, managedFields: __, annotations, ...kept } = metadata;
  const { [operationAnnotations.objectTargets]: ___, ...notes } = annotations ?? {};
  return { ...others, metadata: { ...kept, annotations: notes } };
};

const aliasOf = (cluster: KubeObject, key: string): string | undefined => {
  const { controlPlaneRef: ref } = (cluster.spec ?? {}) as { controlPlaneRef?: { kind?: string; name?: string } };
  if (ref && key === `${ref.kind}/${ref.name}`) return controlPlaneAlias;
  return key.startsWith('MachineDeployment/') ? key : undefined;
};

/**
 * The aliases of the objects whose targets changed, if nothing else did; undefined for targets of other
 * objects than control planes and MachineDeployments, and for those of restores. Other Machines follow
 * their owners, and not the targets.
 */
export const changedTargets = (before: KubeObject, after: KubeObject): string[] | undefined => {
  if (!isDeepStrictEqual(apartFromTargets(before), apartFromTargets(after))) return undefined;
  const [was, is] = [objectTargets(before), objectTargets(after)];
  const keys = Object.keys({ ...was, ...is }).filter((key) => !isDeepStrictEqual(was[key], is[key]));
  // What a restore builds decides whether the Machines are up to date.
  const isRestored = (key: string) => [was[key], is[key]].some((one) => one?.target === 'Restore');
  const aliases = keys.map((key) => (isRestored(key) ? undefined : aliasOf(after, key)));
  return aliases.every((alias) => alias !== undefined) ? aliases : undefined;
};

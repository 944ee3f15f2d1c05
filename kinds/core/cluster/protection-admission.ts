/** Refuses what would delete a protected cluster by another object than its Cluster. */

import { forbidden } from '../../../machinery/api/errors.ts';
import { type Admission, type KindFacts, resourceOf } from '../../../machinery/api/kind.ts';
import { equal } from '../../../machinery/api/merge.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { keyPairOf, type Secret } from '../contract/cluster-secrets.ts';
import type { ControlPlaneProvider } from '../contract/control-plane.ts';
import { findNamed } from '../contract/named.ts';
import { controlPlaneQueries } from '../contract/plain-control-plane.ts';
import type { Machine } from '../machine/schema.ts';
import { isGivenAway, type ProtectedCluster, refusalOfPart } from './protected-parts.ts';
import { isMoved, isProtected } from './protection.ts';
import type { Cluster } from './schema.ts';

export interface ProtectionStore {
  list(type: string, options?: { namespace?: string }): Promise<{ objects: KubeObject[] }>;
}

export interface ProtectionScope {
  store: ProtectionStore;
  kinds: readonly KindFacts[];
  providers: readonly ControlPlaneProvider[];
  /** Of the object. */
  kind: KindFacts;
}

const sets = ['machinedeployments.cluster.x-k8s.io', 'machinesets.cluster.x-k8s.io'];
const machines = 'machines.cluster.x-k8s.io';

const isOfMachine = (kind: KindFacts): boolean =>
  resourceOf(kind) === machines || kind.role === 'InfrastructureMachine';

/** The protected clusters of a namespace; `withMachines`: for a decision about a Machine or its owners. */
const protectedIn = async (
  { store, kinds, providers }: ProtectionScope,
  namespace: string,
  withMachines: boolean,
): Promise<ProtectedCluster[]> => {
  const listed = async (type: string) => (await store.list(type, { namespace })).objects;
  const clusters = (await listed('clusters.cluster.x-k8s.io')).filter(
    (cluster) => isProtected(cluster) && cluster.metadata.deletionTimestamp === undefined,
  );
  if (clusters.length === 0) return [];
  const types = kinds.filter(({ role }) => role === 'ControlPlane').map(resourceOf);
  const [controlPlanes, owners, members] = await Promise.all([
    Promise.all(types.map(listed)),
    Promise.all(sets.map(listed)),
    withMachines ? listed(machines) : [],
  ]);
  return clusters.map((cluster) => {
    const { controlPlaneRef } = (cluster as Cluster).spec ?? {};
    const own = findNamed(controlPlanes.flat(), controlPlaneRef);
    return {
      cluster: cluster as Cluster,
      controlPlanes: controlPlanes.flat(),
      sets: owners.flat(),
      machines: members as Machine[],
      secrets: own ? controlPlaneQueries(own, providers).fileSecrets(own) : [],
    };
  });
};

/** `together`: what the same request deletes. */
export const admitDeletion = async (
  scope: ProtectionScope,
  object: KubeObject,
  together: readonly KubeObject[],
): Promise<void> => {
  if (isMoved(object)) return;
  const { kind, kinds } = scope;
  const { name, namespace = '' } = object.metadata;
  const uids = new Set(together.map(({ metadata }) => metadata.uid ?? ''));
  for (const parts of await protectedIn(scope, namespace, isOfMachine(kind))) {
    const refusal = refusalOfPart({ kind, kinds, object, together: uids }, parts);
    if (refusal !== undefined) throw forbidden(kind, name, refusal);
  }
};

/** A Secret loses its key with its value as well as with the object. */
const losesKey = (kind: KindFacts, object: KubeObject, old: KubeObject): boolean => {
  if (resourceOf(kind) !== 'secrets') return false;
  const before = keyPairOf(old as Secret);
  return before !== undefined && before.key !== keyPairOf(object as Secret)?.key;
};

export const admitUpdate = async (
  scope: ProtectionScope,
  object: KubeObject,
  { old, subresource }: Admission,
): Promise<void> => {
  if (!old || subresource === 'status' || isMoved(object) || old.metadata.deletionTimestamp !== undefined) return;
  const { kind, kinds } = scope;
  const isKeyLost = losesKey(kind, object, old);
  const hasNewOwners = !equal(object.metadata.ownerReferences ?? [], old.metadata.ownerReferences ?? []);
  if (!isKeyLost && !hasNewOwners) return;
  const { name, namespace = '' } = old.metadata;
  for (const parts of await protectedIn(scope, namespace, true)) {
    const refusal = refusalOfPart({ kind, kinds, object: old, together: new Set() }, parts);
    if (refusal === undefined) continue;
    if (isKeyLost) throw forbidden(kind, name, `the change would replace a key, and ${refusal}`);
    if (isGivenAway(object, parts)) throw forbidden(kind, name, `its new owners could have it deleted, and ${refusal}`);
  }
};

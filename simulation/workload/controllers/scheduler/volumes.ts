/** Where a pod's volumes allow it to run, as the scheduler's plugins VolumeBinding and VolumeRestrictions evaluate it. */
import type { ClaimObject, NodeObject, PodObject } from '../../objects.ts';
import {
  claimNames,
  claimOf,
  driverFor,
  isBound,
  reachableFrom,
  type Storage,
  volumeFor,
  waitsForPod,
} from '../storage/objects.ts';

export interface VolumeRules {
  /** Why no node can take the pod. */
  refusal?: string;
  /** Why the node cannot. */
  lack(node: NodeObject): string | undefined;
  /** Claims whose volumes are made or chosen once the pod has a node. */
  unbound: ClaimObject[];
}

const isExclusive = ({ spec }: ClaimObject): boolean => spec?.accessModes?.includes('ReadWriteOncePod') === true;

const isUsedElsewhere = (claim: ClaimObject, placed: readonly PodObject[]): boolean =>
  placed.some(
    (other) =>
      other.metadata.namespace === claim.metadata.namespace &&
      other.status?.phase !== 'Succeeded' &&
      other.status?.phase !== 'Failed' &&
      claimNames(other).includes(claim.metadata.name),
  );

const nowhere = (refusal: string): VolumeRules => ({ refusal, lack: () => undefined, unbound: [] });

export const volumeRules = (pod: PodObject, storage: Storage, placed: readonly PodObject[]): VolumeRules => {
  const bound: ClaimObject[] = [];
  const unbound: ClaimObject[] = [];
  for (const name of claimNames(pod)) {
    const claim = claimOf(storage, pod, name);
    if (!claim) return nowhere(`persistentvolumeclaim "${name}" not found`);
    if (claim.metadata.deletionTimestamp) return nowhere(`persistentvolumeclaim "${name}" is being deleted`);
    if (isExclusive(claim) && isUsedElsewhere(claim, placed))
      return nowhere('node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode');
    if (isBound(claim)) bound.push(claim);
    else if (!claim.spec?.volumeName && waitsForPod(storage, claim)) unbound.push(claim);
    else return nowhere('pod has unbound immediate PersistentVolumeClaims');
  }
  const volumeNamed = (name: string | undefined) => storage.volumes.find(({ metadata }) => metadata.name === name);
  const lack = (node: NodeObject): string | undefined => {
    for (const { spec } of bound) {
      const volume = volumeNamed(spec?.volumeName);
      if (!volume) return 'unavailable due to one or more pvc(s) bound to non-existent pv(s)';
      if (!reachableFrom(volume, node)) return "didn't match PersistentVolume's node affinity";
    }
    const isServed = (claim: ClaimObject) =>
      volumeFor(storage, claim, node) !== undefined || driverFor(storage, claim, node) !== undefined;
    return unbound.every(isServed) ? undefined : "didn't find available persistent volumes to bind";
  };
  return { lack, unbound };
};

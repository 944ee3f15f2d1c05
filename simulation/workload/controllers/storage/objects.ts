/** The storage of a cluster: its claims, volumes, classes, and the drivers that make volumes. */
import { ownValue } from '../../../../machinery/api/labels.ts';
import type { ClaimObject, ClaimSpec, NodeObject, PodObject, StorageClassObject, VolumeObject } from '../../objects.ts';
import { amountOf } from '../../resources.ts';
import type { World } from '../../world.ts';
import { matchesTerm } from '../node-filters.ts';

export interface Storage {
  claims: ReadonlyMap<string, ClaimObject>;
  volumes: readonly VolumeObject[];
  classes: ReadonlyMap<string, StorageClassObject>;
}

/** The scheduler's choice of a node, which the driver of the claim's class reads. */
export const selectedNode = 'volume.kubernetes.io/selected-node';

const keyOf = ({ namespace = '', name }: { namespace?: string; name: string }): string => `${namespace}/${name}`;

export const storageOf = (world: World): Storage => ({
  claims: new Map(world.list<ClaimObject>('persistentvolumeclaims').map((claim) => [keyOf(claim.metadata), claim])),
  volumes: world.list<VolumeObject>('persistentvolumes'),
  classes: new Map(
    world.list<StorageClassObject>('storageclasses.storage.k8s.io').map((one) => [one.metadata.name, one]),
  ),
});

/** The names of a pod's claims, with those that are made for its ephemeral volumes. */
export const claimNames = ({ metadata, spec }: PodObject): string[] =>
  (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) =>
    persistentVolumeClaim ? [persistentVolumeClaim.claimName] : ephemeral ? [`${metadata.name}-${name}`] : [],
  );

export const claimOf = ({ claims }: Storage, pod: PodObject, name: string): ClaimObject | undefined =>
  claims.get(`${pod.metadata.namespace}/${name}`);

export const isBound = (claim: ClaimObject): boolean => claim.status?.phase === 'Bound';

/** Whether the volume is made, or chosen, only for a pod that needs it. */
export const waitsForPod = ({ classes }: Storage, { spec }: ClaimObject): boolean =>
  classes.get(spec?.storageClassName ?? '')?.volumeBindingMode === 'WaitForFirstConsumer';

export const reachableFrom = ({ spec }: VolumeObject, node: NodeObject): boolean => {
  const required = spec?.nodeAffinity?.required;
  return !required || (required.nodeSelectorTerms ?? []).some((term) => matchesTerm(term, node));
};

const sizeOf = (quantity: string | undefined): number => amountOf(quantity ?? '0');

const isReservedFor = ({ spec }: VolumeObject, claim: ClaimObject): boolean =>
  spec?.claimRef?.name === claim.metadata.name && spec.claimRef.namespace === claim.metadata.namespace;

const satisfies = ({ spec = {}, status }: VolumeObject, wanted: ClaimSpec): boolean =>
  !spec.claimRef &&
  (status?.phase ?? 'Available') === 'Available' &&
  (spec.storageClassName ?? '') === (wanted.storageClassName ?? '') &&
  (wanted.accessModes ?? []).every((mode) => spec.accessModes?.includes(mode)) &&
  sizeOf(spec.capacity?.storage) >= sizeOf(wanted.resources?.requests?.storage);

/** A volume that exists and fits: one that is reserved for the claim, else the smallest. */
export const volumeFor = ({ volumes }: Storage, claim: ClaimObject, node?: NodeObject): VolumeObject | undefined => {
  const reachable = volumes.filter(({ metadata }) => !metadata.deletionTimestamp);
  const reserved = reachable.find((volume) => isReservedFor(volume, claim));
  if (reserved) return node && !reachableFrom(reserved, node) ? undefined : reserved;
  const [smallest] = reachable
    .filter((volume) => satisfies(volume, claim.spec ?? {}) && (!node || reachableFrom(volume, node)))
    .sort((a, b) => sizeOf(a.spec?.capacity?.storage) - sizeOf(b.spec?.capacity?.storage));
  return smallest;
};

/** The driver that makes volumes of the class, where its class allows them on the node. */
export const driverFor = ({ classes }: Storage, claim: ClaimObject, node?: NodeObject): string | undefined => {
  const storageClass = classes.get(claim.spec?.storageClassName ?? '');
  const { provisioner, allowedTopologies = [] } = storageClass ?? {};
  if (!provisioner || provisioner === 'kubernetes.io/no-provisioner') return undefined;
  const isAllowed =
    !node ||
    allowedTopologies.length === 0 ||
    allowedTopologies.some(({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.every(({ key, values }) => values.includes(ownValue(node.metadata.labels, key) ?? '')),
    );
  // The in-tree plugin of EBS is served by its CSI driver.
  return isAllowed ? provisioner.replace(/^kubernetes\.io\/aws-ebs$/, 'ebs.csi.aws.com') : undefined;
};

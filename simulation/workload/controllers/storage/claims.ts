/**
 * Binds claims to volumes, has drivers make the volumes that are missing, and releases volumes
 * whose claims are gone.
 */
import { equal } from '../../../../machinery/api/merge.ts';
import type { ClaimObject, NodeObject, PodObject, VolumeObject } from '../../objects.ts';
import { type ClusterController, hash, type Plan, safeText, type World } from '../../world.ts';
import { eventAbout, type Report } from '../events.ts';
import { driverFor, isBound, type Storage, selectedNode, storageOf, volumeFor, waitsForPod } from './objects.ts';

const claimType = 'persistentvolumeclaims';
const volumeType = 'persistentvolumes';

/** Drivers whose sidecar makes volumes. */
const runningDrivers = (world: World): Set<string> => {
  const isProvisioner = ({ spec, status }: PodObject) =>
    status?.phase === 'Running' && spec?.containers?.some(({ image = '' }) => image.includes('csi-provisioner'));
  if (!world.list<PodObject>('pods').some(isProvisioner)) return new Set();
  return new Set(world.list('csidrivers.storage.k8s.io').map(({ metadata }) => metadata.name));
};

/** Volumes of EBS stay in the zone in which they were made. */
const zoneOf = (node: NodeObject) => node.metadata.labels?.['topology.kubernetes.io/zone'];
const affinityOf = (driver: string, node: NodeObject) => {
  const zone = zoneOf(node);
  if (driver !== 'ebs.csi.aws.com' || zone === undefined) return {};
  const zones = { key: 'topology.kubernetes.io/zone', operator: 'In', values: [zone] };
  return { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [zones] }] } } };
};

const made = (claim: ClaimObject, { classes }: Storage, driver: string, node: NodeObject): VolumeObject => {
  const { metadata, spec = {} } = claim;
  const { reclaimPolicy = 'Delete' } = classes.get(spec.storageClassName ?? '') ?? {};
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name: `pvc-${metadata.uid}`,
      annotations: { 'pv.kubernetes.io/provisioned-by': driver },
    },
    spec: {
      accessModes: spec.accessModes ?? [],
      capacity: { storage: spec.resources?.requests?.storage ?? '1Gi' },
      storageClassName: spec.storageClassName ?? '',
      persistentVolumeReclaimPolicy: reclaimPolicy,
      csi: { driver, volumeHandle: `vol-0${safeText(hash(metadata.uid ?? ''), 16)}` },
      claimRef: referenceTo(claim),
      ...affinityOf(driver, node),
    },
  };
};

const referenceTo = ({ metadata: { namespace = '', name, uid = '' } }: ClaimObject) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  namespace,
  name,
  uid,
});

const bind = (claim: ClaimObject, volume: VolumeObject, plan: Plan): void => {
  const reserved: VolumeObject = { ...volume, spec: { ...volume.spec, claimRef: referenceTo(claim) } };
  const boundVolume: VolumeObject = { ...reserved, status: { ...volume.status, phase: 'Bound' } };
  if (!equal(boundVolume, volume)) plan.update(volumeType, boundVolume);
  const boundClaim: ClaimObject = {
    ...claim,
    spec: { ...claim.spec, volumeName: volume.metadata.name },
    status: {
      ...claim.status,
      phase: 'Bound',
      ...(volume.spec?.accessModes && { accessModes: volume.spec.accessModes }),
      ...(volume.spec?.capacity && { capacity: volume.spec.capacity }),
    },
  };
  if (!equal(boundClaim, claim)) plan.update(claimType, boundClaim);
};

const isFor = ({ spec }: VolumeObject, { metadata }: ClaimObject): boolean => {
  const { claimRef } = spec ?? {};
  if (!claimRef) return true;
  const isNamed = claimRef.name === metadata.name && claimRef.namespace === metadata.namespace;
  return isNamed && (!claimRef.uid || claimRef.uid === metadata.uid);
};

const waitingFor = (provisioner: string | undefined): Report => ({
  type: 'Normal',
  component: 'persistentvolume-controller',
  ...(provisioner
    ? {
        reason: 'ExternalProvisioning',
        message: `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`,
      }
    : {
        reason: 'FailedBinding',
        message: 'no persistent volumes available for this claim and no storage class is set',
      }),
});

const serve = (claim: ClaimObject, storage: Storage, drivers: Set<string>, world: World, plan: Plan): void => {
  const { volumeName } = claim.spec ?? {};
  if (volumeName) {
    const named = storage.volumes.find(({ metadata }) => metadata.name === volumeName);
    if (named && isFor(named, claim)) bind(claim, named, plan);
    else if (isBound(claim)) plan.update(claimType, { ...claim, status: { ...claim.status, phase: 'Lost' } });
    return;
  }
  const nodes = world.list<NodeObject>('nodes');
  const waits = waitsForPod(storage, claim);
  const selected = nodes.find(({ metadata }) => metadata.name === claim.metadata.annotations?.[selectedNode]);
  if (waits && !selected) return;
  const existing = volumeFor(storage, claim, selected);
  const node = selected ?? nodes.find((one) => zoneOf(one) !== undefined && driverFor(storage, claim, one));
  const driver = node && driverFor(storage, claim, node);
  if (existing) bind(claim, existing, plan);
  else if (driver && drivers.has(driver)) plan.create(volumeType, made(claim, storage, driver, node));
  else {
    const event = eventAbout(claim, waitingFor(driverFor(storage, claim)), world.now);
    if (!world.list('events').some(({ metadata }) => metadata.name === event.metadata.name))
      plan.create('events', event);
  }
};

/** A volume whose claim is gone is deleted or stays, as its policy says. */
const release = (volume: VolumeObject, { claims }: Storage, drivers: Set<string>, plan: Plan): void => {
  const { claimRef, csi, persistentVolumeReclaimPolicy = 'Retain' } = volume.spec ?? {};
  const phase = volume.status?.phase;
  if (!claimRef?.uid || volume.metadata.deletionTimestamp) {
    if (phase === undefined) plan.update(volumeType, { ...volume, status: { ...volume.status, phase: 'Available' } });
    return;
  }
  const claim = claims.get(`${claimRef.namespace}/${claimRef.name}`);
  if (claim?.metadata.uid === claimRef.uid) return;
  if (persistentVolumeReclaimPolicy === 'Delete' && csi && drivers.has(csi.driver)) plan.remove(volumeType, volume);
  else if (phase !== 'Released')
    plan.update(volumeType, { ...volume, status: { ...volume.status, phase: 'Released' } });
};

export const claims: ClusterController = (world, plan) => {
  const storage = storageOf(world);
  if (storage.claims.size === 0 && storage.volumes.length === 0) return;
  const drivers = runningDrivers(world);
  for (const claim of storage.claims.values())
    if (!claim.metadata.deletionTimestamp) serve(claim, storage, drivers, world, plan);
  for (const volume of storage.volumes) release(volume, storage, drivers, plan);
};

/** Where the volumes of pods allow them to run. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Claim, NodeSelectorTerm, Pod } from '../plan/types.ts';

export type VolumeObjects = {
  claims: readonly KubeObject[];
  volumes: readonly KubeObject[];
  classes: readonly KubeObject[];
};

type ClaimSpec = { volumeName?: string; storageClassName?: string; accessModes?: string[] };
type VolumeSpec = {
  csi?: { driver?: string };
  nodeAffinity?: { required?: { nodeSelectorTerms: NodeSelectorTerm[] } };
};
type StorageClass = KubeObject & {
  volumeBindingMode?: string;
  provisioner?: string;
  allowedTopologies?: { matchLabelExpressions?: { key: string; values: string[] }[] }[];
};

const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? 'default'}/${metadata.name}`;

/** A claim without a volume: its storage class says where one can be created. */
const unboundClaim = (storageClass: StorageClass | undefined): Claim => {
  if (storageClass?.volumeBindingMode !== 'WaitForFirstConsumer') return { unbound: true };
  const topology = storageClass.allowedTopologies?.map(
    ({ matchLabelExpressions = [] }): NodeSelectorTerm => ({
      matchExpressions: matchLabelExpressions.map(({ key, values }) => ({ key, operator: 'In', values })),
    }),
  );
  const driver = storageClass.provisioner;
  return { ...(topology?.length && { topology }), ...(driver && { driver }) };
};

/** By `namespace/name`, the claims of these pods. A claim that does not exist yet is unbound. */
export const claimsOf = (pods: readonly Pod[], { claims, volumes, classes }: VolumeObjects): Record<string, Claim> => {
  const known = new Map(claims.map((claim) => [keyOf(claim), (claim.spec ?? {}) as ClaimSpec]));
  const byVolume = new Map(volumes.map(({ metadata, spec }) => [metadata.name, (spec ?? {}) as VolumeSpec]));
  const byName = new Map(classes.map((one) => [one.metadata.name, one as StorageClass]));
  const claimOf = (key: string): Claim => {
    const spec = known.get(key);
    if (!spec) return { unbound: true, missing: true };
    const exclusive = spec.accessModes?.includes('ReadWriteOncePod') && { exclusive: true };
    if (!spec.volumeName) return { ...unboundClaim(byName.get(spec.storageClassName ?? '')), ...exclusive };
    const { csi, nodeAffinity } = byVolume.get(spec.volumeName) ?? {};
    const topology = nodeAffinity?.required?.nodeSelectorTerms;
    return { ...(topology && { topology }), ...(csi?.driver && { driver: csi.driver }), ...exclusive };
  };
  const used = pods.flatMap(({ namespace, claims: names = [] }) => names.map((name) => `${namespace}/${name}`));
  return Object.fromEntries([...new Set(used)].map((key) => [key, claimOf(key)]));
};

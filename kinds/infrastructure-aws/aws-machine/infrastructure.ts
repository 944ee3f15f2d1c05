/** The AWSCluster of a machine, or what stands for it where EKS runs the control plane. Pure. */
import { mapRead, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/schema.ts';
import type { AWSCluster } from '../aws-cluster/index.ts';
import { cloudProviderTag } from '../engine/tags.ts';

export const managed = { cluster: 'AWSManagedCluster', controlPlane: 'AWSManagedControlPlane' } as const;

/** Nodes are of the EKS cluster, by whose name programs in it look for what is theirs. */
const viewOf = ({ metadata, spec = {}, status }: EksControlPlane): AWSCluster => {
  const { region, network, sshKeyName, additionalTags, eksClusterName = '' } = spec;
  const { imageLookupBaseOS, imageLookupFormat, imageLookupOrg } = spec;
  // A network that Capstan makes has a group for the rules of its spec.
  const { node, 'node-eks-additional': more = node } = status?.networkStatus?.securityGroups ?? {};
  return {
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
    kind: 'AWSCluster',
    metadata,
    spec: {
      ...(region && { region }),
      ...(network && { network }),
      ...(sshKeyName && { sshKeyName }),
      ...(imageLookupBaseOS && { imageLookupBaseOS }),
      ...(imageLookupFormat && { imageLookupFormat }),
      ...(imageLookupOrg && { imageLookupOrg }),
      additionalTags: { ...additionalTags, [cloudProviderTag(eksClusterName)]: 'owned' },
    },
    ...(node && { status: { ready: true, networkStatus: { securityGroups: { node, lb: more } } } }),
  } as AWSCluster;
};

/** What is read of an AWSManagedControlPlane. */
type EksControlPlane = Pick<AWSCluster, 'metadata' | 'status'> & {
  spec?: NonNullable<AWSCluster['spec']> & { eksClusterName?: string };
};

export const observeInfrastructure = (
  read: Reader,
  namespace: string,
  cluster: Cluster | undefined,
): Read<AWSCluster> => {
  const { infrastructureRef, controlPlaneRef } = cluster?.spec ?? {};
  if (!infrastructureRef) return { state: 'absent' };
  if (infrastructureRef.kind !== managed.cluster)
    return read.get('AWSCluster', { namespace, name: infrastructureRef.name });
  if (controlPlaneRef?.kind !== managed.controlPlane) return { state: 'absent' };
  const plane = read.get<EksControlPlane & { apiVersion: string; kind: string }>(managed.controlPlane, {
    namespace,
    name: controlPlaneRef.name,
  });
  return mapRead(plane, viewOf);
};

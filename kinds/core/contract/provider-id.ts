/** Explains why a Node of the workload cluster has no provider ID. Pure. */
import type { WorkloadNode, WorkloadSnapshot } from '../../ports/workload.ts';

/**
 * The kubelet sets it with `cloud-provider: external`; a cloud controller manager removes it and
 * sets the provider ID.
 */
const taint = 'node.cloudprovider.kubernetes.io/uninitialized';

const isTainted = ({ taints }: WorkloadNode): boolean => taints.some(({ key }) => key === taint);

/**
 * Returns the Node at one of these addresses or, if there is none, any Node that waits for a cloud
 * controller manager: the same cause delays the next Node.
 */
export const withoutProviderId = (
  snapshot: WorkloadSnapshot | undefined,
  addresses: readonly { address: string }[] = [],
): string | undefined => {
  const anonymous = (snapshot?.nodes ?? []).filter(({ providerID }) => providerID === undefined);
  const isThere = (name: string) => addresses.some(({ address }) => address === name);
  const own = anonymous.find((node) => isThere(node.name) || node.addresses.some(({ address }) => isThere(address)));
  const node = own ?? anonymous.find(isTainted);
  if (!node) return undefined;
  return isTainted(node)
    ? `Node ${node.name} waits for a cloud controller manager to remove its taint ${taint}: install one if the cluster has none, on AWS aws-cloud-controller-manager. It finds a host by the name of its Node, which on AWS is the private DNS name: nodeRegistration.name is '{{ ds.meta_data.local_hostname }}'`
    : `Node ${node.name} has no spec.providerID: set cloud-provider=external in nodeRegistration.kubeletExtraArgs and install a cloud controller manager, on AWS aws-cloud-controller-manager`;
};

/** Finalizers of Cluster API's IPAM contract. */
export const releaseAddress = 'ipam.cluster.x-k8s.io/ReleaseAddress';
export const protectAddress = 'ipam.cluster.x-k8s.io/ProtectAddress';
export const protectPool = 'ipam.cluster.x-k8s.io/ProtectPool';

/** On a Cluster: whoever ties its parts together keeps it until they are gone. */
export const clusterFinalizer = 'cluster.cluster.x-k8s.io';

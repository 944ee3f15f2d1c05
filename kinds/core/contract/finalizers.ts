/**
 * Finalizers with which core and operations hold objects that another controller creates or
 * deletes.
 */

export const machineFinalizer = 'machine.cluster.x-k8s.io';
/** On a Cluster: the Cluster controller first deletes the cluster's objects. */
export const clusterFinalizer = 'cluster.cluster.x-k8s.io';
/** On a Cluster: an operation first proves that nothing is left. */
export const operationsFinalizer = 'capstan.dev/operations';

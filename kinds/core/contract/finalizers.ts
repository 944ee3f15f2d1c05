/** Finalizers by which core and operations hold objects that another controller creates or deletes. */

export const machineFinalizer = 'machine.cluster.x-k8s.io';
/** On a Cluster: the Cluster controller deletes what belongs to it first. */
export const clusterFinalizer = 'cluster.cluster.x-k8s.io';
/** On a Cluster: its operations prove first that nothing is left. */
export const operationsFinalizer = 'capstan.dev/operations';

/** The name by which others know what the ClusterOperation controller keeps. */
export const operationFinalizer = 'capstan.dev/operation';
/** On a Cluster: whoever begins its operations keeps it until it is proved that nothing is left. */
export const operationsFinalizer = 'capstan.dev/operations';

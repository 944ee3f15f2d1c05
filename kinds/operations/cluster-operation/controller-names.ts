/** The name by which others know what the ClusterOperation controller keeps. */
export const operationFinalizer = 'capstan.dev/operation';

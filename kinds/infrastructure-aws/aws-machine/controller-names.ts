/** The name by which others know what the AWSMachine controller keeps. */
export const awsMachineFinalizer = 'awsmachine.infrastructure.cluster.x-k8s.io';

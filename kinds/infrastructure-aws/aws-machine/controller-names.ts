/** The AWSMachine controller's finalizer, as other kinds refer to it. */
export const awsMachineFinalizer = 'awsmachine.infrastructure.cluster.x-k8s.io';

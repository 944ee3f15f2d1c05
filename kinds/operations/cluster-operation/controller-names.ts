/**
 * The finalizer of the ClusterOperation controller; a file of its own, so that other controllers
 * can import it alone.
 */
export const operationFinalizer = 'capstan.dev/operation';

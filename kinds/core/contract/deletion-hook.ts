/** Whether a hook is called before a Cluster is deleted. Pure. */
import { found, type Reader } from '../../../machinery/api/reconcile.ts';
import { askExtensions } from '../../ports/extensions.ts';
import type { Cluster } from '../cluster/schema.ts';
import { hookAnnotations } from './lifecycle-hooks.ts';

/** False once the hook has let the deletion go on; undefined while it is unread. */
export const awaitsDeletionHook = ({ metadata, spec }: Cluster, read: Reader): boolean | undefined => {
  if (!spec?.topology || !metadata.deletionTimestamp) return false;
  if (metadata.annotations?.[hookAnnotations.okToDelete] !== undefined) return false;
  const handlers = askExtensions(read, 'Handlers', { namespace: metadata.namespace ?? '' });
  return handlers.state === 'unread'
    ? undefined
    : (found(handlers)?.some((one) => one.hook === 'BeforeClusterDelete') ?? false);
};

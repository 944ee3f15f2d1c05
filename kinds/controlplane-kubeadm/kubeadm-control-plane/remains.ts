import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Read } from '../../../machinery/api/reconcile.ts';

/** What may still be there, read only while tearing down. */
export interface Remains {
  /** Hosts and bootstrap configs of control plane machines, those that no Machine has taken over yet among them. */
  parts: Read<KubeObject[]>[];
  /** The lock under which the first machine initialises the cluster. */
  lock: Read<KubeObject>;
}

import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Read } from '../../../machinery/api/reconcile.ts';

/** What may be left of the control plane; read only while tearing down. */
export interface Remains {
  /**
   * Infrastructure machines and bootstrap configs of control plane Machines, including those
   * without a Machine.
   */
  parts: Read<KubeObject[]>[];
  /** The init lock. */
  lock: Read<KubeObject>;
}

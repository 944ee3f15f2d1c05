/** Handles state changes of instances. */
import type { Log } from '../../machinery/ports.ts';
import type { Foundation } from '../../runtime/foundation.ts';
import { type InstanceChange, instanceWaker } from '../../runtime/wake.ts';

export interface Waking {
  log: Log;
  /** Requeues the AWSMachine that names the instance; instances of other owners are ignored. */
  wake(change: InstanceChange): Promise<void>;
}

export const createWaking = (foundation: Foundation): Waking => ({
  log: foundation.log,
  wake: instanceWaker(foundation),
});

import { type InstanceChange, instanceWaker } from '../../local/instance-change.ts';
import type { ObjectKey } from '../../machinery/api/object.ts';

import type { Log } from '../../machinery/ports.ts';
import { type ControllerName, controllers as wiring } from '../../wiring.ts';
import type { Foundation } from './foundation.ts';

export interface Waking {
  log: Log;
  /** Requeues the AWSMachine that names the instance; instances of other owners are ignored. */
  wake(change: InstanceChange): Promise<void>;
}

export const createWaking = ({ store, kinds, workItems, log }: Foundation): Waking => ({
  log,
  wake: instanceWaker({ kinds, store, request: workItems.request }),
});

/** Requeues an object of a controller's kind. */
export const wakerOf =
  ({ kinds, workItems }: Foundation) =>
  (name: string, key: ObjectKey): Promise<void> =>
    workItems.request(
      { controller: name, type: kinds.typeOf(wiring[name as ControllerName].for), ...key },
      { urgent: true },
    );

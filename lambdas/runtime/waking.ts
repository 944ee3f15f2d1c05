import { type InstanceChange, instanceOwner } from '../../adapters/cloud/instance-owner.ts';
import type { Cloud } from '../../kinds/ports/cloud.ts';
import type { ObjectKey } from '../../machinery/api/object.ts';
import type { Log } from '../../machinery/ports.ts';
import { type ControllerName, controllers as wiring } from '../../wiring.ts';
import type { Foundation } from './foundation.ts';

const controller: ControllerName = 'aws-machine';

export interface Waking {
  log: Log;
  /** Has the machine that an instance was launched for looked at; others' instances are nobody's business. */
  wake(change: InstanceChange): Promise<void>;
}

export const createWaking = ({ store, kinds, workItems, log }: Foundation, cloud: Cloud): Waking => ({
  log,
  wake: async (change) => {
    const type = kinds.typeOf('AWSMachine');
    const key = await instanceOwner(cloud, change);
    // The tag is anybody's to write: only what is there is looked at.
    if (key && (await store.get(type, key))) await workItems.request({ controller, type, ...key }, { urgent: true });
  },
});

/** Has a controller look at an object of its kind. */
export const wakerOf =
  ({ kinds, workItems }: Foundation) =>
  (name: string, key: ObjectKey): Promise<void> =>
    workItems.request(
      { controller: name, type: kinds.typeOf(wiring[name as ControllerName].for), ...key },
      { urgent: true },
    );

import { instanceOwner } from '../../adapters/cloud/instance-owner.ts';
import type { Cloud } from '../../kinds/ports/cloud.ts';
import type { Log } from '../../machinery/ports.ts';
import type { ControllerName } from '../../wiring.ts';
import type { Foundation } from './foundation.ts';

const controller: ControllerName = 'aws-machine';

export interface Waking {
  log: Log;
  /** Has the machine that an instance was launched for looked at; others' instances are nobody's business. */
  wake(region: string, instanceId: string): Promise<void>;
}

export const createWaking = ({ store, kinds, workItems, log }: Foundation, cloud: Cloud): Waking => ({
  log,
  wake: async (region, instanceId) => {
    const type = kinds.typeOf('AWSMachine');
    const key = await instanceOwner(cloud, region, instanceId);
    // The tag is anybody's to write: only what is there is looked at.
    if (key && (await store.get(type, key))) await workItems.request({ controller, type, ...key }, { urgent: true });
  },
});

/** State changes of instances. EventBridge reports those of the whole account, including other owners'. */
import type { ObjectKey } from '../machinery/api/object.ts';
import type { Kinds, Work } from '../machinery/controller/index.ts';
import type { Store } from '../machinery/store/index.ts';
import type { ControllerName } from '../wiring.ts';

export interface InstanceChange {
  region: string;
  instanceId: string;
  /** Absent from a warning that a spot instance is about to be interrupted. */
  state?: string | undefined;
}

const controller: ControllerName = 'aws-machine';

export interface InstanceWakingOptions {
  kinds: Pick<Kinds, 'typeOf'>;
  store: Pick<Store, 'resourceKeys'>;
  request: Work['request'];
}

/**
 * Requeues the AWSMachine that names the instance. One read of the store's index decides, so that an instance of another
 * owner costs no call to EC2. An instance that no AWSMachine names yet needs no event: the pass that adopts it reads its state.
 */
export const instanceWaker =
  ({ kinds, store, request }: InstanceWakingOptions) =>
  async ({ instanceId, state }: Pick<InstanceChange, 'instanceId' | 'state'>): Promise<void> => {
    // The pass that launches an instance adopts it while it is pending.
    if (state === 'pending') return;
    const type = kinds.typeOf('AWSMachine');
    const keys: ObjectKey[] = await store.resourceKeys(type, instanceId);
    for (const key of keys) await request({ controller, type, ...key }, { urgent: true });
  };

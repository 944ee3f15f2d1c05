/** Requeues of objects, requested by what is not a change of an object. */
import type { ObjectKey } from '../machinery/api/object.ts';
import type { ControllerName } from '../wiring.ts';
import type { Foundation } from './foundation.ts';

/**
 * A state change of an instance. EventBridge reports those of the whole account, including other
 * owners'.
 */
export interface InstanceChange {
  region: string;
  instanceId: string;
  /** Absent from a warning that a spot instance is about to be interrupted. */
  state?: string | undefined;
}

const controller: ControllerName = 'aws-machine';
const statusController: ControllerName = 'instance-status';

/**
 * Requeues the AWSMachine that names the instance. One read of the store's index decides, so that
 * an instance of another owner costs no call to EC2. An instance that no AWSMachine names yet needs
 * no event: the pass that adopts it reads its state.
 */
export const instanceWaker =
  ({ kinds, store, workItems }: Pick<Foundation, 'kinds' | 'store' | 'workItems'>) =>
  async ({ instanceId, state }: Pick<InstanceChange, 'instanceId' | 'state'>): Promise<void> => {
    // The pass that launches an instance adopts it while it is pending.
    if (state === 'pending') return;
    const type = kinds.typeOf('AWSMachine');
    const keys: ObjectKey[] = await store.resourceKeys(type, instanceId);
    for (const key of keys) await workItems.request({ controller, type, ...key }, { urgent: true });
  };

/**
 * Requeues the read of the status of the instances, once for each of their clusters. Instances of
 * other owners cost no call to EC2.
 */
export const statusWaker =
  ({ kinds, store, workItems }: Pick<Foundation, 'kinds' | 'store' | 'workItems'>) =>
  async (instanceIds: readonly string[]): Promise<void> => {
    const type = kinds.typeOf('AWSMachine');
    const clusters = new Map<string, ObjectKey>();
    for (const id of new Set(instanceIds))
      for (const key of await store.resourceKeys(type, id)) {
        const awsMachine = await store.get(type, key);
        const name = awsMachine?.metadata.labels?.['cluster.x-k8s.io/cluster-name'];
        if (name !== undefined) clusters.set(`${key.namespace}/${name}`, { namespace: key.namespace, name });
      }
    for (const key of clusters.values())
      await workItems.request(
        { controller: statusController, type: kinds.typeOf('Cluster'), ...key },
        { urgent: true },
      );
  };

/** Requeues an object of a controller's kind. */
export const controllerWaker =
  ({ kinds, workItems, catalog }: Foundation) =>
  (name: string, key: ObjectKey): Promise<void> =>
    workItems.request({ controller: name, type: kinds.typeOf(catalog.wiring[name]!.for), ...key }, { urgent: true });

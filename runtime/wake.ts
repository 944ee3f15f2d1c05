/** Requeues of objects, requested by what is not a change of an object. */
import { alarmStatesOf, alarmsResource } from '../kinds/common/autoscale/alarm-states.ts';
import { type Interruption, interruptionAnnotation, interruptionNote } from '../kinds/core/contract/interruption.ts';
import type { KubeObject, ObjectKey } from '../machinery/api/object.ts';
import { isolatedOrThrow } from '../machinery/isolated.ts';
import { unlessUnreadable } from '../machinery/store/index.ts';
import type { ControllerName } from '../wiring.ts';
import type { Foundation } from './foundation.ts';

/** A notice that EC2 takes an instance away, or might. */
export type InstanceNotice = Omit<Interruption, 'providerID'>;

/**
 * A state change of an instance, or a notice about it. EventBridge reports those of the whole
 * account, including other owners'.
 */
export interface InstanceChange {
  region: string;
  instanceId: string;
  /** Absent from a notice. */
  state?: string | undefined;
  notice?: InstanceNotice | undefined;
}

const controller: ControllerName = 'aws-machine';
const statusController: ControllerName = 'instance-status';
const alarmController: ControllerName = 'alarms';
const poolController: ControllerName = 'aws-machine-pool';

type Parts = Pick<Foundation, 'kinds' | 'store' | 'workItems'>;

const withNotice = (object: KubeObject, instanceId: string, notice: InstanceNotice): KubeObject => {
  const { providerID = '' } = (object.spec ?? {}) as { providerID?: string };
  // The index may be older than the object.
  const note = providerID.endsWith(`/${instanceId}`) ? interruptionNote(object, { ...notice, providerID }) : undefined;
  if (note === undefined) return object;
  const { metadata } = object;
  return {
    ...object,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [interruptionAnnotation]: note } },
  };
};

/**
 * Records the notice on the AWSMachine, because EC2 does not repeat it. The change wakes all who
 * act on it at once. Another notice of the same kind, or one about a former instance, changes
 * nothing.
 */
const record = async ({ store }: Parts, type: string, key: ObjectKey, instanceId: string, notice: InstanceNotice) => {
  const before = await store.get(type, key);
  if (!before || withNotice(before, instanceId, notice) === before) return;
  await store.commit(
    type,
    key,
    (current) =>
      current ? { do: 'put', object: withNotice(current, instanceId, notice) } : { do: 'nothing', object: before },
    { retry: true },
  );
};

/**
 * Requeues the AWSMachine that names the instance, or records a notice on it. One read of the
 * store's index decides, so that an instance of another owner costs no call to EC2. An instance
 * that no AWSMachine names yet needs no event: the pass that adopts it reads its state.
 */
export const instanceWaker =
  (parts: Parts) =>
  async ({ instanceId, state, notice }: Omit<InstanceChange, 'region'>): Promise<void> => {
    const { kinds, store, workItems } = parts;
    // The pass that launches an instance adopts it while it is pending.
    if (state === 'pending') return;
    const type = kinds.typeOf('AWSMachine');
    const keys: ObjectKey[] = await store.resourceKeys(type, instanceId);
    await isolatedOrThrow(keys, (key) =>
      notice
        ? record(parts, type, key, instanceId, notice)
        : workItems.request({ controller, type, ...key }, { urgent: true }),
    );
  };

/**
 * Requeues the read of the status of the instances, once for each of their clusters. Instances of
 * other owners cost no call to EC2.
 */
export const statusWaker =
  ({ kinds, store, workItems }: Parts) =>
  async (instanceIds: readonly string[]): Promise<void> => {
    const type = kinds.typeOf('AWSMachine');
    const clusters = new Map<string, ObjectKey>();
    for (const id of new Set(instanceIds))
      for (const key of await store.resourceKeys(type, id)) {
        const awsMachine = await unlessUnreadable(store.get(type, key));
        const { labels } = awsMachine === 'unreadable' ? {} : (awsMachine?.metadata ?? {});
        const name = labels?.['cluster.x-k8s.io/cluster-name'];
        if (name !== undefined) clusters.set(`${key.namespace}/${name}`, { namespace: key.namespace, name });
      }
    await isolatedOrThrow(clusters.values(), (key) =>
      workItems.request({ controller: statusController, type: kinds.typeOf('Cluster'), ...key }, { urgent: true }),
    );
  };

/**
 * Requeues the ScalingPlans whose pools name the alarm. Alarms that no pool names cost one read of the
 * store's index.
 */
export const alarmWaker =
  ({ kinds, store, workItems }: Parts) =>
  async (alarmName: string): Promise<void> => {
    const type = kinds.typeOf('ScalingPlan');
    await isolatedOrThrow(await store.resourceKeys(type, alarmsResource), async (key) => {
      const plan = await unlessUnreadable(store.get(type, key));
      if (plan === 'unreadable' || (plan && Object.hasOwn(alarmStatesOf(plan), alarmName)))
        await workItems.request({ controller: alarmController, type, ...key }, { urgent: true });
    });
  };

/** Requeues the pool whose Auto Scaling group it is. Groups of other owners cost one read of the store's index. */
export const groupWaker =
  ({ kinds, store, workItems }: Parts) =>
  async (groupName: string): Promise<void> => {
    const type = kinds.typeOf('AWSMachinePool');
    await isolatedOrThrow(await store.resourceKeys(type, groupName), (key) =>
      workItems.request({ controller: poolController, type, ...key }, { urgent: true }),
    );
  };

/** Requeues an object of a controller's kind. */
export const controllerWaker =
  ({ kinds, workItems, catalog }: Foundation) =>
  (name: string, key: ObjectKey): Promise<void> =>
    workItems.request({ controller: name, type: kinds.typeOf(catalog.wiring[name]!.for), ...key }, { urgent: true });

/**
 * Volumes attached to a machine in deletion, which waits until they are detached or until its
 * timeout.
 */
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import type { PodObject } from '../../../../simulation/workload/objects.ts';
import { Violation } from '../../invariants/rule.ts';
import { type ScenarioContext, workersOf } from '../context.ts';
import { comes } from '../progress.ts';
import { changeInPlace } from '../requests.ts';
import { within } from '../workload/kubeconfig.ts';

const minute = 60_000;
/** The default grace period of a pod, in seconds. */
const defaultGrace = 30;
const attacher = 'ebs.csi.aws.com';
const apiVersion = 'storage.k8s.io/v1';
const namesOf = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.name);

export const attached = (name: string, nodeName: string, isAttached = true): KubeObject[] => [
  {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      csi: { driver: attacher, volumeHandle: name },
      claimRef: { kind: 'PersistentVolumeClaim', namespace: 'default', name },
    },
  },
  {
    apiVersion,
    kind: 'VolumeAttachment',
    metadata: { name: `csi-${name}` },
    spec: { attacher, nodeName, source: { persistentVolumeName: name } },
    status: { attached: isAttached },
  },
];

const hold = 'example.com/hold';
const slowPod = (name: string, nodeName: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', finalizers: [hold] },
  spec: { nodeName, containers: [{ name: 'sleep', image: 'registry.k8s.io/pause:3.10' }] },
});

/** A pod that the drain skips keeps its volume, and the machine does not wait for that volume. */
const stayingPod = (name: string, nodeName: string, claimName: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', labels: { 'cluster.x-k8s.io/drain': 'skip' } },
  spec: {
    nodeName,
    containers: [{ name: 'sleep', image: 'registry.k8s.io/pause:3.10' }],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
  },
});

/** A pod exceeds its grace period. The wait for volumes begins only when the node is empty. */
const leaveSlowly = async (context: ScenarioContext, name: string, isThere: () => boolean) => {
  const { clock, draw, world } = context;
  const find = async () => {
    for (const cluster of world.guests.clusters.all()) {
      const pod = await cluster.get('pods', 'default', name);
      if (pod) return pod as PodObject;
    }
    return undefined;
  };
  await sleep(clock, draw.spread(minute, 20 * minute));
  const { deletionGracePeriodSeconds: grace } = (await find())?.metadata ?? {};
  if (grace !== undefined && grace < defaultGrace && !context.world.isDisturbed)
    throw new Violation('drained', `${name} has a grace period of ${grace} s, not ${defaultGrace}`);
  const letGo = () =>
    within(context, 'patch', {
      apiVersion: 'v1',
      kind: 'Pod',
      namespace: 'default',
      name,
      patch: { metadata: { finalizers: null } },
    });
  for (let looks = 0; looks < 8 * 60 && isThere() && (await find()); looks++) {
    // An unreachable cluster is retried.
    await letGo().catch(() => {});
    await sleep(clock, minute);
  }
};

/**
 * A driver detaches the volumes early, late or, when a timeout ends the wait, never.
 */
export const deleteMachineWithVolumes = async (context: ScenarioContext) => {
  const { client, clock, draw, world } = context;
  const hasEnd = draw.chance(0.6);
  if (hasEnd)
    await changeInPlace(context, {
      spec: { deletion: { nodeVolumeDetachTimeoutSeconds: 60 * draw.whole(1, 20), nodeDrainTimeoutSeconds: 60 * 30 } },
    });
  await context.settled(60);
  const machines = workersOf(context).filter(
    ({ metadata, spec, status }) =>
      !metadata.deletionTimestamp &&
      status?.nodeRef &&
      (!hasEnd || (spec?.deletion?.nodeVolumeDetachTimeoutSeconds ?? 0) > 0),
  );
  if (machines.length === 0) return;
  const { metadata, status }: Machine = draw.pick(machines);
  const node = status!.nodeRef!.name;
  const nodes = await Promise.all(
    world.guests.clusters.all().map(async (one) => ({ one, names: namesOf(await one.list('nodes')) })),
  );
  const { one: cluster, names = [] } = nodes.find((there) => there.names.includes(node)) ?? {};
  if (!cluster) return;
  const name = `pvc-${draw.whole(1, 1_000_000)}`;
  for (const object of attached(name, node)) await cluster.create(object);
  const other = names.find((one) => one !== node);
  const elsewhere = `${name}-elsewhere`;
  for (const object of other ? attached(elsewhere, other) : []) await cluster.create(object);
  // The attachment is requested but not done, or already undone, so the deletion does not wait for
  // it.
  const isOff = draw.chance(0.5);
  for (const object of isOff ? attached(`${name}-off`, node, false) : []) await cluster.create(object);
  const isKept = !hasEnd && draw.chance(0.5);
  if (isKept) await cluster.create(stayingPod(`${name}-stays`, node, name));
  const isUnawaited = !hasEnd && !isKept && draw.chance(0.6);
  const annotations = { 'machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach': '' };
  if (isUnawaited) await client.patch('Machine', metadata.name, { metadata: { annotations } });
  const isSlow = hasEnd && draw.chance(0.5);
  if (isSlow) {
    await cluster.create(slowPod(`${name}-slow`, node));
    await sleep(clock, minute / 2);
  }
  await client.remove('Machine', metadata.name);
  const isStuck = isUnawaited || isKept || (hasEnd && draw.chance(0.5));
  const isThere = () => world.mirror.get('Machine', 'default', metadata.name)?.metadata.uid === metadata.uid;
  if (isSlow) await leaveSlowly(context, `${name}-slow`, isThere);
  await sleep(clock, isStuck ? 0 : draw.spread(1000, 40 * minute));
  const what = `the end of ${metadata.name}, whose volumes stay attached`;
  if (isStuck) await comes(context, what, () => !isThere(), 'RemoteConnectionProbe');
  const takeOff = (volume: string) =>
    // A lost cluster needs no cleanup.
    within(context, 'delete', { apiVersion, kind: 'VolumeAttachment', name: `csi-${volume}` }).catch(() => {});
  await takeOff(name);
  if (!other && !isOff) return;
  // Volumes attached to other Nodes do not matter.
  await comes(
    context,
    `the end of ${metadata.name}, whose volumes are detached`,
    () => !isThere(),
    'RemoteConnectionProbe',
  );
  if (isOff) await takeOff(`${name}-off`);
  if (other) await takeOff(elsewhere);
};

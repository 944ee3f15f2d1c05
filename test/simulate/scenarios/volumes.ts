/** Volumes that are attached to a machine that goes: it stays until they are off, or as long as its users said. */
import { createWorkload } from '../../../adapters/workload/index.ts';
import type { Machine } from '../../../kinds/machine/index.ts';
import type { Secret } from '../../../kinds/secret/index.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { sleep } from '../../../machinery/ports.ts';
import { guestTransport } from '../../../simulation/workload/index.ts';
import { comes } from './comes.ts';
import { type Scene, workersOf } from './scene.ts';
import { changeInPlace } from './wishes.ts';

const minute = 60_000;
const attacher = 'ebs.csi.aws.com';

const attached = (name: string, nodeName: string): KubeObject[] => [
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
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name: `csi-${name}` },
    spec: { attacher, nodeName, source: { persistentVolumeName: name } },
    status: { attached: true },
  },
];

/** What a driver does when it is done: sooner, later, or never, if there is an end to waiting. */
export const deleteMachineWithVolumes = async (scene: Scene) => {
  const { client, clock, draw, world, wish } = scene;
  const hasEnd = draw.chance(0.6);
  if (hasEnd)
    await changeInPlace(scene, {
      spec: { deletion: { nodeVolumeDetachTimeoutSeconds: 60 * draw.whole(1, 20), nodeDrainTimeoutSeconds: 60 * 30 } },
    });
  await scene.settled(60);
  const machines = workersOf(scene).filter(
    ({ metadata, spec, status }) =>
      !metadata.deletionTimestamp &&
      status?.nodeRef &&
      (!hasEnd || (spec?.deletion?.nodeVolumeDetachTimeoutSeconds ?? 0) > 0),
  );
  if (machines.length === 0) return;
  const { metadata, status }: Machine = draw.pick(machines);
  const node = status!.nodeRef!.name;
  const hasNode = async () => {
    for (const cluster of world.guests.clusters.all())
      if ((await cluster.list('nodes')).some((one) => one.metadata.name === node)) return cluster;
    return undefined;
  };
  const cluster = await hasNode();
  if (!cluster) return;
  const name = `pvc-${draw.whole(1, 1_000_000)}`;
  for (const object of attached(name, node)) await cluster.create(object);
  const isUnawaited = !hasEnd && draw.chance(0.6);
  const annotations = { 'machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach': '' };
  if (isUnawaited) await client.patch('Machine', metadata.name, { metadata: { annotations } });
  await client.remove('Machine', metadata.name);
  const isStuck = isUnawaited || (hasEnd && draw.chance(0.5));
  await sleep(clock, isStuck ? 0 : draw.spread(1000, 40 * minute));
  const isThere = () => world.mirror.get('Machine', 'default', metadata.name)?.metadata.uid === metadata.uid;
  const what = `the end of ${metadata.name}, whose volumes nobody takes off`;
  if (isStuck) await comes(scene, what, () => !isThere(), 'RemoteConnectionProbe');
  const secret = world.mirror.get<Secret>('Secret', 'default', `${wish.name}-kubeconfig`);
  const kubeconfig = Buffer.from(
    (secret?.data as Record<string, string> | undefined)?.value ?? '',
    'base64',
  ).toString();
  const workload = createWorkload({ transport: guestTransport(world.guests) });
  const off = { kubeconfig, apiVersion: 'storage.k8s.io/v1', kind: 'VolumeAttachment', name: `csi-${name}` };
  // A cluster that is lost needs nothing taken off.
  await workload.effect('delete', off).catch(() => {});
};

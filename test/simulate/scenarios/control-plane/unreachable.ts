/** Two of three control plane hosts stop answering for a while. */
import { sleep } from '../../../../machinery/ports.ts';
import { hostOf } from '../../invariants/relations.ts';
import { controlPlane, controlPlanesOf, type Scene } from '../context.ts';
import { comes, isServing } from '../progress.ts';

const minute = 60_000;

export const silenceControlPlane = async (scene: Scene) => {
  const { client, clock, draw, life, settled, wish, world } = scene;
  if (life.wish && wish.controlPlanes !== 3) {
    wish.controlPlanes = 3;
    await client.scale('KubeadmControlPlane', controlPlane(scene), 3);
  }
  await settled(90);
  if (!life.wish || !isServing(scene)) return;
  const { account, guests, mirror } = world;
  const ids = controlPlanesOf(scene).map((machine) => hostOf(mirror, machine)?.spec?.instanceID);
  // The last host keeps the data, but cannot answer without a quorum.
  const [silent, running] = [ids.slice(1), guests.guests().filter(({ instance }) => ids.includes(instance.instanceId))];
  if (ids.length !== 3 || running.length !== 3) return;
  const silenced = running.filter(({ instance }) => silent.includes(instance.instanceId));
  for (const { instance } of silenced) guests.halt(instance.instanceId);
  await sleep(clock, draw.spread(12 * minute, 60 * minute));
  const isRunning = (id: string) => account.list().some((one) => one.id === id && one.state === 'running');
  for (const { instance } of silenced) if (isRunning(instance.instanceId)) guests.boot(instance);
  await comes(
    scene,
    'that the cluster is reachable again',
    () => isServing(scene, 'RemoteConnectionProbe'),
    'InfrastructureReady',
  );
};

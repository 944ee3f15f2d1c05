/** Two of three control plane hosts stop answering for a while. */
import { sleep } from '../../../../machinery/ports.ts';
import { hostOf } from '../../invariants/relations.ts';
import { controlPlane, controlPlanesOf, type ScenarioContext } from '../context.ts';
import { comes, isServing } from '../progress.ts';

const minute = 60_000;

export const silenceControlPlane = async (context: ScenarioContext) => {
  const { client, clock, draw, life, settled, desired, world } = context;
  if (life.desired && desired.controlPlanes !== 3) {
    desired.controlPlanes = 3;
    await client.scale('KubeadmControlPlane', controlPlane(context), 3);
  }
  await settled(90);
  if (!life.desired || !isServing(context)) return;
  const { account, guests, mirror } = world;
  const ids = controlPlanesOf(context).map((machine) => hostOf(mirror, machine)?.spec?.instanceID);
  // The last host keeps the data, but cannot answer without a quorum.
  const [silent, running] = [ids.slice(1), guests.guests().filter(({ instance }) => ids.includes(instance.instanceId))];
  if (ids.length !== 3 || running.length !== 3) return;
  const silenced = running.filter(({ instance }) => silent.includes(instance.instanceId));
  for (const { instance } of silenced) guests.halt(instance.instanceId);
  await sleep(clock, draw.spread(12 * minute, 60 * minute));
  const isRunning = (id: string) => account.list().some((one) => one.id === id && one.state === 'running');
  for (const { instance } of silenced) if (isRunning(instance.instanceId)) guests.boot(instance);
  await comes(
    context,
    'that the cluster is reachable again',
    () => isServing(context, 'RemoteConnectionProbe'),
    'InfrastructureReady',
  );
};

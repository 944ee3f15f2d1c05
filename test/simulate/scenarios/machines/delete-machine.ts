/** The delete-machine annotation of one machine takes precedence over the failure of another. */
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { MachineSet } from '../../../../kinds/core/machine-set/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { hostOf, verdictOf } from '../../invariants/relations.ts';
import { Violation } from '../../invariants/rule.ts';
import { deployment, type ScenarioContext } from '../context.ts';
import { comes } from '../progress.ts';
import { staying } from '../requests.ts';

const minute = 60_000;
const nameOfSet = ({ metadata }: KubeObject) => metadata.labels?.['cluster.x-k8s.io/set-name'] ?? '';

export const chooseBesideUnhealthy = async (context: ScenarioContext) => {
  const { client, clock, draw, settled, desired, world } = context;
  const { guests, mirror } = world;
  if (desired.workers < 2) {
    desired.workers = 2;
    await client.scale('MachineDeployment', deployment(context), 2);
  }
  await settled(60);
  const machines = staying(context);
  const set = () => mirror.get<MachineSet>('MachineSet', 'default', nameOfSet(machines[0]!));
  if (machines.length < 2 || new Set(machines.map(nameOfSet)).size > 1) return;
  // An earlier request may still delete another machine.
  if (set()?.spec?.replicas !== machines.length) return;
  const ill = draw.pick(machines);
  const chosen = draw.pick(machines.filter((one) => one !== ill));
  const id = hostOf(mirror, ill)?.spec?.instanceID ?? '';
  if (!guests.guests().some(({ instance, ailment }) => instance.instanceId === id && !ailment)) return;
  const find = ({ metadata }: Machine) => staying(context).find((one) => one.metadata.uid === metadata.uid);
  const annotations = { 'cluster.x-k8s.io/delete-machine': 'yes' };
  await client.patch('Machine', chosen.metadata.name, { metadata: { annotations } });
  guests.ail(id, 'DiskPressure');
  const isKnown = () => !find(ill) || verdictOf(find(ill), 'NodeHealthy') === 'False';
  await comes(context, `that ${ill.metadata.name} is reported unhealthy`, isKnown, 'RemoteConnectionProbe');
  let gone: string | undefined;
  mirror.onCommit(({ object, before, writer }) => {
    const isTaken = object?.metadata.deletionTimestamp && !before?.metadata.deletionTimestamp;
    if (isTaken && writer === 'machine-set' && machines.some(({ metadata }) => metadata.uid === object.metadata.uid))
      gone ??= object.metadata.name;
  });
  if (machines.every(find) && set()?.spec?.replicas === machines.length) {
    desired.workers = machines.length - 1;
    await client.scale('MachineDeployment', deployment(context), desired.workers);
    for (let looks = 0; !gone && looks < 30; looks++) await sleep(clock, minute);
    if (gone && gone !== chosen.metadata.name)
      throw new Violation(
        'who goes',
        `${gone}, which is unhealthy, is deleted before the annotated ${chosen.metadata.name}`,
      );
  }
  guests.ail(id, undefined);
};

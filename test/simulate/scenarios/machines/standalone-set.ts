/** A MachineSet without a deployment: its user scales it, moves its machine and deletes it. */
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { MachineDeployment } from '../../../../kinds/core/machine-deployment/index.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { deployment, type ScenarioContext } from '../context.ts';
import { comes, promptly, resyncTimeout } from '../progress.ts';

const minute = 60_000;
const label = 'example.com/set';

export const createStandaloneSet = async (context: ScenarioContext) => {
  const { client, clock, draw, life, settled, desired, world } = context;
  const { mirror } = world;
  await settled(60);
  const { spec } = mirror.get<MachineDeployment>('MachineDeployment', 'default', deployment(context)) ?? {};
  if (!spec) return;
  const machinesOf = (name: string) =>
    mirror.all<Machine>('Machine').filter(({ metadata }) => metadata.labels?.[label] === name);
  const isRunning = ({ status }: Machine) => status?.phase === 'Running';
  const areThere = (name: string, count: number) => () =>
    machinesOf(name).length === count && machinesOf(name).every(isRunning);

  const write = async (name: string) => {
    const matchLabels = { [label]: name };
    const template = { metadata: { labels: matchLabels }, spec: { ...spec.template.spec, clusterName: desired.name } };
    const set = {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'MachineSet',
      metadata: { name, namespace: 'default' },
      spec: { clusterName: desired.name, replicas: 1, selector: { matchLabels }, template },
    };
    life.documents = [...life.documents.filter(({ metadata }) => metadata.name !== name), set as never];
    await client.apply(set as never);
  };
  const remove = async (name: string) => {
    await client.remove('MachineSet', name);
    const isGone = () => machinesOf(name).length === 0 && !mirror.get('MachineSet', 'default', name);
    await comes(context, `the end of ${name}`, isGone, 'RemoteConnectionProbe');
    life.documents = life.documents.filter(({ metadata }) => metadata.name !== name);
  };
  /**
   * The other set is created only when the machine has its label, so it has no machine to create.
   */
  const give = async (from: string, to: string) => {
    const given = machinesOf(from)[0]?.metadata;
    if (!given) return;
    await client.patch('Machine', given.name, { metadata: { labels: { [label]: to }, ownerReferences: null } });
    await write(to);
    const isTaken = () => {
      const { ownerReferences = [] } =
        machinesOf(to).find(({ metadata }) => metadata.uid === given.uid)?.metadata ?? {};
      return ownerReferences.some(({ controller, name }) => controller && name === to);
    };
    const most = () => (world.isHeldUp ? resyncTimeout : promptly);
    await comes(context, `that ${to} adopts ${given.name}`, isTaken, 'RemoteConnectionProbe', most);
    await comes(context, `no other machine of ${to}`, areThere(to, 1));
    await remove(from);
  };

  const first = `${desired.name}-lone-set`;
  const other = `${desired.name}-other-set`;
  await write(first);
  await comes(context, `a machine of ${first}`, areThere(first, 1));
  const isGiven = draw.chance(0.4);
  const last = isGiven ? other : first;
  if (isGiven) await give(first, other);
  if (draw.chance(0.5)) {
    await client.scale('MachineSet', last, 2);
    await comes(context, `another machine of ${last}`, areThere(last, 2));
  }
  await sleep(clock, draw.spread(minute, 20 * minute));
  await remove(last);
};

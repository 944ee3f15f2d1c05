/**
 * A Node reports memory, disk or PID pressure for a while. Its Machine is Ready but not healthy,
 * and a scale-down deletes it first.
 */

import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { WorkloadSnapshotObject } from '../../../../kinds/core/workload-snapshot/index.ts';
import type { AWSMachine } from '../../../../kinds/infrastructure-aws/aws-machine/index.ts';
import type { Condition } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { pressures } from '../../../../simulation/workload/records.ts';
import { deployment, type ScenarioContext } from '../context.ts';
import { comes } from '../progress.ts';
import { staying } from '../requests.ts';

const minute = 60_000;
/** An idle cluster is probed at least every ten minutes. */
const seen = 20 * minute;
/**
 * The time from a probe to the condition, plus the interval between two checks of this scenario.
 */
const slack = 3 * minute;

type Conditioned = { conditions?: Condition[] } | undefined;
/** How long the conditions of a cluster and of its Nodes have been unchanged. */
const calmOf = ({ clock, desired, world: { mirror } }: ScenarioContext): number => {
  const { status } = mirror.get<Cluster>('Cluster', 'default', desired.name) ?? {};
  const nodes = mirror.get<WorkloadSnapshotObject>('WorkloadSnapshot', 'default', desired.name)?.spec?.nodes ?? [];
  const all = [
    (status as Conditioned)?.conditions ?? [],
    ...nodes.map(({ conditions }) => conditions as Condition[]),
  ].flat();
  return clock.now() - Math.max(0, ...all.map(({ lastTransitionTime = '' }) => Date.parse(lastTransitionTime) || 0));
};
/** The probe interval: a tenth of that time, at most ten minutes. */
const lookedFor = (context: ScenarioContext): number =>
  Math.min(10 * minute, Math.max(minute, calmOf(context) / 10)) + slack;

const isWell = ({ status }: Machine) =>
  (status?.conditions as Condition[] | undefined)?.some((one) => one.type === 'NodeHealthy' && one.status === 'True') ??
  false;

export const pressureNode = async (context: ScenarioContext) => {
  const { client, clock, draw, settled, desired, world } = context;
  const { guests, mirror } = world;
  if (context.life.desired && desired.workers < 2 && draw.chance(0.5)) {
    desired.workers = 2;
    await client.scale('MachineDeployment', deployment(context), desired.workers);
  }
  await settled(60);
  const find = ({ metadata }: Machine) =>
    mirror.all<Machine>('Machine').find((one) => one.metadata.uid === metadata.uid && !one.metadata.deletionTimestamp);
  const hostOf = ({ metadata, spec }: Machine) =>
    mirror.get<AWSMachine>('AWSMachine', metadata.namespace!, spec?.infrastructureRef?.name ?? '')?.spec?.instanceID;
  const isHealthy = (id = '') =>
    guests.guests().some(({ instance, ailment }) => instance.instanceId === id && !ailment);
  const machines = staying(context).filter((machine) => isWell(machine) && isHealthy(hostOf(machine)));
  if (machines.length === 0) return;
  const machine = draw.pick(machines);
  const id = hostOf(machine)!;
  const pressure = draw.pick(pressures);
  await sleep(clock, draw.spread(minute, 40 * minute));
  if (!find(machine) || !isHealthy(id)) return;
  const promised = lookedFor(context);
  guests.ail(id, pressure);
  const isReported = (should: boolean) => () => {
    const now = find(machine);
    return !now || isWell(now) === should;
  };
  const most = () => (world.isHeldUp ? 25 * 60 * minute : seen);
  const soon = () => (world.isDisturbed ? most() : promised);
  const subject = `that ${machine.metadata.name}, which has ${pressure}, is`;
  await comes(context, `${subject} not well`, isReported(false), 'RemoteConnectionProbe', soon);
  // A scale-down with several workers deletes this one.
  if (machines.length > 1 && desired.workers === machines.length && draw.chance(0.5)) {
    await sleep(clock, minute);
    desired.workers -= 1;
    await client.scale('MachineDeployment', deployment(context), desired.workers);
  }
  await sleep(clock, draw.spread(minute, 30 * minute));
  guests.ail(id, undefined);
  await comes(context, `${subject} well again`, isReported(true), 'RemoteConnectionProbe', most);
};

/** Rollouts stay within maxSurge and maxUnavailable. */
import type { Cluster } from '../../../kinds/cluster/index.ts';
import { writtenTarget } from '../../../kinds/cluster-operation/scene.ts';
import type { Machine } from '../../../kinds/machine/index.ts';
import type { MachineDeployment } from '../../../kinds/machine-deployment/index.ts';
import type { Condition } from '../../../machinery/api/object.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';

const rule = 'maxSurge and maxUnavailable';
const minute = 60_000;
/**
 * How long a decision may have been under way: as long as a pass may take, until somebody takes over from a worker that
 * died (a message shows again after 130 s, once or twice), or as long as a worker stands still.
 */
const underWay = 3 * minute;
const takenOver = 8 * minute;
const standing = 60 * minute;

const isAvailable = (machine: Machine | undefined) =>
  (machine?.status?.conditions as Condition[] | undefined)?.some(
    ({ type, status }) => type === 'Available' && status === 'True',
  ) ?? false;

/** What somebody wanted, until when its controller did not know better. */
interface Wanted {
  generation: number;
  replicas: number;
  surge: number;
  unavailable: number;
  /** Milliseconds since the epoch at which its controller had seen the next one. */
  over?: number;
}
const wantedOf = ({ metadata, spec }: MachineDeployment): Wanted => {
  const { maxSurge = 1, maxUnavailable = 0 } = spec?.rollout?.strategy?.rollingUpdate ?? {};
  const replicas = spec?.replicas ?? 1;
  const part = (of: number | string, round: (value: number) => number) =>
    typeof of === 'number' ? of : round((replicas * Number.parseFloat(of)) / 100);
  return {
    generation: metadata.generation ?? 0,
    replicas,
    surge: part(maxSurge, Math.ceil),
    unavailable: part(maxUnavailable, Math.floor),
  };
};

export const rollout = ({ world, has }: Setting): Invariant => {
  const { mirror, clock } = world;
  const wanted = new Map<string, Wanted[]>();
  /** When a machine of a deployment was last lost, or stopped being available, without a decision to replace it. */
  const lost = new Map<string, number>();
  let tornDown = Number.NEGATIVE_INFINITY;
  const grace = () => {
    if (has('worker.frozen') || has('worker.slow')) return standing;
    return has('worker.crashed') ? takenOver : underWay;
  };

  const note = (deployment: MachineDeployment) => {
    const { name } = deployment.metadata;
    const history = wanted.get(name) ?? [];
    const next = wantedOf(deployment);
    if (history.at(-1)?.generation !== next.generation) history.push(next);
    const seen = deployment.status?.observedGeneration ?? 0;
    for (const one of history) if (one.generation < seen) one.over ??= clock.now();
    wanted.set(
      name,
      history.filter(({ over = Number.POSITIVE_INFINITY }) => over > clock.now() - standing),
    );
  };
  /** All that somebody may still be working towards. */
  const current = (name: string): Wanted[] =>
    (wanted.get(name) ?? []).filter(({ over = Number.POSITIVE_INFINITY }) => over > clock.now() - grace());
  const machinesOf = (name: string) =>
    mirror
      .all<Machine>('Machine')
      .filter(
        ({ metadata }) => metadata.labels?.['cluster.x-k8s.io/deployment-name'] === name && !metadata.deletionTimestamp,
      );
  const onMachine = (event: string, machine: Machine, before: Machine | undefined, writer: string | undefined) => {
    const name = machine.metadata.labels?.['cluster.x-k8s.io/deployment-name'];
    if (!name) return;
    const isDeletion = machine.metadata.deletionTimestamp !== undefined && !before?.metadata.deletionTimestamp;
    if (writer !== 'machine-set') {
      if (isDeletion || (isAvailable(before) && !isAvailable(machine))) lost.set(name, clock.now());
      return;
    }
    const deployment = mirror.get<MachineDeployment>('MachineDeployment', machine.metadata.namespace ?? '', name);
    if (!deployment || deployment.metadata.deletionTimestamp) return;
    // Whoever goes on hours late knows nothing of what was decided since.
    if (has('worker.late')) return;
    // What is torn down goes as a whole.
    if (clock.now() - tornDown < grace()) return;
    if (event === 'ADDED') {
      const most = Math.max(...current(name).map(({ replicas, surge }) => replicas + surge));
      const count = machinesOf(name).length;
      if (count > most) throw new Violation(rule, `${name} has ${count} machines, at most ${most} are wanted`);
    }
    if (!isDeletion || !isAvailable(before)) return;
    // Whoever decided may not have seen yet what was lost.
    if (clock.now() - (lost.get(name) ?? 0) < grace()) return;
    const least = Math.min(...current(name).map(({ replicas, unavailable }) => replicas - unavailable));
    const available = machinesOf(name).filter(isAvailable).length;
    if (available < least)
      throw new Violation(rule, `${name} keeps ${available} available machines, at least ${least} must stay`);
  };
  for (const deployment of mirror.all<MachineDeployment>('MachineDeployment')) note(deployment);
  return {
    onCommit: ({ type, event, object, before, writer }) => {
      if (
        object?.kind === 'Cluster' &&
        [object, before].some((one) => one && writtenTarget(one as Cluster) === 'Nothing')
      )
        tornDown = clock.now();
      if (type === 'machinedeployments.cluster.x-k8s.io' && object) note(object as MachineDeployment);
      if (type === 'machines.cluster.x-k8s.io' && object)
        onMachine(event, object as Machine, before as Machine | undefined, writer);
    },
  };
};

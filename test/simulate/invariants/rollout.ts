/** Rollouts stay within maxSurge and maxUnavailable. */
import type { Machine } from '../../../kinds/machine/index.ts';
import type { MachineDeployment } from '../../../kinds/machine-deployment/index.ts';
import type { Condition } from '../../../machinery/api/object.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';

const rule = 'maxSurge and maxUnavailable';
/** How long a decision may have been under way: a worker stands still, its messages are late. */
const lately = 60 * 60_000;

const isAvailable = (machine: Machine) =>
  (machine.status?.conditions as Condition[] | undefined)?.some(
    ({ type, status }) => type === 'Available' && status === 'True',
  );

export const rollout = ({ world, lastIntrusion, has }: Setting): Invariant => {
  const { mirror, clock } = world;
  const wanted = new Map<string, { at: number; replicas: number }[]>();
  const note = ({ metadata, spec }: MachineDeployment) => {
    const history = wanted.get(metadata.name) ?? [];
    wanted.set(metadata.name, history);
    const replicas = spec?.replicas ?? 1;
    if (history.at(-1)?.replicas !== replicas) history.push({ at: clock.now(), replicas });
  };
  /** Every number that somebody may still be working towards. */
  const recent = (name: string): number[] => {
    const history = wanted.get(name) ?? [];
    return history
      .filter((_, index) => (history[index + 1]?.at ?? Number.POSITIVE_INFINITY) > clock.now() - lately)
      .map(({ replicas }) => replicas);
  };
  const machinesOf = (name: string) =>
    mirror
      .all<Machine>('Machine')
      .filter(
        ({ metadata }) => metadata.labels?.['cluster.x-k8s.io/deployment-name'] === name && !metadata.deletionTimestamp,
      );
  return {
    onCommit: ({ type, event, object, before, writer }) => {
      if (type === 'machinedeployments.cluster.x-k8s.io' && object) note(object as MachineDeployment);
      if (type !== 'machines.cluster.x-k8s.io' || !object) return;
      const machine = object as Machine;
      const name = machine.metadata.labels?.['cluster.x-k8s.io/deployment-name'];
      if (!name || writer !== 'machine-set') return;
      const deployment = mirror.get<MachineDeployment>('MachineDeployment', machine.metadata.namespace ?? '', name);
      if (!deployment || deployment.metadata.deletionTimestamp) return;
      const { maxSurge = 1, maxUnavailable = 0 } = deployment.spec?.rollout?.strategy?.rollingUpdate ?? {};
      if (event === 'ADDED') {
        const most = Math.max(...recent(name)) + Number(maxSurge);
        const count = machinesOf(name).length;
        if (count > most) throw new Violation(rule, `${name} has ${count} machines, at most ${most} were ever wanted`);
      }
      const isDeletion = machine.metadata.deletionTimestamp && !before?.metadata.deletionTimestamp;
      if (!isDeletion || !isAvailable(before as Machine)) return;
      // Whether a machine is available then changes without anybody's decision.
      if (clock.now() - lastIntrusion() < lately || has('workload.unreachable') || has('workload.failed')) return;
      const least = Math.min(...recent(name)) - Number(maxUnavailable);
      const available = machinesOf(name).filter(isAvailable).length;
      if (available < least)
        throw new Violation(rule, `${name} keeps ${available} available machines, at least ${least} must stay`);
    },
  };
};

import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { MachineDeployment } from '../../../../kinds/core/machine-deployment/index.ts';
import type { MachineSet } from '../../../../kinds/core/machine-set/index.ts';
import { writtenTarget } from '../../../../kinds/operations/shared/scope.ts';
import type { Condition, KubeObject } from '../../../../machinery/api/object.ts';
import { mayMissEvents, takenOver } from '../grace.ts';
import { isTakenAway, portionOf } from '../relations.ts';
import type { Rule } from '../rule.ts';

/** How long former limits stay recorded. */
const remembered = 60 * 60_000;

/** The time in which counts propagate from a Machine through its set to its deployment. */
const counting = 5000;

const availabilityOf = (machine: Machine | undefined) =>
  (machine?.status?.conditions as Condition[] | undefined)?.find(
    ({ type, status }) => type === 'Available' && status === 'True',
  );
const isAvailable = (machine: Machine | undefined) => availabilityOf(machine) !== undefined;

/** Whether the Node has not reported lately. */
const isSilent = ({ status }: Machine) =>
  (status?.conditions as Condition[] | undefined)?.some(
    (one) => one.type === 'NodeHealthy' && one.status === 'Unknown',
  ) ?? false;

const isReplacedAsIll = ({ status }: Machine) =>
  (status?.conditions as Condition[] | undefined)?.some(
    ({ type, status, reason }) => type === 'OwnerRemediated' && status === 'False' && reason === 'MachineDeleting',
  ) ?? false;

/** The limits of a generation, and when its controller observed a later one. */
interface Wanted {
  generation: number;
  replicas: number;
  surge: number;
  unavailable: number;
  /** Milliseconds since the epoch at which the controller observed the next generation. */
  over?: number;
}
/** The replicas last requested from a set. */
interface LastRequest {
  at: number;
  /** When anyone other than the deployment controller last set the replicas. */
  byHand: number;
  /** How many of its machines were available then, and had been for a while. */
  available: number;
  /** Whether the deployment controller did not know yet of lost machines. */
  isMisled: boolean;
}
/** Includes the namespace, because names repeat across namespaces. */
const idOf = ({ metadata }: KubeObject, name = metadata.name) => `${metadata.namespace}/${name}`;
const labelled = (label: string) => (object: Machine | MachineSet) => {
  const name = object.metadata.labels?.[`cluster.x-k8s.io/${label}`];
  return name === undefined ? undefined : idOf(object, name);
};
const controllerOf = ({ metadata }: KubeObject, kind: string) =>
  metadata.ownerReferences?.find((owner) => owner.controller && owner.kind === kind)?.name;

const wantedOf = ({ metadata, spec }: MachineDeployment): Wanted => {
  const { maxSurge = 1, maxUnavailable = 0 } = spec?.rollout?.strategy?.rollingUpdate ?? {};
  const replicas = spec?.replicas ?? 1;
  const surge = portionOf(maxSurge, replicas, Math.ceil);
  // Percentages may round to a rollout that could never progress.
  const unavailable = Math.max(portionOf(maxUnavailable, replicas, Math.floor), surge === 0 ? 1 : 0);
  return { generation: metadata.generation ?? 0, replicas, surge, unavailable };
};

export const limits: Rule = ({ world, has }, broken) => {
  const { mirror, clock } = world;
  /** By owner, because users edit labels; by label when the owner reference is gone. */
  const setOf = (machine: Machine): string | undefined => {
    const controller = controllerOf(machine, 'MachineSet');
    return controller === undefined ? labelled('set-name')(machine) : idOf(machine, controller);
  };
  const deploymentOf = (object: Machine | MachineSet): string | undefined => {
    const set = object.kind === 'Machine' ? setOf(object as Machine) : idOf(object);
    const [namespace = '', name = ''] = set?.split('/') ?? [];
    const of = mirror.get<MachineSet>('MachineSet', namespace, name) ?? object;
    const controller = controllerOf(of, 'MachineDeployment');
    return controller === undefined ? labelled('deployment-name')(object) : idOf(object, controller);
  };
  const wanted = new Map<string, Wanted[]>();
  /**
   * By deployment: when a machine was last lost or became unavailable without a decision to replace
   * it.
   */
  const lost = new Map<string, number>();
  /** By set: the last request. */
  const lastRequests = new Map<string, LastRequest>();
  let tornDown = Number.NEGATIVE_INFINITY;
  const grace = () => takenOver(has);

  const note = (deployment: MachineDeployment) => {
    const name = idOf(deployment);
    const history = wanted.get(name) ?? [];
    const next = wantedOf(deployment);
    if (history.at(-1)?.generation !== next.generation) history.push(next);
    const seen = deployment.status?.observedGeneration ?? 0;
    for (const one of history) if (one.generation < seen) one.over ??= clock.now();
    wanted.set(
      name,
      history.filter(({ over = Number.POSITIVE_INFINITY }) => over > clock.now() - remembered),
    );
  };
  /** By uid of a Cluster: since when it is paused. */
  const paused = new Map<string, number>();
  /** A set applies a manual change of replicas only when its cluster is unpaused. */
  const notePause = ({ metadata, spec }: Cluster) => {
    const uid = metadata.uid!;
    const since = paused.get(uid);
    if (spec?.paused) paused.set(uid, since ?? clock.now());
    else paused.delete(uid);
    if (spec?.paused || since === undefined) return;
    for (const order of lastRequests.values()) if (order.byHand >= since) order.byHand = clock.now();
  };
  /** All limits that a controller may still be acting on. */
  const current = (name: string): Wanted[] =>
    (wanted.get(name) ?? []).filter(({ over = Number.POSITIVE_INFINITY }) => over > clock.now() - grace());
  const machinesOf = (name: string) =>
    mirror
      .all<Machine>('Machine')
      .filter((machine) => deploymentOf(machine) === name && !machine.metadata.deletionTimestamp);
  const availableOf = (name: string, set: string | undefined, by = Number.POSITIVE_INFINITY) =>
    machinesOf(name).filter((machine) => {
      const { lastTransitionTime = '' } = availabilityOf(machine) ?? {};
      return setOf(machine) === set && isAvailable(machine) && (Date.parse(lastTransitionTime) || 0) <= by;
    }).length;
  const isByHand = (set: MachineSet) => clock.now() - (lastRequests.get(idOf(set))?.byHand ?? 0) < grace();
  /**
   * A machine in deletion still has its host, so a set may grow only when there is room beside it.
   */
  const checkRoom = (name: string, sets: MachineSet[]) => {
    const deployment = mirror.all<MachineDeployment>('MachineDeployment').find((one) => idOf(one) === name);
    const { paused: isPaused, rollout } = deployment?.spec ?? {};
    if (!deployment || isPaused || rollout?.strategy?.type === 'OnDelete' || has('worker.late')) return;
    if (clock.now() - tornDown < grace() || sets.some(isByHand)) return;
    const machines = mirror.all<Machine>('Machine');
    const countOf = (set: MachineSet) =>
      Math.max(
        set.spec?.replicas ?? 0,
        machines.filter((machine) => setOf(machine) === idOf(set) && !isTakenAway(machine)).length,
      );
    const count = sets.reduce((sum, set) => sum + countOf(set), 0);
    const most = Math.max(...current(name).map(({ replicas, surge }) => replicas + surge));
    if (count > most)
      throw broken(`${name} would have ${count} machines including those in deletion, but at most ${most} are allowed`);
  };
  const onMachineSet = (set: MachineSet, before: MachineSet | undefined, writer: string | undefined) => {
    if (set.spec?.replicas === before?.spec?.replicas) return;
    const name = deploymentOf(set) ?? '';
    const sets = mirror.all<MachineSet>('MachineSet').filter((one) => deploymentOf(one) === name);
    const isRaised = (set.spec?.replicas ?? 0) > (before?.spec?.replicas ?? 0);
    if (writer === 'machine-deployment' && isRaised) checkRoom(name, sets);
    const counted = sets.reduce((sum, { status }) => sum + (status?.availableReplicas ?? 0), 0);
    lastRequests.set(idOf(set), {
      at: clock.now(),
      byHand:
        writer === 'machine-deployment'
          ? (lastRequests.get(idOf(set))?.byHand ?? Number.NEGATIVE_INFINITY)
          : clock.now(),
      available: availableOf(name, idOf(set), clock.now() - counting),
      isMisled: mayMissEvents(has) && counted > machinesOf(name).filter(isAvailable).length,
    });
  };
  const onMachine = (event: string, machine: Machine, before: Machine | undefined, writer: string | undefined) => {
    const name = deploymentOf(machine);
    if (!name) return;
    const isDeletion = machine.metadata.deletionTimestamp !== undefined && !before?.metadata.deletionTimestamp;
    // Remediation has a limit of its own.
    if (writer !== 'machine-set' || (isDeletion && isReplacedAsIll(machine))) {
      if (isDeletion || (isAvailable(before) && !isAvailable(machine))) lost.set(name, clock.now());
      return;
    }
    const deployment = mirror.all<MachineDeployment>('MachineDeployment').find((one) => idOf(one) === name);
    if (!deployment || deployment.metadata.deletionTimestamp) return;
    // A worker that resumes hours later acts on an outdated state.
    if (has('worker.late')) return;
    // A teardown deletes all machines.
    if (clock.now() - tornDown < grace()) return;
    // A set that a user deletes keeps no machine.
    const set = mirror.all<MachineSet>('MachineSet').find((one) => idOf(one) === setOf(machine));
    if (isDeletion && set?.metadata.deletionTimestamp) return;
    // A set may apply its replicas late.
    const order = lastRequests.get(setOf(machine) ?? '');
    if (order && (order.byHand === order.at || clock.now() - order.byHand < grace())) return;
    if (event === 'ADDED') {
      // The deployment controller does not know yet of a manual change to one of its sets.
      const sets = mirror.all<MachineSet>('MachineSet').filter((one) => deploymentOf(one) === name);
      if (sets.some(isByHand)) return;
      const most = Math.max(...current(name).map(({ replicas, surge }) => replicas + surge));
      const count = machinesOf(name).length;
      if (count > most) throw broken(`${name} has ${count} machines, but at most ${most} are allowed`);
    }
    if (!isDeletion || !isAvailable(before)) return;
    // A machine with the delete-machine annotation goes first, even if it is the last available
    // one.
    if (machine.metadata.annotations?.['cluster.x-k8s.io/delete-machine'] !== undefined) return;
    // An unreachable machine counts as healthy for a while, so the set may delete an available one
    // instead.
    if (machinesOf(name).some((one) => one.status?.nodeRef && isSilent(one))) return;
    // The set meant to delete unavailable machines, which have become available since.
    if (order && availableOf(name, setOf(machine)) + 1 > order.available) return;
    // The controller may not know yet of the lost machines.
    if (order?.isMisled || (order?.at ?? clock.now()) - (lost.get(name) ?? 0) < grace()) return;
    const least = Math.min(...current(name).map(({ replicas, unavailable }) => replicas - unavailable));
    const available = machinesOf(name).filter(isAvailable).length;
    if (available < least) throw broken(`${name} keeps ${available} available machines, but needs at least ${least}`);
  };
  for (const deployment of mirror.all<MachineDeployment>('MachineDeployment')) note(deployment);
  return {
    onCommit: ({ type, event, object, before, writer }) => {
      if (object?.kind === 'Cluster') notePause(object as Cluster);
      if (
        object?.kind === 'Cluster' &&
        [object, before].some((one) => one && writtenTarget(one as Cluster) === 'Nothing')
      )
        tornDown = clock.now();
      if (type === 'machinedeployments.cluster.x-k8s.io' && object) note(object as MachineDeployment);
      if (type === 'machinesets.cluster.x-k8s.io' && object)
        onMachineSet(object as MachineSet, before as MachineSet | undefined, writer);
      if (type === 'machines.cluster.x-k8s.io' && object)
        onMachine(event, object as Machine, before as Machine | undefined, writer);
    },
  };
};

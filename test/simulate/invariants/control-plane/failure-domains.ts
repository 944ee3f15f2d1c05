import type { KubeadmControlPlane } from '../../../../kinds/controlplane-kubeadm/kubeadm-control-plane/index.ts';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { clusterOf, controlled, isGoing, isStoppedByRestore, isWorkedOn, verdictOf } from '../relations.ts';
import type { Rule } from '../rule.ts';

/**
 * How long a control plane must have been unchanged before its choice counts, so that the
 * controller has seen every change. Conditions of Machines take longer.
 */
const quiet = { adding: 1000, removing: 30_000 };
const marked = 'cluster.x-k8s.io/delete-machine';
const healthy = ['APIServerPodHealthy', 'ControllerManagerPodHealthy', 'SchedulerPodHealthy', 'EtcdPodHealthy'];

const zoneOf = ({ spec }: Machine) => spec?.failureDomain ?? '';
const ageOf = ({ metadata }: Machine) => `${metadata.creationTimestamp} ${metadata.name}`;

export const failureDomains: Rule = ({ world }, broken) => {
  const { clock, mirror } = world;
  /** By the uid of a control plane: when a Machine was created or deleted, or became outdated. */
  const changed = new Map<string, number>();
  const ownerOf = (machine: Machine): KubeadmControlPlane | undefined => {
    const owner = machine.metadata.ownerReferences?.find(({ controller }) => controller);
    const found = mirror.get<KubeadmControlPlane>(
      'KubeadmControlPlane',
      machine.metadata.namespace!,
      owner?.name ?? '',
    );
    return found?.metadata.uid === owner?.uid ? found : undefined;
  };
  const isOutdated = (machine: Machine) => verdictOf(machine, 'UpToDate') === 'False';
  const isWhole = (machine: Machine) =>
    healthy.every((type) => verdictOf(machine, type) === 'True') &&
    machine.metadata.annotations?.[marked] === undefined &&
    verdictOf(machine, 'OwnerRemediated') === undefined;
  const zonesOf = (controlPlane: KubeObject) =>
    (clusterOf(mirror, controlPlane)?.status?.failureDomains ?? [])
      .filter((one) => one.controlPlane)
      .map(({ name }) => name);
  const fail = (what: string) => {
    throw broken(what);
  };

  const expectFewest = (machine: Machine, controlPlane: KubeadmControlPlane) => {
    const others = controlled<Machine>(mirror, 'Machine', controlPlane).filter((one) => one !== machine);
    const [own, zones] = [zoneOf(machine), zonesOf(controlPlane)];
    if (own === '' && zones.length > 0) fail(`${machine.metadata.name} is created in none of ${zones.join(', ')}`);
    if (!zones.includes(own)) return;
    const countIn = (zone: string) => {
      const there = others.filter((one) => zoneOf(one) === zone);
      const staying = there.filter((one) => !isGoing(one) && !isOutdated(one)).length;
      return staying * 100 + there.length;
    };
    const better = zones.find((zone) => countIn(zone) < countIn(own));
    if (better) fail(`${machine.metadata.name} is created in ${own}, but ${better} has fewer machines`);
  };
  /**
   * Deletion picks the fullest zone, among outdated machines if there are any. Unhealthy and
   * annotated machines go first, in any zone.
   */
  const expectMost = (machine: Machine, controlPlane: KubeadmControlPlane) => {
    const all = controlled<Machine>(mirror, 'Machine', controlPlane).filter(
      (one) => one.metadata.uid === machine.metadata.uid || !isGoing(one),
    );
    const [own, zones] = [zoneOf(machine), zonesOf(controlPlane)];
    if (!all.every(isWhole) || all.some((one) => !zones.includes(zoneOf(one)))) return;
    const outdated = all.filter(isOutdated);
    const eligible = outdated.length > 0 ? outdated : all;
    const countIn = (zone: string) => {
      const [those, there] = [eligible, all].map((some) => some.filter((one) => zoneOf(one) === zone).length);
      return those! > 0 ? those! * 100 + there! : 0;
    };
    const fuller = zones.find((zone) => countIn(zone) > countIn(own));
    if (fuller) fail(`${machine.metadata.name} is deleted in ${own}, but ${fuller} has more machines`);
    const older = eligible.find((one) => zoneOf(one) === own && ageOf(one) < ageOf(machine));
    if (older) fail(`${machine.metadata.name} is deleted, but ${older.metadata.name} in the same zone is older`);
  };

  return {
    onCommit: ({ event, object, before, writer }) => {
      const machine = (object ?? before) as Machine | undefined;
      const controlPlane = machine?.kind === 'Machine' ? ownerOf(machine) : undefined;
      if (!machine || !controlPlane) return;
      const { uid = '' } = controlPlane.metadata;
      const isDeletion = object !== undefined && isGoing(object) && before !== undefined && !isGoing(before);
      const isNews = event !== 'MODIFIED' || isDeletion || isOutdated(machine) !== isOutdated(before as Machine);
      const since = changed.get(uid) ?? Number.NEGATIVE_INFINITY;
      // A replacement follows the end of the machine it replaces, so the end itself must not reset
      // the timer.
      if (isNews && event !== 'DELETED') changed.set(uid, clock.now());
      const isFresh =
        clock.now() - since > (event === 'ADDED' ? quiet.adding : quiet.removing) &&
        !world.isDisturbed &&
        isWorkedOn(mirror, machine);
      if (writer !== 'kubeadm-control-plane' || !isFresh) return;
      if (event === 'ADDED') expectFewest(machine, controlPlane);
      // A restore stops all Machines of before at once.
      if (isDeletion && !isStoppedByRestore(mirror, before)) expectMost(before as Machine, controlPlane);
    },
  };
};

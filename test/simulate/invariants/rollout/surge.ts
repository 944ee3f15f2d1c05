import type { KubeadmControlPlane } from '../../../../kinds/controlplane-kubeadm/kubeadm-control-plane/index.ts';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { MachineSet } from '../../../../kinds/core/machine-set/index.ts';
import { labelMatcher } from '../../../../machinery/api/labels.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { takenOver } from '../grace.ts';
import { isTakenAway } from '../relations.ts';
import type { Rule } from '../rule.ts';

type Maker = KubeadmControlPlane | MachineSet;
const makers: Record<string, string> = { 'kubeadm-control-plane': 'KubeadmControlPlane', 'machine-set': 'MachineSet' };
const isMaker = (object: KubeObject | undefined): object is Maker =>
  object !== undefined && Object.values(makers).includes(object.kind);

const mostOf = (maker: Maker): number => {
  const replicas = maker.spec?.replicas ?? 1;
  if (maker.kind === 'MachineSet') return replicas;
  const { rollout } = (maker as KubeadmControlPlane).spec ?? {};
  return replicas + Number(rollout?.strategy?.rollingUpdate?.maxSurge ?? 1);
};

const controllerOf = ({ metadata }: KubeObject) => metadata.ownerReferences?.find(({ controller }) => controller);
export const surge: Rule = ({ world, has }, broken) => {
  const { clock, mirror } = world;
  /** By the uid of an owner: its former maximum, and until when that was valid. */
  const before = new Map<string, { most: number; until: number }[]>();
  /** By the uid of a Machine: the uid of its owner. */
  const madeBy = new Map<string, string>();
  const note = (now: Maker, was: Maker | undefined) => {
    const { uid = '' } = now.metadata;
    if (was?.metadata.uid !== uid || mostOf(was) === mostOf(now)) return;
    before.set(uid, [...(before.get(uid) ?? []), { most: mostOf(was), until: clock.now() }]);
  };
  /**
   * Whether the set adopts a Machine without a controller again: a user releases it by removing its
   * labels.
   */
  const isSelected = ({ metadata: { uid = '', labels } }: Machine): boolean => {
    const maker = mirror.all<MachineSet>('MachineSet').find((one) => one.metadata.uid === madeBy.get(uid));
    return maker?.spec !== undefined && labelMatcher(maker.spec.selector)(labels);
  };
  const noteMachine = (machine: Machine) => {
    const { uid = '' } = machine.metadata;
    const controller = controllerOf(machine);
    if (controller) madeBy.set(uid, controller.uid);
    else if (!isSelected(machine)) madeBy.delete(uid);
  };
  for (const machine of mirror.all<Machine>('Machine')) noteMachine(machine);
  const expectFew = (machine: Machine, kind: string) => {
    const uid = controllerOf(machine)?.uid ?? '';
    const maker = mirror.all<Maker>(kind).find((one) => one.metadata.uid === uid);
    if (!maker || has('worker.late')) return;
    const recent = (before.get(uid) ?? []).filter(({ until }) => clock.now() - until <= takenOver(has));
    const most = Math.max(mostOf(maker), ...recent.map((one) => one.most));
    const isOwn = ({ metadata }: Machine) => madeBy.get(metadata.uid ?? '') === uid;
    const count = mirror.all<Machine>('Machine').filter((one) => isOwn(one) && !isTakenAway(one)).length;
    if (count > most)
      throw broken(`${kind} ${maker.metadata.name} has ${count} machines, but at most ${most} are allowed`);
  };
  return {
    onCommit: ({ event, object, before: was, writer }) => {
      if (isMaker(object)) note(object, was as Maker | undefined);
      if (object?.kind !== 'Machine') return;
      noteMachine(object as Machine);
      const kind = makers[writer ?? ''];
      if (kind && event === 'ADDED') expectFew(object as Machine, kind);
    },
  };
};

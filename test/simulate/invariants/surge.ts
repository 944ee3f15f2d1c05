/** A control plane has no more machines than it is to have, and those that it may have for a while to replace others. */
import type { KubeadmControlPlane } from '../../../kinds/kubeadm-control-plane/index.ts';
import type { Machine } from '../../../kinds/machine/index.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';
import { takenOver } from './patience.ts';

const mostOf = ({ spec }: KubeadmControlPlane): number =>
  (spec?.replicas ?? 1) + Number(spec?.rollout?.strategy?.rollingUpdate?.maxSurge ?? 1);

export const surge = ({ world, has }: Setting): Invariant => {
  const { clock, mirror } = world;
  /** By the uid of a control plane: how many it might have before, and until when. */
  const before = new Map<string, { most: number; until: number }[]>();
  const note = (now: KubeadmControlPlane, was: KubeadmControlPlane | undefined) => {
    const { uid = '' } = now.metadata;
    if (was?.metadata.uid !== uid || mostOf(was) === mostOf(now)) return;
    before.set(uid, [...(before.get(uid) ?? []), { most: mostOf(was), until: clock.now() }]);
  };
  const expectFew = ({ metadata }: Machine) => {
    const uid = metadata.ownerReferences?.find(({ controller }) => controller)?.uid ?? '';
    const controlPlane = mirror.all<KubeadmControlPlane>('KubeadmControlPlane').find((one) => one.metadata.uid === uid);
    if (!controlPlane || has('worker.late')) return;
    const recent = (before.get(uid) ?? []).filter(({ until }) => clock.now() - until <= takenOver(has));
    const most = Math.max(mostOf(controlPlane), ...recent.map((one) => one.most));
    const isOwn = (one: Machine) =>
      one.metadata.ownerReferences?.some((owner) => owner.controller && owner.uid === uid);
    const count = mirror.all<Machine>('Machine').filter(isOwn).length;
    if (count > most)
      throw new Violation('surge', `${controlPlane.metadata.name} has ${count} machines, and may have ${most}`);
  };
  return {
    onCommit: ({ event, object, before: was, writer }) => {
      if (object?.kind === 'KubeadmControlPlane')
        note(object as KubeadmControlPlane, was as KubeadmControlPlane | undefined);
      if (object?.kind === 'Machine' && event === 'ADDED' && writer === 'kubeadm-control-plane')
        expectFew(object as Machine);
    },
  };
};

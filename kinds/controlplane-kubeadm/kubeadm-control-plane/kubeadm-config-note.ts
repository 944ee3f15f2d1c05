/**
 * kubeadm's ConfigMap as it was before a rollout changed it, noted on the control plane, so that a
 * rollback puts it back byte for byte. Pure.
 */
import { isDeepStrictEqual } from 'node:util';
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Action, found, type MergePatch } from '../../../machinery/api/reconcile.ts';
import { accessOf, type ControlPlane, isGoing, isUpToDate, type Member, nodeOf } from './control-plane.ts';
import type { KubeadmControlPlane } from './index.ts';
import { kubeadmConfigFault, patchKubeadmConfig } from './kubeadm-config-map.ts';
import { annotations } from './names.ts';
import { type StepPlan, waitFor } from './step.ts';

type Data = Record<string, string>;
interface Note {
  at: string;
  data: Data;
}

const noteOf = ({ metadata }: KubeadmControlPlane): Note | undefined => {
  try {
    const note = JSON.parse(metadata.annotations?.[annotations.kubeadmConfigBefore] ?? 'null') as Note | null;
    return note?.data ? note : undefined;
  } catch {
    return undefined;
  }
};
export const isNoted = ({ kcp }: Pick<ControlPlane, 'kcp'>): boolean =>
  kcp.metadata.annotations?.[annotations.kubeadmConfigBefore] !== undefined;

const dataOf = (configMap: KubeObject): Data => (configMap as { data?: Data }).data ?? {};
const written = (note: Note | null): MergePatch => ({
  metadata: { annotations: { [annotations.kubeadmConfigBefore]: note && JSON.stringify(note) } },
});

/**
 * Whether the Machine read the ConfigMap as it was changed after the note. Machines are created in
 * the same second as the note.
 */
const hasJoinedSince =
  ({ at }: Note) =>
  (member: Member): boolean =>
    nodeOf(member) !== undefined && Date.parse(member.machine.metadata.creationTimestamp ?? '') >= Date.parse(at);

/**
 * What to note before the ConfigMap changes; undefined if the note still holds: until a Machine
 * joins with the change, the rollout that made it can be undone as a whole.
 */
export const noteBefore = (
  { kcp, members }: ControlPlane,
  configMap: KubeObject,
  now: number,
): MergePatch | undefined => {
  const note = noteOf(kcp);
  if (note && !members.some(hasJoinedSince(note))) return undefined;
  return written({ at: timestamp(now), data: dataOf(configMap) });
};

/** Seconds. */
const workloadRetry = 15;

/**
 * Puts the ConfigMap back after a rollback, and removes the note once no Machine with the change is
 * left. A change with which a Machine joined that stays is not undone. After a rollout the note is
 * removed too.
 */
export const settleNote = (controlPlane: ControlPlane): StepPlan | undefined => {
  const { kcp, cluster, members, live, admission } = controlPlane;
  if (!isNoted(controlPlane) || admission.state === 'Waiting') return undefined;
  const isSettled = members.every(isUpToDate);
  const removal: StepPlan | undefined = isSettled ? { intent: written(null), again: true } : undefined;
  const note = noteOf(kcp);
  if (admission.state === 'Admitted' || !note) return removal;
  const configMap = live.kubeadmConfig && found(live.kubeadmConfig);
  // Machines that the rollback itself creates join with what the note restored.
  if (configMap && isDeepStrictEqual(dataOf(configMap), note.data)) return removal;
  const stays = members.some((member) => isUpToDate(member) && !isGoing(member) && hasJoinedSince(note)(member));
  if (stays) return { intent: written(null), again: true };
  const kubeconfig = accessOf(controlPlane);
  if (!kubeconfig) return waitFor(`The Secret ${cluster.metadata.name}-kubeconfig does not exist`, workloadRetry);
  // A document that cannot be parsed is no obstacle: it is replaced as a whole.
  if (!configMap) return waitFor(kubeadmConfigFault(controlPlane) ?? '', workloadRetry);
  const current = dataOf(configMap);
  const added = Object.keys(current).filter((key) => note.data[key] === undefined);
  const data = { ...note.data, ...Object.fromEntries(added.map((key) => [key, null])) };
  const restored: Action = patchKubeadmConfig(kubeconfig, configMap, data);
  return { actions: [restored], again: true };
};

/**
 * kubeadm's ConfigMap as it was before a rollout changed it, noted on the control plane, so that a
 * rollback puts it back byte for byte. Pure.
 */
import { isDeepStrictEqual } from 'node:util';
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Action, found, type MergePatch, type Plan } from '../../../machinery/api/reconcile.ts';
import { accessOf, type ControlPlane, isUpToDate, nodeOf } from './control-plane.ts';
import type { KubeadmControlPlane } from './index.ts';
import { patchKubeadmConfig } from './kubeadm-config-map.ts';
import { annotations } from './names.ts';

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
 * What to note before the ConfigMap changes; undefined if the note still holds: until a Machine
 * joins with the change, the rollout that made it can be undone as a whole.
 */
export const noteBefore = (
  { kcp, members }: ControlPlane,
  configMap: KubeObject,
  now: number,
): MergePatch | undefined => {
  const note = noteOf(kcp);
  const isNewer = (created: string | undefined) => Date.parse(created ?? '') > Date.parse(note?.at ?? '');
  const hasJoined = members.some((member) => nodeOf(member) && isNewer(member.machine.metadata.creationTimestamp));
  if (note && !hasJoined) return undefined;
  return written({ at: timestamp(now), data: dataOf(configMap) });
};

/** Seconds. */
const workloadRetry = 15;

/**
 * Puts the ConfigMap back after a rollback, and removes the note once no Machine with the change is
 * left. After a rollout the note is removed too.
 */
export const settleNote = (controlPlane: ControlPlane): Plan | undefined => {
  const { kcp, members, live, admission } = controlPlane;
  if (!isNoted(controlPlane) || admission.state === 'Waiting') return undefined;
  const isSettled = members.every(isUpToDate);
  const removal: Plan | undefined = isSettled ? { intent: written(null), again: true } : undefined;
  const note = noteOf(kcp);
  if (admission.state === 'Admitted' || !note) return removal;
  const kubeconfig = accessOf(controlPlane);
  const configMap = live.kubeadmConfig && found(live.kubeadmConfig);
  if (!kubeconfig || !configMap) return { requeueAfter: workloadRetry };
  const current = dataOf(configMap);
  if (isDeepStrictEqual(current, note.data)) return removal;
  const added = Object.keys(current).filter((key) => note.data[key] === undefined);
  const data = { ...note.data, ...Object.fromEntries(added.map((key) => [key, null])) };
  const restored: Action = patchKubeadmConfig(kubeconfig, configMap, data);
  return { actions: [restored], again: true };
};

/** Replaces outdated Machines, within the maximum surge. Pure. */
import { type Context, found, type Plan } from '../../../machinery/api/reconcile.ts';
import { isAtLeastMinor } from '../../common/kubernetes-version.ts';
import { callWorkload } from '../../ports/index.ts';
import {
  accessOf,
  type ControlPlane,
  desiredReplicas,
  isGoing,
  isInitialized,
  isUpToDate,
  needsRollout,
} from './control-plane.ts';
import { updateKubeadmConfig } from './kubeadm-config-map.ts';
import { isNoted, noteBefore } from './kubeadm-config-note.ts';
import { scaleDown, scaleUp } from './scale.ts';

/** Seconds. */
const workloadRetry = 15;

const apiGroup = 'rbac.authorization.k8s.io';
const binding = (name: string, role: string, subject: { kind: string; name: string }) => ({
  apiVersion: `${apiGroup}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: { name },
  roleRef: { apiGroup, kind: 'ClusterRole', name: role },
  subjects: [{ apiGroup, ...subject }],
});
const admins = 'kubeadm:cluster-admins';
const bindings = [
  // From 1.29 on, kubeadm joins with a certificate of this group. Only a cluster initialized by
  // 1.29 or later already has the binding.
  binding(admins, 'cluster-admin', { kind: 'Group', name: admins }),
  // API servers authenticate to kubelets as this user; from 1.37 on, kubeadm no longer puts it into
  // a superuser group.
  binding('kubeadm:apiserver-kubelet-client', 'system:kubelet-api-admin', {
    kind: 'User',
    name: 'kube-apiserver-kubelet-client',
  }),
];
/** Bindings that must exist before a Machine of this version joins. */
export const bindingsFor = (version: string) => (isAtLeastMinor(version, 38) ? [] : bindings);

/**
 * What must change in the workload cluster before a Machine of the new version joins; undefined if
 * nothing has to.
 */
const preparations = (controlPlane: ControlPlane, now: number): Plan | undefined => {
  const { kcp, kubeconfig, live } = controlPlane;
  const access = accessOf({ kubeconfig });
  const configMap = live.kubeadmConfig && found(live.kubeadmConfig);
  if (!access || !configMap || !kcp.spec) return { requeueAfter: workloadRetry };
  const states = (live.bindings ?? []).map(({ state }) => state);
  if (states.some((state) => state === 'unreadable' || state === 'unread')) return { requeueAfter: workloadRetry };
  // A rollback restores the noted ConfigMap as it was.
  const isRestored = controlPlane.admission.state === 'RolledBack' && isNoted(controlPlane);
  const update = isRestored ? [] : updateKubeadmConfig(access, configMap, kcp.spec);
  const note = update.length > 0 ? noteBefore(controlPlane, configMap, now) : undefined;
  const missing = bindings.filter((_, index) => states[index] === 'absent');
  const actions = [...missing.map((object) => callWorkload('create', { kubeconfig: access, object })), ...update];
  return actions.length > 0 ? { ...(note && { intent: note }), actions, again: true } : undefined;
};

const surgeOf = ({ kcp }: ControlPlane): number => Number(kcp.spec?.rollout?.strategy?.rollingUpdate?.maxSurge ?? 1);

/** As many Machines have the new revision as the upgrade admits for now. */
const isAtLimit = ({ members, admission }: ControlPlane): boolean =>
  admission.state === 'Admitted' &&
  members.filter((member) => isUpToDate(member) && !isGoing(member)).length >= admission.most;

/** The next step of a rollout; undefined if there is none. */
export const rollOut = (controlPlane: ControlPlane, context: Context): Plan | undefined => {
  const { members, admission } = controlPlane;
  if (!needsRollout(controlPlane) || !isInitialized(controlPlane) || admission.state === 'Waiting') return undefined;
  const prepared = preparations(controlPlane, context.now);
  if (prepared) return prepared;
  const desired = desiredReplicas(controlPlane);
  if (isAtLimit(controlPlane)) return members.length > desired ? scaleDown(controlPlane) : undefined;
  return members.length < desired + surgeOf(controlPlane) ? scaleUp(controlPlane, context) : scaleDown(controlPlane);
};

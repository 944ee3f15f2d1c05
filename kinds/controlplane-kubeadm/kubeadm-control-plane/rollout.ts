/** Replaces outdated Machines, within the maximum surge. Pure. */
import { type Context, found } from '../../../machinery/api/reconcile.ts';
import { isAtLeastMinor } from '../../common/kubernetes-version.ts';
import { callWorkload } from '../../ports/index.ts';
import {
  accessOf,
  type ControlPlane,
  desiredReplicas,
  isGoing,
  isInitialized,
  isUpToDate,
  type Live,
  needsRollout,
} from './control-plane.ts';
import { kubeadmConfigFault, updateKubeadmConfig } from './kubeadm-config-map.ts';
import { isNoted, noteBefore } from './kubeadm-config-note.ts';
import { mostMembers, scaleDown, scaleUp, surgeOf } from './scale.ts';
import { type StepPlan, waitFor } from './step.ts';

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

const bindingsUnread = ({ bindings: reads = [] }: Live): string | undefined => {
  const at = reads.findIndex(({ state }) => state !== 'found' && state !== 'absent');
  const read = reads[at];
  const why = read?.state === 'unreadable' ? read.reason : 'not read yet';
  return read && `ClusterRoleBinding ${bindings[at]?.metadata.name} of the workload cluster could not be read: ${why}`;
};

const isFull = (controlPlane: ControlPlane): boolean =>
  controlPlane.members.length >= desiredReplicas(controlPlane) + surgeOf(controlPlane);

/** The next step of a rollback only deletes a Machine, so that none has to join for it. */
const isRemoval = (controlPlane: ControlPlane): boolean =>
  controlPlane.admission.state === 'RolledBack' && isFull(controlPlane);

/**
 * What must change in the workload cluster before a Machine of the new version joins; undefined if
 * nothing has to.
 */
const preparations = (controlPlane: ControlPlane, now: number): StepPlan | undefined => {
  const { kcp, cluster, kubeconfig, live } = controlPlane;
  const access = accessOf({ kubeconfig });
  if (!access) return waitFor(`The Secret ${cluster.metadata.name}-kubeconfig does not exist`, workloadRetry);
  const fault = kubeadmConfigFault(controlPlane);
  const configMap = live.kubeadmConfig && found(live.kubeadmConfig);
  if (fault !== undefined && isRemoval(controlPlane)) return undefined;
  if (fault !== undefined || !configMap || !kcp.spec) return waitFor(fault ?? '', workloadRetry);
  const unread = bindingsUnread(live);
  if (unread !== undefined) return waitFor(unread, workloadRetry);
  // A rollback restores the noted ConfigMap as it was.
  const isRestored = controlPlane.admission.state === 'RolledBack' && isNoted(controlPlane);
  const update = isRestored ? [] : updateKubeadmConfig(access, configMap, kcp.spec);
  const note = update.length > 0 ? noteBefore(controlPlane, configMap, now) : undefined;
  const missing = bindings.filter((_, index) => live.bindings?.[index]?.state === 'absent');
  const actions = [...missing.map((object) => callWorkload('create', { kubeconfig: access, object })), ...update];
  return actions.length > 0 ? { ...(note && { intent: note }), actions, again: true } : undefined;
};

/** As many Machines have the new revision as the upgrade admits for now. */
const isAtLimit = ({ members, admission }: ControlPlane): boolean =>
  admission.state === 'Admitted' &&
  members.filter((member) => isUpToDate(member) && !isGoing(member)).length >= admission.most;

/** The next step of a rollout; undefined if there is none. */
export const rollOut = (controlPlane: ControlPlane, context: Context): StepPlan | undefined => {
  const { members, admission } = controlPlane;
  if (!needsRollout(controlPlane) || !isInitialized(controlPlane) || admission.state === 'Waiting') return undefined;
  const prepared = preparations(controlPlane, context.now);
  if (prepared) return prepared;
  if (isAtLimit(controlPlane)) return members.length > mostMembers(controlPlane) ? scaleDown(controlPlane) : undefined;
  return isFull(controlPlane) ? scaleDown(controlPlane) : scaleUp(controlPlane, context);
};

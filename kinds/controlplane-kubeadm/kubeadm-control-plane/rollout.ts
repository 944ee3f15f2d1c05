/** Replaces outdated Machines, within the maximum surge. Pure. */
import { type Action, type Context, found, type Plan } from '../../../machinery/api/reconcile.ts';
import { isAtLeastMinor } from '../../common/kubernetes-version.ts';
import { callWorkload } from '../../ports/index.ts';
import { accessOf, type ControlPlane, desiredReplicas, isGoing, isInitialized, isUpToDate } from './control-plane.ts';
import { updateKubeadmConfig } from './kubeadm-config-map.ts';
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
 * What must change in the workload cluster before a Machine of the new version joins; undefined
 * while that is unknown.
 */
const preparations = ({ kcp, kubeconfig, live }: ControlPlane): Action[] | undefined => {
  const access = accessOf({ kubeconfig });
  const configMap = live.kubeadmConfig && found(live.kubeadmConfig);
  if (!access || !configMap || !kcp.spec) return undefined;
  const states = (live.bindings ?? []).map(({ state }) => state);
  if (states.some((state) => state === 'unreadable' || state === 'unread')) return undefined;
  const missing = bindings.filter((_, index) => states[index] === 'absent');
  return [
    ...missing.map((object) => callWorkload('create', { kubeconfig: access, object })),
    ...updateKubeadmConfig(access, configMap, kcp.spec),
  ];
};

const surgeOf = ({ kcp }: ControlPlane): number => Number(kcp.spec?.rollout?.strategy?.rollingUpdate?.maxSurge ?? 1);

export const needsRollout = ({ members }: Pick<ControlPlane, 'members'>): boolean =>
  members.some((member) => !isUpToDate(member) && !isGoing(member));

/** The next step of a rollout; undefined if all Machines are up to date. */
export const rollOut = (controlPlane: ControlPlane, context: Context): Plan | undefined => {
  if (!needsRollout(controlPlane) || !isInitialized(controlPlane)) return undefined;
  const prepared = preparations(controlPlane);
  if (!prepared) return { requeueAfter: workloadRetry };
  if (prepared.length > 0) return { actions: prepared, again: true };
  const most = desiredReplicas(controlPlane) + surgeOf(controlPlane);
  return controlPlane.members.length < most ? scaleUp(controlPlane, context) : scaleDown(controlPlane);
};

/** Replaces machines that are not what the control plane wants, within its surge. Pure. */
import { type Action, type Context, found, type Plan } from '../../machinery/api/reconcile.ts';
import { isAtLeastMinor } from '../kubeadm-config/kubernetes-version.ts';
import { callWorkload } from '../ports/index.ts';
import { accessOf, type ControlPlane, desiredReplicas, isGoing, isInitialized, isUpToDate } from './control-plane.ts';
import { updateKubeadmConfig } from './kubeadm-config-map.ts';
import { scaleDown, scaleUp } from './scale.ts';

/** Seconds. */
const workloadRetry = 15;

const bindingName = 'kubeadm:apiserver-kubelet-client';
// API servers reach kubelets as this user; kubeadm from 1.37 on no longer puts it into an almighty group.
const kubeletClientBinding = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: bindingName },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:kubelet-api-admin' },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'kube-apiserver-kubelet-client' }],
};
export const kubeletClientBindingReference = {
  apiVersion: kubeletClientBinding.apiVersion,
  kind: kubeletClientBinding.kind,
  name: bindingName,
};
export const needsKubeletClientBinding = (version: string): boolean => !isAtLeastMinor(version, 38);

/** What must be so in the cluster before a machine of the new kind joins; undefined when it cannot be told. */
const preparations = ({ kcp, kubeconfig, live }: ControlPlane): Action[] | undefined => {
  const access = accessOf({ kubeconfig });
  const configMap = live.kubeadmConfig && found(live.kubeadmConfig);
  const binding = live.kubeletClientBinding;
  if (!access || !configMap || !kcp.spec) return undefined;
  if (binding?.state === 'unreadable' || binding?.state === 'unread') return undefined;
  const bind =
    binding?.state === 'absent' ? [callWorkload('create', { kubeconfig: access, object: kubeletClientBinding })] : [];
  return [...bind, ...updateKubeadmConfig(access, configMap, kcp.spec)];
};

const surgeOf = ({ kcp }: ControlPlane): number => Number(kcp.spec?.rollout?.strategy?.rollingUpdate?.maxSurge ?? 1);

export const needsRollout = ({ members }: Pick<ControlPlane, 'members'>): boolean =>
  members.some((member) => !isUpToDate(member) && !isGoing(member));

/** The next step of a rollout; undefined when everything is up to date. */
export const rollOut = (controlPlane: ControlPlane, context: Context): Plan | undefined => {
  if (!needsRollout(controlPlane) || !isInitialized(controlPlane)) return undefined;
  const prepared = preparations(controlPlane);
  if (!prepared) return { requeueAfter: workloadRetry };
  if (prepared.length > 0) return { actions: prepared, again: true };
  const most = desiredReplicas(controlPlane) + surgeOf(controlPlane);
  return controlPlane.members.length < most ? scaleUp(controlPlane, context) : scaleDown(controlPlane);
};

/** Whether new hosts can join by kubeadm. Pure. */
import { expectedConfiguration, faultOfKubeadmConfig, kubeadmConfigMap } from '../../../common/kubeadm-config-map.ts';
import { ofWorkload } from './facts.ts';

export const checkKubeadmConfig = ofWorkload(({ kubeadmConfigs }, { cluster, controlPlane }) => {
  if (controlPlane?.kind !== 'KubeadmControlPlane') return [];
  const fault = faultOfKubeadmConfig(kubeadmConfigs[0], expectedConfiguration(cluster, controlPlane));
  if (fault === undefined) return [];
  return [
    {
      code: 'KubeadmConfigUnusable',
      level: 'Refuse',
      object: `ConfigMap ${kubeadmConfigMap.namespace}/${kubeadmConfigMap.name}`,
      message: `It ${fault}`,
      remedy:
        'Restore it from a backup, or on a control-plane host: kubeadm init phase upload-config kubeadm --config FILE',
    },
  ];
});

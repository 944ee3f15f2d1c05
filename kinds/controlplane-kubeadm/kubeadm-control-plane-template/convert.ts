import { timeouts } from '../../bootstrap-kubeadm/kubeadm-config/convert.ts';
import { conversion, inside, versionOf } from '../../common/conversion.ts';
import { specRules } from '../kubeadm-control-plane/convert.ts';
import { kubeadmControlPlaneTemplateSpec, kubeadmControlPlaneTemplateSpecV1beta1 } from './schema.ts';

const group = 'controlplane.cluster.x-k8s.io';
export const kubeadmControlPlaneTemplateConversion = conversion(
  versionOf(`${group}/v1beta1`, { spec: kubeadmControlPlaneTemplateSpecV1beta1 }),
  versionOf(`${group}/v1beta2`, { spec: kubeadmControlPlaneTemplateSpec }),
  [inside('spec.template.spec', specRules)],
  timeouts,
);

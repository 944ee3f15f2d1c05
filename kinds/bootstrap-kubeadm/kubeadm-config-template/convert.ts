import { change, conversion, versionOf } from '../../common/conversion.ts';
import { specValue, timeouts } from '../kubeadm-config/convert.ts';
import { kubeadmConfigTemplateSpec, kubeadmConfigTemplateSpecV1beta1 } from './schema.ts';

const group = 'bootstrap.cluster.x-k8s.io';
export const kubeadmConfigTemplateConversion = conversion(
  versionOf(`${group}/v1beta1`, { spec: kubeadmConfigTemplateSpecV1beta1 }),
  versionOf(`${group}/v1beta2`, { spec: kubeadmConfigTemplateSpec }),
  [change('spec.template.spec', specValue)],
  timeouts,
);

import { type Infer, object, required } from '../../../machinery/api/schema.ts';
import { templateMetadata } from '../../common/schema.ts';
import { kubeadmConfigSpec } from '../kubeadm-config/schema.ts';
import { kubeadmConfigSpec as kubeadmConfigSpecV1beta1 } from '../kubeadm-config/schema-v1beta1.ts';

export const kubeadmConfigTemplateSpec = object('What configs are made from.', {
  template: required(
    object(
      'The config to copy.',
      {
        metadata: templateMetadata('v1beta2', 'Labels and annotations of each copy.'),
        spec: kubeadmConfigSpec,
      },
      { minProperties: 1 },
    ),
  ),
});
export type KubeadmConfigTemplateSpec = Infer<typeof kubeadmConfigTemplateSpec>;

export const kubeadmConfigTemplateSpecV1beta1 = object('What configs are made from.', {
  template: required(
    object('The config to copy.', {
      metadata: templateMetadata('v1beta1', 'Labels and annotations of each copy.'),
      spec: kubeadmConfigSpecV1beta1,
    }),
  ),
});
export type KubeadmConfigTemplateSpecV1beta1 = Infer<typeof kubeadmConfigTemplateSpecV1beta1>;

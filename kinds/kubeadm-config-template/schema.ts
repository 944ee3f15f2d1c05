import { type Infer, object, required, stringMap } from '../../machinery/api/schema.ts';
import { kubeadmConfigSpec } from '../kubeadm-config/schema.ts';
import { kubeadmConfigSpec as kubeadmConfigSpecV1beta1 } from '../kubeadm-config/schema-v1beta1.ts';

const metadata = {
  annotations: stringMap('Annotations of the configs made from this template.'),
  labels: stringMap('Labels of the configs made from this template.'),
};

export const kubeadmConfigTemplateSpec = object('What configs are made from.', {
  template: required(
    object(
      'The config to copy.',
      {
        metadata: object('Labels and annotations of each copy.', metadata, { minProperties: 1 }),
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
      metadata: object('Labels and annotations of each copy.', metadata),
      spec: kubeadmConfigSpecV1beta1,
    }),
  ),
});
export type KubeadmConfigTemplateSpecV1beta1 = Infer<typeof kubeadmConfigTemplateSpecV1beta1>;

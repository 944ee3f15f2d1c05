import type { KubeObject } from '../../machinery/api/object.ts';
import { age, column, contractLabels, defineKind } from '../define.ts';
import {
  type KubeadmConfigTemplateSpec,
  kubeadmConfigTemplateSpec,
  kubeadmConfigTemplateSpecV1beta1,
} from './schema.ts';

export type KubeadmConfigTemplate = KubeObject<KubeadmConfigTemplateSpec>;

const description = 'KubeadmConfigTemplate is what the KubeadmConfigs of a set of machines are made from.';

export const kubeadmConfigTemplate = defineKind({
  group: 'bootstrap.cluster.x-k8s.io',
  kind: 'KubeadmConfigTemplate',
  plural: 'kubeadmconfigtemplates',
  shortNames: [],
  crdLabels: contractLabels('bootstrap-kubeadm', { v1beta1: 'v1beta1', v1beta2: 'v1beta2' }),
  versions: [
    {
      name: 'v1beta2',
      served: true,
      storage: true,
      description,
      spec: kubeadmConfigTemplateSpec,
      columns: [
        column(
          'ClusterClass',
          'string',
          '.metadata.ownerReferences[?(@.kind=="ClusterClass")].name',
          'The ClusterClass that uses it.',
        ),
        column(
          'Cluster',
          'string',
          '.metadata.ownerReferences[?(@.kind=="Cluster")].name',
          'The Cluster that uses it.',
        ),
        age,
      ],
    },
    {
      name: 'v1beta1',
      served: true,
      deprecated: true,
      description,
      spec: kubeadmConfigTemplateSpecV1beta1,
      columns: [age],
    },
  ],
});

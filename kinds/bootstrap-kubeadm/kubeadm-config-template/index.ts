import type { KubeObject } from '../../../machinery/api/object.ts';
import { validateTemplateMetadata } from '../../common/validate.ts';
import { supersededBy } from '../../common/versions.ts';
import { age, column, contractLabels, defineKind } from '../../define.ts';
import { warnUnheeded } from '../kubeadm-config/not-acted-on.ts';
import { validateKubeadmConfigSpec, validateSpecDurations } from '../kubeadm-config/validate.ts';
import { kubeadmConfigTemplateConversion } from './convert.ts';
import { kubeadmConfigTemplate as facts } from './kind.ts';
import {
  type KubeadmConfigTemplateSpec,
  kubeadmConfigTemplateSpec,
  kubeadmConfigTemplateSpecV1beta1,
} from './schema.ts';

export type KubeadmConfigTemplate = KubeObject<KubeadmConfigTemplateSpec>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    KubeadmConfigTemplate: KubeadmConfigTemplate;
  }
}

const description = 'KubeadmConfigTemplate is what the KubeadmConfigs of a set of machines are made from.';

export const kubeadmConfigTemplate = defineKind({
  ...facts,
  shortNames: [],
  crdLabels: contractLabels('bootstrap-kubeadm', { v1beta1: 'v1beta1', v1beta2: 'v1beta2' }),
  warn: warnUnheeded,
  validate: ({ spec }, { operation }) => {
    const template = (spec as KubeadmConfigTemplateSpec | undefined)?.template;
    if (!template || operation === 'delete') return [];
    return [
      ...(template.spec ? validateKubeadmConfigSpec(template.spec, 'spec.template.spec') : []),
      ...validateTemplateMetadata('spec.template.metadata', template.metadata),
    ];
  },
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
      ...supersededBy(facts, 'v1beta1', 'v1beta2'),
      ...kubeadmConfigTemplateConversion,
      validate: validateSpecDurations('spec.template.spec'),
      description,
      spec: kubeadmConfigTemplateSpecV1beta1,
      columns: [age],
    },
  ],
});

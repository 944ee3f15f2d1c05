import { warnUnheeded } from '../../bootstrap-kubeadm/kubeadm-config/not-acted-on.ts';
import { supersededBy } from '../../common/versions.ts';
import { age, column, contractLabels, defineKind } from '../../define.ts';
import { kubeadmControlPlaneTemplateConversion } from './convert.ts';
import { kubeadmControlPlaneTemplate as facts } from './kind.ts';
import { kubeadmControlPlaneTemplateSpec, kubeadmControlPlaneTemplateSpecV1beta1 } from './schema.ts';
import { validateKubeadmControlPlaneTemplate, validateV1beta1 } from './validate.ts';

export type * from './schema.ts';

const description = 'KubeadmControlPlaneTemplate is what the control planes of a ClusterClass are made from.';

export const kubeadmControlPlaneTemplate = defineKind({
  ...facts,
  shortNames: [],
  crdLabels: contractLabels('control-plane-kubeadm', { v1beta1: 'v1beta1', v1beta2: 'v1beta2' }),
  warn: warnUnheeded,
  validate: validateKubeadmControlPlaneTemplate,
  versions: [
    {
      name: 'v1beta2',
      served: true,
      storage: true,
      description,
      spec: kubeadmControlPlaneTemplateSpec,
      columns: [
        column(
          'ClusterClass',
          'string',
          '.metadata.ownerReferences[?(@.kind=="ClusterClass")].name',
          'The ClusterClass that uses it.',
        ),
        age,
      ],
    },
    {
      name: 'v1beta1',
      served: true,
      ...supersededBy(facts, 'v1beta1', 'v1beta2'),
      ...kubeadmControlPlaneTemplateConversion,
      validate: validateV1beta1,
      description,
      spec: kubeadmControlPlaneTemplateSpecV1beta1,
      columns: [age],
    },
  ],
});

import type { KubeObject } from '../../../machinery/api/object.ts';
import { filledAnnotation } from '../../common/filled.ts';
import { supersededBy } from '../../common/versions.ts';
import { age, column, contractLabels, defineKind } from '../../define.ts';
import { kubeadmConfigConversion } from './convert.ts';
import { kubeadmConfig as facts } from './kind.ts';
import { warnUnheeded } from './not-acted-on.ts';
import { restoreAnnotation } from './restore.ts';
import { type KubeadmConfigSpec, type KubeadmConfigStatus, kubeadmConfigSpec, kubeadmConfigStatus } from './schema.ts';
import * as v1beta1 from './schema-v1beta1.ts';
import { validateKubeadmConfigSpec, validateSpecDurations } from './validate.ts';

export type KubeadmConfig = KubeObject<KubeadmConfigSpec, KubeadmConfigStatus>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    KubeadmConfig: KubeadmConfig;
  }
}
export type { KubeadmConfigSpec, KubeadmConfigStatus };

const cluster = column(
  'Cluster',
  'string',
  ".metadata.labels['cluster\\.x-k8s\\.io/cluster-name']",
  'The cluster it belongs to.',
);

const description =
  'KubeadmConfig is the bootstrap configuration of one machine: what kubeadm and cloud-init shall do there.';

export const kubeadmConfig = defineKind({
  ...facts,
  shortNames: [],
  crdLabels: contractLabels('bootstrap-kubeadm', { v1beta1: 'v1beta1', v1beta2: 'v1beta2' }),
  reservedAnnotations: [filledAnnotation, restoreAnnotation],
  warn: warnUnheeded,
  validate: ({ spec }, { operation, subresource }) =>
    spec && operation !== 'delete' && subresource !== 'status'
      ? validateKubeadmConfigSpec(spec as KubeadmConfigSpec, 'spec')
      : [],
  versions: [
    {
      name: 'v1beta2',
      served: true,
      storage: true,
      description,
      spec: kubeadmConfigSpec,
      status: kubeadmConfigStatus,
      columns: [
        cluster,
        column('Paused', 'string', '.status.conditions[?(@.type=="Paused")].status', 'Whether it is paused.', 10),
        column(
          'Data secret created',
          'string',
          '.status.initialization.dataSecretCreated',
          'Whether its user data was made.',
        ),
        age,
      ],
    },
    {
      name: 'v1beta1',
      served: true,
      ...supersededBy(facts, 'v1beta1', 'v1beta2'),
      ...kubeadmConfigConversion,
      validate: validateSpecDurations('spec'),
      description,
      spec: v1beta1.kubeadmConfigSpec,
      status: v1beta1.kubeadmConfigStatus,
      columns: [cluster, age],
    },
  ],
});

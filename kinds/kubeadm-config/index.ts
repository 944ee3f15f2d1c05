import type { KubeObject } from '../../machinery/api/object.ts';
import { age, column, contractLabels, defineKind } from '../define.ts';
import { type KubeadmConfigSpec, type KubeadmConfigStatus, kubeadmConfigSpec, kubeadmConfigStatus } from './schema.ts';
import * as v1beta1 from './schema-v1beta1.ts';

export type KubeadmConfig = KubeObject<KubeadmConfigSpec, KubeadmConfigStatus>;
export type { KubeadmConfigSpec, KubeadmConfigStatus };

const cluster = column(
  'Cluster',
  'string',
  ".metadata.labels['cluster\\.x-k8s\\.io/cluster-name']",
  'The cluster it belongs to.',
);

export const kubeadmConfig = defineKind({
  group: 'bootstrap.cluster.x-k8s.io',
  kind: 'KubeadmConfig',
  plural: 'kubeadmconfigs',
  shortNames: [],
  crdLabels: contractLabels('bootstrap-kubeadm', { v1beta1: 'v1beta1', v1beta2: 'v1beta2' }),
  versions: [
    {
      name: 'v1beta2',
      served: true,
      storage: true,
      description:
        'KubeadmConfig is the bootstrap configuration of one machine: what kubeadm and cloud-init shall do there.',
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
      deprecated: true,
      description:
        'KubeadmConfig is the bootstrap configuration of one machine: what kubeadm and cloud-init shall do there.',
      spec: v1beta1.kubeadmConfigSpec,
      status: v1beta1.kubeadmConfigStatus,
      columns: [cluster, age],
    },
  ],
});

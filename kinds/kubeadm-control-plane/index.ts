import type { KubeObject } from '../../machinery/api/object.ts';
import { contractLabels, defineKind } from '../define.ts';
import { columns, columnsV1beta1 } from './columns.ts';
import {
  type KubeadmControlPlaneSpec,
  type KubeadmControlPlaneStatus,
  kubeadmControlPlaneSpec,
  kubeadmControlPlaneStatus,
} from './schema.ts';
import * as v1beta1 from './schema-v1beta1.ts';

export type KubeadmControlPlane = KubeObject<KubeadmControlPlaneSpec, KubeadmControlPlaneStatus>;
export type { KubeadmControlPlaneSpec, KubeadmControlPlaneStatus };

const description = 'KubeadmControlPlane is the control plane of a cluster: a number of machines that kubeadm sets up.';
const scale = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.selector',
};

export const kubeadmControlPlane = defineKind({
  group: 'controlplane.cluster.x-k8s.io',
  kind: 'KubeadmControlPlane',
  plural: 'kubeadmcontrolplanes',
  shortNames: ['kcp'],
  crdLabels: contractLabels('control-plane-kubeadm', { v1beta1: 'v1beta1', v1beta2: 'v1beta2' }),
  versions: [
    {
      name: 'v1beta2',
      served: true,
      storage: true,
      description,
      spec: kubeadmControlPlaneSpec,
      specRequired: true,
      status: kubeadmControlPlaneStatus,
      columns,
      scale,
    },
    {
      name: 'v1beta1',
      served: true,
      deprecated: true,
      description,
      spec: v1beta1.kubeadmControlPlaneSpec,
      status: v1beta1.kubeadmControlPlaneStatus,
      columns: columnsV1beta1,
      scale,
    },
  ],
});

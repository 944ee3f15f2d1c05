import type { KubeObject } from '../../../machinery/api/object.ts';
import { warnUnheeded } from '../../bootstrap-kubeadm/kubeadm-config/not-acted-on.ts';
import { scaleOfReplicas, supersededBy } from '../../common/versions.ts';
import { contractLabels, defineKind } from '../../define.ts';
import { columns, columnsV1beta1 } from './columns.ts';
import { kubeadmControlPlaneConversion } from './convert.ts';
import { defaultKubeadmControlPlane } from './defaults.ts';
import { kubeadmControlPlane as facts } from './kind.ts';
import { annotations } from './names.ts';
import {
  type KubeadmControlPlaneSpec,
  type KubeadmControlPlaneStatus,
  kubeadmControlPlaneSpec,
  kubeadmControlPlaneStatus,
} from './schema.ts';
import * as v1beta1 from './schema-v1beta1.ts';
import { validateKubeadmControlPlane, validateV1beta1 } from './validate.ts';

export type KubeadmControlPlane = KubeObject<KubeadmControlPlaneSpec, KubeadmControlPlaneStatus>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    KubeadmControlPlane: KubeadmControlPlane;
  }
}
export type { KubeadmControlPlaneSpec, KubeadmControlPlaneStatus };

const description = 'KubeadmControlPlane is the control plane of a cluster: a number of machines that kubeadm sets up.';

export const kubeadmControlPlane = defineKind({
  ...facts,
  shortNames: ['kcp'],
  crdLabels: contractLabels('control-plane-kubeadm', { v1beta1: 'v1beta1', v1beta2: 'v1beta2' }),
  default: defaultKubeadmControlPlane,
  warn: warnUnheeded,
  validate: validateKubeadmControlPlane,
  reservedAnnotations: [annotations.creating, annotations.kubeadmConfigBefore],
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
      scale: scaleOfReplicas,
    },
    {
      name: 'v1beta1',
      served: true,
      ...supersededBy(facts, 'v1beta1', 'v1beta2'),
      ...kubeadmControlPlaneConversion,
      validate: validateV1beta1,
      description,
      spec: v1beta1.kubeadmControlPlaneSpec,
      status: v1beta1.kubeadmControlPlaneStatus,
      columns: columnsV1beta1,
      scale: scaleOfReplicas,
    },
  ],
});

import type { KubeObject } from '../../machinery/api/object.ts';
import { contractLabels, defineKind } from '../define.ts';
import { type AWSClusterControllerIdentitySpec, spec } from './schema.ts';

export type AWSClusterControllerIdentity = KubeObject<AWSClusterControllerIdentitySpec>;

export const awsClusterControllerIdentity = defineKind({
  group: 'infrastructure.cluster.x-k8s.io',
  kind: 'AWSClusterControllerIdentity',
  plural: 'awsclustercontrolleridentities',
  shortNames: ['awsci'],
  namespaced: false,
  crdLabels: contractLabels('infrastructure-aws', { v1beta1: 'v1beta1_v1beta2' }, 'move-hierarchy'),
  versions: [
    {
      name: 'v1beta2',
      served: true,
      storage: true,
      description: 'Lets namespaces use the identity that the control plane itself runs with.',
      spec,
      columns: [],
    },
  ],
});

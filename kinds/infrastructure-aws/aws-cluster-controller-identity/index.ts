import { contractLabels, defineKind } from '../../define.ts';
import { awsClusterControllerIdentity as facts } from './kind.ts';
import { type AWSClusterControllerIdentity, spec } from './schema.ts';
import { defaultName, validate } from './validate.ts';

export type * from './schema.ts';

// clusterctl moves objects with this label together with the clusters.
const moveHierarchy = 'clusterctl.cluster.x-k8s.io/move-hierarchy';

/**
 * The identity that the API server creates. Every namespace may use it until a user restricts it.
 */
export const defaultIdentity: AWSClusterControllerIdentity = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'AWSClusterControllerIdentity',
  metadata: { name: defaultName, labels: { [moveHierarchy]: '' } },
  spec: { allowedNamespaces: {} },
};

export const awsClusterControllerIdentity = defineKind({
  ...facts,
  shortNames: ['awsci'],
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
  default: (object) => ({
    ...object,
    metadata: { ...object.metadata, labels: { ...object.metadata.labels, [moveHierarchy]: '' } },
  }),
  validate: (object, admission) => validate(object as AWSClusterControllerIdentity, admission),
});

import { contractLabels, defineKind } from '../../define.ts';
import { awsClusterRoleIdentity as facts } from './kind.ts';
import { type AWSClusterRoleIdentity, spec } from './schema.ts';
import { validate } from './validate.ts';

export type * from './schema.ts';

// clusterctl moves objects with this label together with the clusters.
const moveHierarchy = 'clusterctl.cluster.x-k8s.io/move-hierarchy';

export const awsClusterRoleIdentity = defineKind({
  ...facts,
  shortNames: ['awsri'],
  crdLabels: contractLabels('infrastructure-aws', { v1beta1: 'v1beta1_v1beta2' }, 'move-hierarchy'),
  versions: [
    {
      name: 'v1beta2',
      served: true,
      storage: true,
      description: 'A role, perhaps of another account, that is assumed to call AWS for clusters.',
      spec,
      columns: [],
    },
  ],
  default: (object) => ({
    ...object,
    metadata: { ...object.metadata, labels: { ...object.metadata.labels, [moveHierarchy]: '' } },
  }),
  validate: (object, admission) => validate(object as AWSClusterRoleIdentity, admission),
});

import { age, contractLabels, defineKind } from '../../define.ts';
import { pointers } from '../pointers.ts';
import { withDefaults } from './defaults.ts';
import { awsClusterTemplate as facts } from './kind.ts';
import { type AWSClusterTemplate, spec } from './schema.ts';
import { validate } from './validate.ts';

export type * from './schema.ts';

export const awsClusterTemplate = defineKind({
  ...facts,
  shortNames: ['awsct'],
  crdLabels: contractLabels('infrastructure-aws', { v1beta1: 'v1beta1_v1beta2' }),
  versions: [
    {
      name: 'v1beta2',
      served: true,
      storage: true,
      description: 'What the AWSClusters of a ClusterClass are made from.',
      spec,
      columns: [age],
    },
  ],
  default: (object) => withDefaults(object as AWSClusterTemplate),
  pointers: pointers.AWSCluster.map((path) => `template.spec.${path}`),
  validate: (object, admission) => validate(object as AWSClusterTemplate, admission),
});

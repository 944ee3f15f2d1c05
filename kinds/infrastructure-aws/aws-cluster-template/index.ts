import { age, contractLabels, defineKind } from '../../define.ts';
import { defaultedSpec } from '../aws-cluster/defaults.ts';
import { pointers } from '../pointers.ts';
import { awsClusterTemplate as facts } from './kind.ts';
import { type AWSClusterTemplate, spec } from './schema.ts';
import { validate } from './validate.ts';

export type * from './schema.ts';

const withDefaults = (object: AWSClusterTemplate): AWSClusterTemplate => {
  const template = object.spec?.template;
  if (!template?.spec) return object;
  return { ...object, spec: { ...object.spec, template: { ...template, spec: defaultedSpec(template.spec) } } };
};

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

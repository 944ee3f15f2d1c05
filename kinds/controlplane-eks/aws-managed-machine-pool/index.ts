import { filledAnnotation, keepingFilled } from '../../common/filled.ts';
import { column, contractLabels, defineKind } from '../../define.ts';
import { withDefaults } from './defaults.ts';
import { awsManagedMachinePool as facts } from './kind.ts';
import { nodegroupAnnotation } from './note.ts';
import { type AWSManagedMachinePool, spec, status } from './schema.ts';
import { validate } from './validate.ts';

export type * from './schema.ts';

export const awsManagedMachinePool = defineKind({
  ...facts,
  shortNames: ['awsmmp'],
  crdLabels: contractLabels('infrastructure-aws', { v1beta1: 'v1beta1_v1beta2' }),
  versions: [
    {
      name: 'v1beta2',
      served: true,
      storage: true,
      description: 'Workers that EKS keeps as a node group.',
      spec,
      status,
      columns: [
        column('Ready', 'string', '.status.ready', 'Whether the node group is there.'),
        column('Replicas', 'integer', '.status.replicas', 'Instances that exist.'),
      ],
    },
  ],
  reservedAnnotations: [filledAnnotation, nodegroupAnnotation],
  default: (object, admission) =>
    withDefaults(keepingFilled(object as AWSManagedMachinePool, admission, 'providerIDList')),
  validate: (object, admission) => validate(object as AWSManagedMachinePool, admission),
});

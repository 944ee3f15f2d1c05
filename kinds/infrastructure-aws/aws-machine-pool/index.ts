import { column, contractLabels, defineKind } from '../../define.ts';
import { warnUnheeded } from '../not-acted-on.ts';
import { pointers } from '../pointers.ts';
import { withDefaults } from './defaults.ts';
import { awsMachinePool as facts } from './kind.ts';
import { poolAnnotation, storedDataAnnotation } from './note.ts';
import { type AWSMachinePool, spec, status } from './schema.ts';
import { validate } from './validate.ts';

export type * from './schema.ts';

export const awsMachinePool = defineKind({
  ...facts,
  shortNames: ['awsmp'],
  crdLabels: contractLabels('infrastructure-aws', { v1beta1: 'v1beta1_v1beta2' }),
  versions: [
    {
      name: 'v1beta2',
      served: true,
      storage: true,
      description: 'An Auto Scaling group whose instances are, or become, nodes.',
      spec,
      status,
      columns: [
        column('Ready', 'string', '.status.ready', 'Whether the group exists.'),
        column('Replicas', 'integer', '.status.replicas', 'Its instances.'),
        column('MinSize', 'integer', '.spec.minSize', 'Fewest instances.'),
        column('MaxSize', 'integer', '.spec.maxSize', 'Most instances.'),
        column('LaunchTemplate ID', 'string', '.status.launchTemplateID', 'What its instances are launched with.'),
      ],
    },
  ],
  reservedAnnotations: [poolAnnotation, storedDataAnnotation],
  default: (object) => withDefaults(object as AWSMachinePool),
  pointers: pointers.AWSMachinePool,
  validate: (object, admission) => validate(object as AWSMachinePool, admission),
  warn: warnUnheeded,
});

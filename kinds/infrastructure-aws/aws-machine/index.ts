import { pendingAnnotation } from '../../core/contract/infrastructure.ts';
import { interruptionAnnotation } from '../../core/contract/interruption.ts';
import { launchAnnotation } from '../../core/contract/launch.ts';
import { togetherAnnotation } from '../../core/contract/together.ts';
import { column, contractLabels, defineKind } from '../../define.ts';
import { warnUnheeded } from '../not-acted-on.ts';
import { pointers } from '../pointers.ts';
import { cancelledAnnotation, readyAnnotation } from './batch.ts';
import { withDefaults, withFinalizer } from './defaults.ts';
import { awsMachine as facts } from './kind.ts';
import { type AWSMachine, spec, status } from './schema.ts';
import { validate } from './validate.ts';

export type * from './schema.ts';

export const awsMachine = defineKind({
  ...facts,
  shortNames: ['awsm'],
  crdLabels: contractLabels('infrastructure-aws', { v1beta1: 'v1beta1_v1beta2' }),
  versions: [
    {
      name: 'v1beta2',
      served: true,
      storage: true,
      description: 'An EC2 instance that is, or becomes, a node.',
      spec,
      status,
      columns: [
        column('Cluster', 'string', '.metadata.labels.cluster\\.x-k8s\\.io/cluster-name', 'The cluster it belongs to.'),
        column('State', 'string', '.status.instanceState', 'State of the instance.'),
        column('Ready', 'string', '.status.ready', 'Whether the instance runs.'),
        column('InstanceID', 'string', '.spec.providerID', 'The instance.'),
        column(
          'Machine',
          'string',
          '.metadata.ownerReferences[?(@.kind=="Machine")].name',
          'The Machine it belongs to.',
        ),
      ],
    },
  ],
  reservedAnnotations: [
    launchAnnotation,
    pendingAnnotation,
    interruptionAnnotation,
    togetherAnnotation,
    readyAnnotation,
    cancelledAnnotation,
  ],
  default: (object, { operation, byController }) => {
    const machine = withDefaults(object as AWSMachine);
    return operation === 'create' && byController ? withFinalizer(machine) : machine;
  },
  pointers: pointers.AWSMachine,
  validate: (object, admission) => validate(object as AWSMachine, admission),
  warn: warnUnheeded,
});

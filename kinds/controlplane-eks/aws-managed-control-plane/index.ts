import { filledAnnotation, keepingFilled } from '../../common/filled.ts';
import { column, contractLabels, defineKind } from '../../define.ts';
import { withDefaults } from './defaults.ts';
import { awsManagedControlPlane as facts } from './kind.ts';
import { reservedNotes } from './notes.ts';
import { type AWSManagedControlPlane, spec, status } from './schema.ts';
import { validate } from './validate.ts';

export type * from './schema.ts';

export const awsManagedControlPlane = defineKind({
  ...facts,
  shortNames: ['awsmcp'],
  crdLabels: contractLabels('control-plane-aws', { v1beta1: 'v1beta1_v1beta2' }),
  versions: [
    {
      name: 'v1beta2',
      served: true,
      storage: true,
      description: 'A control plane that EKS runs.',
      spec,
      status,
      columns: [
        column('Cluster', 'string', '.metadata.labels.cluster\\.x-k8s\\.io/cluster-name', 'The cluster it belongs to.'),
        column('Ready', 'string', '.status.ready', 'Whether the control plane serves.'),
        column('VPC', 'string', '.spec.network.vpc.id', 'The network.'),
        column('Endpoint', 'string', '.spec.controlPlaneEndpoint.host', 'Where the API server is reached.', 1),
        column('Bastion IP', 'string', '.status.bastion.publicIp', 'Public address of the bastion.'),
      ],
    },
  ],
  reservedAnnotations: [filledAnnotation, ...reservedNotes],
  default: (object, admission) =>
    withDefaults(
      keepingFilled(
        keepingFilled(object as AWSManagedControlPlane, admission, 'controlPlaneEndpoint'),
        admission,
        'network',
      ),
    ),
  validate: (object, admission) => validate(object as AWSManagedControlPlane, admission),
});

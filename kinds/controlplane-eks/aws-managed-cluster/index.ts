import { filledAnnotation, keepingFilled } from '../../common/filled.ts';
import { column, contractLabels, defineKind } from '../../define.ts';
import { awsManagedCluster as facts } from './kind.ts';
import { spec, status } from './schema.ts';

export type * from './schema.ts';

export const awsManagedCluster = defineKind({
  ...facts,
  shortNames: ['awsmc'],
  crdLabels: contractLabels('infrastructure-aws', { v1beta1: 'v1beta1_v1beta2' }),
  versions: [
    {
      name: 'v1beta2',
      served: true,
      storage: true,
      description: 'The infrastructure of a cluster whose control plane EKS runs: AWSManagedControlPlane has it all.',
      spec,
      status,
      columns: [
        column('Cluster', 'string', '.metadata.labels.cluster\\.x-k8s\\.io/cluster-name', 'The cluster it belongs to.'),
        column('Ready', 'string', '.status.ready', 'Whether the control plane may be made.'),
        column('Endpoint', 'string', '.spec.controlPlaneEndpoint.host', 'Where the API server is reached.', 1),
      ],
    },
  ],
  reservedAnnotations: [filledAnnotation],
  default: (object, admission) => keepingFilled(object, admission, 'controlPlaneEndpoint'),
});

import { filledAnnotation, keepingFilled } from '../../common/filled.ts';
import { pendingAnnotation } from '../../core/contract/infrastructure.ts';
import { column, contractLabels, defineKind } from '../../define.ts';
import { appliedOwnTagsAnnotation } from '../engine/additional-tags.ts';
import { awaitingAnnotation } from '../engine/step.ts';
import { clusterUidTag } from '../engine/tags.ts';
import { accountAnnotation } from '../identity/account.ts';
import { warnUnheeded } from '../not-acted-on.ts';
import { pointers } from '../pointers.ts';
import { warnClassic } from './classic-warning.ts';
import { withDefaults } from './defaults.ts';
import { awsCluster as facts } from './kind.ts';
import { type AWSCluster, spec, status } from './schema.ts';
import { validate } from './validate.ts';

export type * from './schema.ts';

export const awsCluster = defineKind({
  ...facts,
  shortNames: ['awsc'],
  crdLabels: contractLabels('infrastructure-aws', { v1beta1: 'v1beta1_v1beta2' }),
  versions: [
    {
      name: 'v1beta2',
      served: true,
      storage: true,
      description: 'Network, load balancer and access of a cluster on AWS.',
      spec,
      status,
      columns: [
        column('Cluster', 'string', '.metadata.labels.cluster\\.x-k8s\\.io/cluster-name', 'The cluster it belongs to.'),
        column('Ready', 'string', '.status.ready', 'Whether machines can be made.'),
        column('VPC', 'string', '.spec.network.vpc.id', 'The network.'),
        column('Endpoint', 'string', '.spec.controlPlaneEndpoint', 'Where the API server is reached.', 1),
        column('Bastion IP', 'string', '.status.bastion.publicIp', 'Public address of the bastion.'),
        column('Bastion IPv6', 'string', '.status.bastion.ipv6Address', 'IPv6 address of the bastion.'),
      ],
    },
  ],
  reservedAnnotations: [
    accountAnnotation,
    filledAnnotation,
    pendingAnnotation,
    awaitingAnnotation,
    appliedOwnTagsAnnotation,
    clusterUidTag,
  ],
  default: (object, admission) => withDefaults(keepingFilled(object as AWSCluster, admission, 'controlPlaneEndpoint')),
  pointers: pointers.AWSCluster,
  validate: (object, admission) => validate(object as AWSCluster, admission),
  warn: (object) => [...warnUnheeded(object), ...warnClassic(object as AWSCluster)],
});

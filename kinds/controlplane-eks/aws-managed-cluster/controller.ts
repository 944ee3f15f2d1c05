/** Copies the endpoint and the zones from the control plane. */
import { legacyFalse, legacyTrue } from '../../../machinery/api/conditions.ts';
import { equal } from '../../../machinery/api/merge.ts';
import { defineController, found, type Plan, type Read } from '../../../machinery/api/reconcile.ts';
import { filledAnnotation, filledNote } from '../../common/filled.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { endpointOf } from '../../core/contract/cluster.ts';
import type { AWSManagedControlPlane } from '../aws-managed-control-plane/schema.ts';
import { ownerOf } from '../owner.ts';
import type { AWSManagedCluster, AWSManagedClusterStatus } from './schema.ts';

interface Observed {
  awsManagedCluster: AWSManagedCluster;
  cluster: Read<Cluster>;
  controlPlane: Read<AWSManagedControlPlane>;
}

const controlPlaneKind = 'AWSManagedControlPlane';

/** The control plane's, once; the field never changes. */
const endpointPatch = (awsManagedCluster: AWSManagedCluster, controlPlane: AWSManagedControlPlane | undefined) => {
  const endpoint = endpointOf(awsManagedCluster) ? undefined : endpointOf(controlPlane);
  if (!endpoint) return undefined;
  const spec = { controlPlaneEndpoint: { ...endpoint } };
  return { metadata: { annotations: { [filledAnnotation]: filledNote(awsManagedCluster, spec) } }, spec };
};

export const awsManagedClusterController = defineController<AWSManagedCluster, Observed>({
  name: 'aws-managed-cluster',
  for: 'AWSManagedCluster',
  worker: 'aws',
  watches: [
    { kind: 'Cluster', to: 'dependents', level: 'gate' },
    { kind: controlPlaneKind, to: 'members' },
  ],
  clusterOf: (object) => ownerOf(object)?.name ?? object.metadata.labels?.['cluster.x-k8s.io/cluster-name'],
  conditions: 'v1beta1',
  observe: (awsManagedCluster, read) => {
    const { namespace = '' } = awsManagedCluster.metadata;
    const owner = ownerOf(awsManagedCluster);
    const cluster: Read<Cluster> = owner ? read.get('Cluster', { namespace, name: owner.name }) : { state: 'absent' };
    const reference = found(cluster)?.spec?.controlPlaneRef;
    return {
      awsManagedCluster,
      cluster,
      controlPlane:
        reference?.kind === controlPlaneKind
          ? read.get(controlPlaneKind, { namespace, name: reference.name })
          : { state: 'absent' },
    };
  },
  reconcile: ({ awsManagedCluster, cluster, controlPlane }): Plan<AWSManagedClusterStatus> => {
    if (awsManagedCluster.metadata.deletionTimestamp || !found(cluster)) return {};
    const plane = found(controlPlane);
    const intent = endpointPatch(awsManagedCluster, plane);
    const failureDomains = plane?.status?.failureDomains;
    const { status } = awsManagedCluster;
    return {
      ...(intent && { intent }),
      status: {
        ...status,
        ready: true,
        ...(failureDomains && !equal(failureDomains, status?.failureDomains) && { failureDomains }),
        conditions: [legacyTrue('Ready')] as never,
      },
    };
  },
  release: (_, { withheld }) => ({
    released: {
      notes: [],
      status: { ready: false, conditions: [legacyFalse('Ready', 'TornDown', 'Info', withheld?.message)] as never },
    },
  }),
});

/**
 * Reports the capacity of a template's machines in its status, so that an autoscaler can scale a
 * MachineSet up from zero.
 */
import { defineController, found, type Plan, type Read } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import type { CloudOutput } from '../../ports/cloud/index.ts';
import { askCloud } from '../../ports/index.ts';
import type { AWSCluster } from '../aws-cluster/index.ts';
import { readingAs } from '../identity/acting.ts';
import { observePrincipal } from '../identity/principal.ts';
import { capacityOf, nodeInfoOf } from './capacity.ts';
import type { AWSMachineTemplate, AWSMachineTemplateStatus } from './schema.ts';

export interface Observed {
  template: AWSMachineTemplate;
  cluster: Read<Cluster>;
  awsCluster: Read<AWSCluster>;
  types: Read<CloudOutput<'DescribeInstanceTypes'>>;
}

const ownerName = ({ metadata }: AWSMachineTemplate): string | undefined =>
  metadata.ownerReferences?.find(({ kind }) => kind === 'Cluster')?.name ??
  metadata.labels?.['cluster.x-k8s.io/cluster-name'];

const hasCapacity = ({ status }: AWSMachineTemplate): boolean => status?.capacity !== undefined;

export const awsMachineTemplateController = defineController<AWSMachineTemplate, Observed>({
  name: 'aws-machine-template',
  for: 'AWSMachineTemplate',
  worker: 'aws',
  watches: [{ kind: 'Cluster', to: 'dependents' }],
  clusterOf: ownerName,
  conditions: 'v1beta1',
  observe: (template, read) => {
    const nothing = { state: 'absent' } as const;
    const namespace = template.metadata.namespace ?? '';
    const owner = ownerName(template);
    // Neither the capacity of an instance type nor the template ever changes.
    const ask = owner !== undefined && !hasCapacity(template) && !template.metadata.deletionTimestamp;
    const cluster: Read<Cluster> = ask ? read.get('Cluster', { namespace, name: owner }) : nothing;
    const name = found(cluster)?.spec?.infrastructureRef?.name;
    const awsCluster: Read<AWSCluster> = name ? read.get('AWSCluster', { namespace, name }) : nothing;
    const infrastructure = found(awsCluster);
    const region = infrastructure?.spec?.region;
    const type = template.spec?.template.spec.instanceType;
    const types: Observed['types'] =
      infrastructure && region && type
        ? askCloud(readingAs(read, observePrincipal(infrastructure, read)), region, 'DescribeInstanceTypes', {
            InstanceTypes: [type],
          })
        : nothing;
    return { template, cluster, awsCluster, types };
  },
  reconcile: ({ template, cluster, awsCluster, types }): Plan<AWSMachineTemplateStatus> => {
    if (hasCapacity(template)) return {};
    // The Cluster's infrastructure object may be created after the template, and no watch wakes
    // this controller then.
    if (found(cluster)?.spec?.infrastructureRef && awsCluster.state === 'absent') return { requeueAfter: 15 };
    if (types.state === 'unreadable') return { requeueAfter: 60 };
    const info = found(types)?.InstanceTypes[0];
    if (!info) return {};
    return {
      status: {
        ...template.status,
        capacity: capacityOf(info),
        nodeInfo: nodeInfoOf(info),
      },
    };
  },
});

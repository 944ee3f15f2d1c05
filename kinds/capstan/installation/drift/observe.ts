import type { KubeObject } from '../../../../machinery/api/object.ts';
import { type Context, found, type Read, type Reader } from '../../../../machinery/api/reconcile.ts';
import { clusterScope } from '../../../core/contract/scope.ts';
import { listenerPortOf, observeApiPorts } from '../../../infrastructure-aws/aws-cluster/api-ports.ts';
import * as cluster from '../../../infrastructure-aws/aws-cluster/differs.ts';
import type { AWSCluster } from '../../../infrastructure-aws/aws-cluster/index.ts';
import { ownerOf } from '../../../infrastructure-aws/aws-cluster/owner.ts';
import * as machine from '../../../infrastructure-aws/aws-machine/differs.ts';
import type { AWSMachine } from '../../../infrastructure-aws/aws-machine/index.ts';
import { machineUidTag } from '../../../infrastructure-aws/aws-machine/request.ts';
import {
  claimedBy,
  duplicateInstances,
  machineUidOf,
  strandedInstances,
  uncalledInstances,
} from '../../../infrastructure-aws/aws-machine/stranded.ts';
import { installationTag, type Owner } from '../../../infrastructure-aws/engine/tags.ts';
import { type ApiPorts, defaultApiPorts } from '../../../infrastructure-aws/network/api-ports.ts';
import type { Instance } from '../../../ports/cloud/index.ts';
import { askInstallation } from '../../../ports/index.ts';
import type { Survey, TaggedResource } from '../../../ports/installation.ts';
import type { Installation } from '../index.ts';

/**
 * A cluster whose infrastructure is complete and whose target is Build, with its running machines.
 */
export interface Settled {
  awsCluster: AWSCluster;
  owner: Owner;
  apiPorts: ApiPorts;
  machines: AWSMachine[];
}

/** What stalled workers created when it was not needed any more. */
export interface StaleResources {
  /** Instances of machines that are gone, or have another instance. */
  instances: Instance[];
  /** One-shot secrets of running machines, whose secrets had been deleted. */
  secrets: TaggedResource[];
}

export interface Observed {
  installation: Installation;
  /** Whether a later sweep may find anything to check; undefined while a list is unread. */
  any: boolean | undefined;
  regions: { region: string; settled: Settled[]; survey: Read<Survey>; stale: StaleResources }[];
}

const nameOf = ({ metadata }: KubeObject, name: string | undefined) => `${metadata.namespace}/${name}`;
const clusterNameOf = (object: KubeObject) => object.metadata.labels?.['cluster.x-k8s.io/cluster-name'];

export const observe = (installation: Installation, read: Reader, { installation: id, config }: Context): Observed => {
  const clusters = found(read.list('Cluster', {}));
  const awsClusters = found(read.list('AWSCluster', {}));
  const awsMachines = found(read.list('AWSMachine', {}));
  if (!clusters || !awsClusters || !awsMachines) return { installation, any: undefined, regions: [] };
  const machineUids = new Set(awsMachines.map(({ metadata }) => metadata.uid ?? ''));
  const running = awsMachines.filter(({ spec, status }) => status?.ready === true && !spec?.cloudInit?.secretPrefix);
  const secretless = new Set(running.map(({ metadata }) => metadata.uid));
  const byName = new Map(clusters.map((one) => [nameOf(one, one.metadata.name), one]));
  const machinesOf = Map.groupBy(awsMachines.filter(machine.isIdle), (one) => nameOf(one, clusterNameOf(one)));
  const settled = awsClusters.filter(cluster.isIdle).flatMap((awsCluster): Settled[] => {
    const owner = ownerOf(awsCluster, id);
    const value = owner && byName.get(nameOf(awsCluster, owner.clusterName));
    const withheld = clusterScope.withheldFrom(value, { object: awsCluster, uid: owner?.clusterUid }, config);
    if (!owner || !value || withheld) return [];
    // Behind a load balancer, the target group has the port of the API servers.
    const isBalanced = awsCluster.status?.networkStatus?.apiServerElb !== undefined;
    const apiPorts = isBalanced
      ? { ...defaultApiPorts, listener: listenerPortOf(value) }
      : observeApiPorts(value, read);
    const machines = machinesOf.get(nameOf(awsCluster, owner.clusterName)) ?? [];
    return [{ awsCluster, owner, apiPorts, machines }];
  });
  const regions = [...Map.groupBy(settled, ({ awsCluster }) => awsCluster.spec?.region ?? '')];
  return {
    installation,
    any: awsClusters.length > 0,
    regions: regions.map(([region, those]) => {
      const of = new Set(those.flatMap(({ awsCluster }) => cluster.pagesOf(awsCluster)));
      const question = { region, tags: { [installationTag]: id }, of: [...of, 'secrets' as const].sort() };
      const survey = askInstallation(read, 'Survey', question);
      const { instances = [], secrets = [] } = found(survey) ?? {};
      const isClaimed = claimedBy(awsMachines);
      const orphaned = instances.filter((one) => !machineUids.has(machineUidOf(one)) && !isClaimed(one));
      const stale = {
        instances: [
          ...strandedInstances(orphaned, read),
          ...duplicateInstances(instances, awsMachines),
          ...uncalledInstances(orphaned, awsMachines),
        ],
        secrets: secrets.filter(({ tags }) => secretless.has(tags[machineUidTag] ?? '')),
      };
      return { region, settled: those, survey, stale };
    }),
  };
};

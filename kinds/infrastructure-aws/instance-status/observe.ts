import { type Context, found, type Reader } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import type { HostDigest } from '../../core/contract/host-health.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { namesKind } from '../../core/contract/named.ts';
import type { Machine } from '../../core/machine/index.ts';
import type { InstanceStatus } from '../../ports/cloud/index.ts';
import { askCloud } from '../../ports/index.ts';
import { awsCluster } from '../aws-cluster/kind.ts';
import { instanceIdOf } from '../aws-machine/instance-id.ts';
import type { AWSMachine } from '../aws-machine/schema.ts';
import { findingsOf } from './findings.ts';

export interface Observed {
  /** A MachineHealthCheck looks after the cluster. */
  isChecked: boolean;
  /** Read only if an instance or a Machine has something to report. */
  machines: readonly Machine[];
  awsMachines: readonly AWSMachine[];
  /** By instance id: those whose status EC2 knows. */
  statuses: ReadonlyMap<string, InstanceStatus>;
  /** Every read of the cloud succeeded. */
  isWhole: boolean;
}

/** The most ids that EC2 accepts in a call. */
const mostIds = 100;

const nothing: Observed = { isChecked: false, machines: [], awsMachines: [], statuses: new Map(), isWhole: true };

const idsOf = (awsMachines: readonly AWSMachine[]): string[] =>
  awsMachines
    .filter((awsMachine) => awsMachine.status?.ready === true && !isDeleting(awsMachine))
    .flatMap((awsMachine) => instanceIdOf(awsMachine) ?? [])
    .sort();

/**
 * An id that EC2 does not know hides the status of all instances of its call, until the sweep of
 * the account finds the instance gone.
 */
const readStatuses = (ids: readonly string[], region: string, read: Reader) => {
  const statuses = new Map<string, InstanceStatus>();
  let isWhole = true;
  for (let from = 0; from < ids.length; from += mostIds) {
    const InstanceIds = ids.slice(from, from + mostIds);
    const answer = askCloud(read, region, 'DescribeInstanceStatus', { InstanceIds });
    if (answer.state === 'unreadable') isWhole = false;
    for (const status of found(answer)?.InstanceStatuses ?? []) statuses.set(status.InstanceId, status);
  }
  return { statuses, isWhole };
};

export const observe = (cluster: Cluster, read: Reader, { withheld }: Context): Observed => {
  const { namespace = '', name } = cluster.metadata;
  const ref = cluster.spec?.infrastructureRef;
  if (withheld || isDeleting(cluster) || !ref || !namesKind(ref, awsCluster)) return nothing;
  const checks = found(read.list('MachineHealthCheck', { namespace, cluster: name }));
  const facts = found(read.facts<HostDigest>('Machine', { namespace, cluster: name }));
  if (!checks || !facts) return nothing;
  const isChecked = checks.some((check) => !isDeleting(check));
  const isReported = facts.some(({ hasHostReport }) => hasHostReport);
  if (!isChecked && !isReported) return nothing;
  const region = found(read.get('AWSCluster', { namespace, name: ref.name }))?.spec?.region;
  const awsMachines = found(read.list('AWSMachine', { namespace, cluster: name }));
  if (!region || !awsMachines) return { ...nothing, isChecked };
  const { statuses, isWhole } = isChecked
    ? readStatuses(idsOf(awsMachines), region, read)
    : { statuses: new Map(), isWhole: true };
  const hasFindings = [...statuses.values()].some((status) => findingsOf(status).length > 0);
  const machines = hasFindings || isReported ? read.list('Machine', { namespace, cluster: name }) : undefined;
  return {
    isChecked,
    machines: (machines && found(machines)) ?? [],
    awsMachines,
    statuses,
    isWhole,
  };
};

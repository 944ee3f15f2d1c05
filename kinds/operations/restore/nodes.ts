/** Nodes of a restored cluster whose Machines and hosts are gone since the snapshot was taken. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { found } from '../../../machinery/api/reconcile.ts';
import { providerIdOf } from '../../core/contract/machine.ts';
import type { WorkloadNode } from '../../ports/workload.ts';
import type { OperationScope } from '../shared/scope.ts';

type Node = Pick<WorkloadNode, 'name' | 'providerID'>;

/** Nodes with a provider ID that no Machine has. */
export const orphanedNodes = <N extends Node>(nodes: readonly N[], machines: readonly KubeObject[]): N[] => {
  const ids = new Set(machines.map(providerIdOf));
  return nodes.filter(({ providerID }) => providerID !== undefined && !ids.has(providerID));
};

/** Provider IDs of Nodes whose hosts the account says are gone. */
export const endedHostsIn = ({ clusterState }: Pick<OperationScope, 'clusterState'>): string[] =>
  found(clusterState.endedHosts) ?? [];

/** What the contract tells of a pool's infrastructure, in either version of the contract. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';

interface Reported {
  replicas?: number;
  infrastructureMachineKind?: string;
}
const statusOf = ({ status }: KubeObject): Reported => (status ?? {}) as Reported;

/** Provider ids of the hosts that exist, sorted. */
export const providerIdsOf = ({ spec }: KubeObject): string[] =>
  [...((spec as { providerIDList?: string[] } | undefined)?.providerIDList ?? [])].toSorted();

export const replicasOf = (infrastructure: KubeObject): number =>
  statusOf(infrastructure).replicas ?? providerIdsOf(infrastructure).length;

/** The kind of its objects for single hosts; undefined if it has none. */
export const machineKindOf = (infrastructure: KubeObject): string | undefined =>
  statusOf(infrastructure).infrastructureMachineKind || undefined;

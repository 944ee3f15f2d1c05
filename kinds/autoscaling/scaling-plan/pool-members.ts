/** What of a pool can explain that pods wait for it. Pure. */
import type { Explanation } from '../../common/causes/index.ts';
import { nameOf } from './message.ts';

/** `what`: namespace/pod, or a pool. */
export const explain = (what: string, cluster: string | undefined, namespace: string | undefined): string =>
  `capstan scale explain ${what} --cluster ${cluster} -n ${namespace}`;

/** What the MachineDeployments of pools complain of, and their sets and Machines. */
export const membersOfPools =
  (pools: readonly string[]): Explanation =>
  (_, graph) => {
    const deployments = pools.flatMap((pool) => graph.get('MachineDeployment', nameOf(pool)) ?? []);
    const sets = deployments.flatMap(graph.ownedBy);
    return [...deployments, ...sets, ...sets.flatMap(graph.ownedBy)].flatMap(graph.complaints);
  };

/** Reasons of a pool that its Machines may explain, besides that it is blocked. */
const ofMachines = /^(max node group size reached|waiting )/;

/** The pools that would grow for a pod if they could: all others could not host it. */
export const poolsThatCannotGrow = (
  reasons: Readonly<Record<string, string>>,
  states: readonly { pool: string; blocked?: string | undefined }[] = [],
): string[] =>
  Object.entries(reasons).flatMap(([pool, reason]) =>
    ofMachines.test(reason) || states.some((one) => one.pool === pool && one.blocked === reason) ? [pool] : [],
  );

export const decidesAgain =
  'The autoscaler decides again when pods, nodes or pools change, and at least every few minutes';

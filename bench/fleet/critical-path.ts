/** The lower bound of a cluster's creation time: the sequential delays of account and hosts. */
import { behaviourOf } from '../../simulation/aws/behaviour.ts';
import { delays as host } from '../../simulation/workload/delays.ts';
import type { FleetOptions } from './options.ts';

/** Clusters in a region. */
const fewest = 2;

/** Seconds from the first object to Available, if every change were noticed and handled at once. */
export const criticalPath = ({ controlPlanes, workers }: Pick<FleetOptions, 'controlPlanes' | 'workers'>): number => {
  const { delays: account } = behaviourOf();
  // Machines need the API server's address; an own network precedes its load balancer.
  const endpoint = account.loadBalancerActive + account.loadBalancerResolves;
  const booted = account.instanceRunning + host.cloudInit;
  const initialized = endpoint + booted + host.kubeadmInit;
  const joined = booted + host.kubeadmJoin;
  // Control-plane machines join one after another, each when the Pods of the previous one run.
  const controlPlane = initialized + (controlPlanes - 1) * (host.podStart + joined + host.etcdCatchUp) + host.nodeReady;
  const all = workers > 0 ? Math.max(controlPlane, initialized + joined + host.nodeReady) : controlPlane;
  return all / 1000;
};

/** Whether all clusters start at once, few enough not to be throttled. */
export const isOneWave = ({ clusters, regions }: Pick<FleetOptions, 'clusters' | 'regions'>): boolean =>
  clusters / regions <= fewest;

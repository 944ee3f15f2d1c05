/** How long a cluster takes at least: what its account and its hosts take, one thing after the other. */
import { behaviourOf } from '../../simulation/aws/behaviour.ts';
import { delays as host } from '../../simulation/workload/delays.ts';
import type { FleetOptions } from './options.ts';

/** Clusters in a region. */
const fewest = 2;

/** Seconds from the first object until the Cluster is Available and whole, if everything were seen and done at once. */
export const criticalPath = ({ controlPlanes, workers }: Pick<FleetOptions, 'controlPlanes' | 'workers'>): number => {
  const { delays: account } = behaviourOf();
  // Machines are told where their API server is; a network of their own is ready before its load balancer.
  const endpoint = account.loadBalancerActive + account.loadBalancerResolves;
  const booted = account.instanceRunning + host.cloudInit;
  const initialized = endpoint + booted + host.kubeadmInit;
  const joined = booted + host.kubeadmJoin;
  // Of a control plane, one machine comes after the other: when the pods of the one before run.
  const controlPlane = initialized + (controlPlanes - 1) * (host.podStart + joined + host.etcdCatchUp) + host.nodeReady;
  const all = workers > 0 ? Math.max(controlPlane, initialized + joined + host.nodeReady) : controlPlane;
  return all / 1000;
};

/** Whether all are begun at once and few enough that the account's request rates delay none. */
export const isOneWave = ({ clusters, regions }: Pick<FleetOptions, 'clusters' | 'regions'>): boolean =>
  clusters / regions <= fewest;

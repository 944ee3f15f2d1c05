/** One life of a cluster without faults, and the moments in it from which others start. */
import { remains } from '../system/checks.ts';
import type { Moment, World, WorldOptions } from '../system/world.ts';
import { type ClusterUnderTest, clusterName, createCluster } from './cluster-under-test.ts';

export interface Rehearsal {
  /** The mutating actions, in the order of their first calls. */
  creating: string[];
  deleting: string[];
  /** The last moment before its first call. */
  before(phase: Phase, action: string): Moment;
  settled: Moment;
  /** The number of resources of each type of an Available cluster. */
  whole: Record<string, number>;
}
export type Phase = 'create' | 'delete';

export const mutatingCalls = (world: World): Record<string, number> => world.calls(true);

export const countsOf = (world: World): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { type } of world.live()) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
};

let started = 0;
/** With ports and IDs that no earlier life used; ports are few. */
export const createClusterFrom = (from: Moment, options: WorldOptions = {}): Promise<ClusterUnderTest> =>
  createCluster({ ...options, from, seed: 2 + (started++ % 300) });

interface Stretch {
  from: Moment;
  called: string[];
}

const grown = (before: Record<string, number>, after: Record<string, number>): string[] =>
  Object.keys(after).filter((action) => (after[action] ?? 0) > (before[action] ?? 0));

const isAt = (cluster: ClusterUnderTest, phase: Phase, step: string) => () =>
  cluster.operation(phase)?.status?.steps?.some(({ name }) => name === step) === true;

const live = async (): Promise<Rehearsal> => {
  let cluster = await createCluster();
  const stretches: Record<Phase, Stretch[]> = { create: [], delete: [] };
  const seen: Record<Phase, Set<string>> = { create: new Set(), delete: new Set() };
  const stretch = async (phase: Phase, what: string, until: (cluster: ClusterUnderTest) => () => boolean) => {
    const from = cluster.world.moment();
    cluster = await createClusterFrom(from);
    const before = mutatingCalls(cluster.world);
    await cluster.world.until(what, until(cluster), 30);
    const called = grown(before, mutatingCalls(cluster.world)).filter((action) => !seen[phase].has(action));
    for (const action of called) seen[phase].add(action);
    stretches[phase].push({ from, called });
  };
  await cluster.apply();
  for (const step of ['LoadBalancer', 'FirstControlPlaneMachine', 'ControlPlane'])
    await stretch('create', step, (at) => isAt(at, 'create', step));
  await stretch('create', 'recorded', (at) => () => at.phase() === 'Succeeded');
  await cluster.settle();
  const whole = countsOf(cluster.world);
  const settled = cluster.world.moment();
  cluster = await createClusterFrom(settled);
  await cluster.world.remove('Cluster', clusterName);
  for (const step of ['DeleteControlPlane', 'DeleteLoadBalancers', 'DeleteNetwork'])
    await stretch('delete', step, (at) => isAt(at, 'delete', step));
  await stretch('delete', 'gone', (at) => () => remains(at.world).length === 0);
  cluster.world.end();
  return {
    creating: [...seen.create],
    deleting: [...seen.delete],
    settled,
    whole,
    before: (phase, action) => {
      const found = stretches[phase].find(({ called }) => called.includes(action));
      if (!found) throw new Error(`no ${phase} calls ${action}`);
      return found.from;
    },
  };
};

let rehearsal: Promise<Rehearsal> | undefined;
export const rehearse = (): Promise<Rehearsal> => {
  rehearsal ??= live();
  return rehearsal;
};

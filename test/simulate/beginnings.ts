/**
 * The states in which runs begin: an empty account, an account with an unmanaged network, or a
 * running cluster. A process creates each state once, deterministically and without faults, because
 * runs that begin there test what comes later.
 */
import { desiredClusterIn } from './exhaustive/phases.ts';
import { emptyStart, playPhase, type Start } from './exhaustive/run.ts';
import type { DesiredCluster } from './scenarios/manifest.ts';
import { muchMore } from './scenarios/network/options.ts';

/** `cluster`: what its users want and have; absent without a cluster. */
export type Beginning = Start & { cluster?: DesiredCluster | undefined };

/** Seeds outside the range that runs use. */
const seeds = { empty: -1, cluster: -2 };

const empty = (isUnmanaged: boolean) => (): Promise<Beginning> => emptyStart(seeds.empty, isUnmanaged);

const standing =
  (isUnmanaged: boolean, size: Pick<DesiredCluster, 'controlPlanes' | 'workers' | 'infrastructure'>) =>
  async (): Promise<Beginning> => {
    const start = await empty(isUnmanaged)();
    const desired: DesiredCluster = { ...desiredClusterIn(start.network), ...size };
    const { moment, failure } = await playPhase({ seed: seeds.cluster, phase: 'create', start, desired, isKept: true });
    if (!moment) throw new Error(`a cluster cannot be created without any fault: ${failure}`);
    return { ...start, moment, cluster: desired };
  };

const made = {
  'an empty account': empty(false),
  'a network': empty(true),
  'a cluster in its own network': standing(false, { controlPlanes: 1, workers: 1 }),
  'a cluster in an unmanaged network': standing(true, { controlPlanes: 1, workers: 2 }),
  'a cluster with three control planes': standing(true, { controlPlanes: 3, workers: 1 }),
  'a cluster in three zones': standing(false, { controlPlanes: 3, workers: 1, infrastructure: muchMore }),
};
export type BeginningName = keyof typeof made;
export const beginningNames = Object.keys(made) as BeginningName[];

const known = new Map<BeginningName, Promise<Beginning>>();

export const beginningOf = (name: BeginningName): Promise<Beginning> => {
  const beginning = known.get(name) ?? made[name]();
  known.set(name, beginning);
  return beginning;
};

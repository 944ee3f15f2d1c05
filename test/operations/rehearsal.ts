/** One life of a cluster without faults, and the moments in it from which others start. */
import { remains } from '../system/checks.ts';
import type { Moment, World, WorldOptions } from '../system/world.ts';
import { clusterName, type Scene, setScene } from './scene.ts';

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

let scenes = 0;
/** With ports and IDs that no earlier life used; ports are few. */
export const sceneFrom = (from: Moment, options: WorldOptions = {}): Promise<Scene> =>
  setScene({ ...options, from, seed: 2 + (scenes++ % 300) });

interface Stretch {
  from: Moment;
  called: string[];
}

const grown = (before: Record<string, number>, after: Record<string, number>): string[] =>
  Object.keys(after).filter((action) => (after[action] ?? 0) > (before[action] ?? 0));

const isAt = (scene: Scene, phase: Phase, step: string) => () =>
  scene.operation(phase)?.status?.steps?.some(({ name }) => name === step) === true;

const live = async (): Promise<Rehearsal> => {
  let scene = await setScene();
  const stretches: Record<Phase, Stretch[]> = { create: [], delete: [] };
  const seen: Record<Phase, Set<string>> = { create: new Set(), delete: new Set() };
  const stretch = async (phase: Phase, what: string, until: (scene: Scene) => () => boolean) => {
    const from = scene.world.moment();
    scene = await sceneFrom(from);
    const before = mutatingCalls(scene.world);
    await scene.world.until(what, until(scene), 30);
    const called = grown(before, mutatingCalls(scene.world)).filter((action) => !seen[phase].has(action));
    for (const action of called) seen[phase].add(action);
    stretches[phase].push({ from, called });
  };
  await scene.apply();
  for (const step of ['LoadBalancer', 'FirstControlPlaneMachine', 'ControlPlane'])
    await stretch('create', step, (at) => isAt(at, 'create', step));
  await stretch('create', 'recorded', (at) => () => at.phase() === 'Succeeded');
  await scene.settle();
  const whole = countsOf(scene.world);
  const settled = scene.world.moment();
  scene = await sceneFrom(settled);
  await scene.world.remove('Cluster', clusterName);
  for (const step of ['DeleteControlPlane', 'DeleteLoadBalancers', 'DeleteNetwork'])
    await stretch('delete', step, (at) => isAt(at, 'delete', step));
  await stretch('delete', 'gone', (at) => () => remains(at.world).length === 0);
  scene.world.end();
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

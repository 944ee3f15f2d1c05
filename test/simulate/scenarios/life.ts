/** One cluster's life: created, and then whatever its users may come to want. */
import { sleep } from '../../../machinery/ports.ts';
import type { Client } from '../clients/client.ts';
import type { Dice } from '../dice.ts';
import type { World } from '../site.ts';
import { actionNames, actions } from './actions.ts';
import { interfere } from './interference.ts';
import type { Wish } from './manifest.ts';
import { applyAll, type Life, type Scene } from './scene.ts';
import { transit } from './transitions.ts';

const minute = 60_000;

/** What kind of life: of many wishes, of people who act at the worst moment, or of those who try out every field. */
export const scenarioNames = ['life', 'interference', 'transitions'] as const;
export type ScenarioName = (typeof scenarioNames)[number];
const likely: readonly ScenarioName[] = ['life', 'life', 'life', 'interference', 'interference', 'transitions'];

export interface LifeOptions {
  /** Of all lives, this one. */
  number: number;
  /** Chance decides when it is absent. */
  scenario?: ScenarioName | undefined;
  name: string;
  draw: Dice;
  client: Client;
  world: World;
  /** How many things are done to it. */
  steps: number;
  /** Waits until it is as wanted, or for so many minutes. */
  settled: (minutes: number) => Promise<void>;
  /** Called before each action. */
  onAction: (action: string) => void;
}

/** Plays a life; resolves when nobody does anything any more, with what is wanted in the end. */
export const live = async (options: LifeOptions, life: Life): Promise<void> => {
  const { name, draw, client, world, steps, settled, onAction, scenario, number } = options;
  const wish: Wish = {
    name,
    // Most of what can go wrong needs few machines, and many runs.
    controlPlanes: draw.chance(0.12) ? 3 : 1,
    workers: draw.chance(0.7) ? 1 : draw.whole(0, 3),
    version: 'v1.35.0',
    workerVersion: 'v1.35.0',
    instanceType: 't3.large',
    onFailure: draw.pick(['TearDown', 'Hold', 'Retry']),
    paused: false,
  };
  life.wish = wish;
  const scene: Scene = { client, draw, clock: world.clock, world, life, wish, settled, tell: onAction };
  onAction('create');
  await applyAll(scene);
  const kind = scenario ?? draw.pick(likely);
  if (kind === 'interference') return interfere(scene, steps, number);
  if (kind === 'transitions') return transit(scene, 2 * steps);
  for (let step = 0; step < steps && life.wish; step++) {
    if (draw.chance(0.6)) await settled(90);
    else await sleep(world.clock, draw.spread(1000, 40 * minute));
    const action = draw.pick(actionNames);
    onAction(action);
    await actions[action](scene);
  }
  if (life.wish && draw.chance(0.5)) {
    if (draw.chance(0.5)) await settled(90);
    onAction('delete');
    life.wish = undefined;
    await client.remove('Cluster', name);
  }
};

/** One cluster's life: created, and then whatever its users may come to want. */
import { sleep } from '../../../machinery/ports.ts';
import type { Beginning, BeginningName } from '../beginnings.ts';
import type { Client } from '../clients/client.ts';
import { type Dice, dice } from '../dice.ts';
import type { World } from '../site.ts';
import { type ActionName, actionNames, actions } from './actions.ts';
import { applyAll, type Life, type Scene } from './context.ts';
import { interfere } from './interference.ts';
import { manifestOf, type Network, type Wish } from './manifest.ts';
import { moreOf } from './network/options.ts';
import { keepBooks } from './objects/index.ts';
import { transit } from './transitions.ts';

const minute = 60_000;

/**
 * What kind of life: of many wishes; of one, in a cluster that stands; of people who act at the worst moment; of those who
 * try out every field; or of objects that make nothing.
 */
export const scenarioNames = ['life', 'glimpse', 'interference', 'transitions', 'objects'] as const;
export type ScenarioName = (typeof scenarioNames)[number];
/** Of lives whose numbers follow each other; short ones notice as much for less. */
const round: readonly ScenarioName[] = [
  'interference',
  'glimpse',
  'objects',
  'life',
  'interference',
  'glimpse',
  'objects',
  'transitions',
];
/** Which of its kind, so that one after the other comes through all that there is of it. */
const ordinalOf = (number: number) => Math.floor(number / (round.length / 2));
/** As it is asked for, or as its number says; who asks for one thing to be done asks for a glimpse. */
export const scenarioOf = (
  number: number,
  asked: { scenario?: ScenarioName | undefined; action?: ActionName | undefined } = {},
): ScenarioName => asked.scenario ?? (asked.action ? 'glimpse' : round[number % round.length]!);

/** How many clusters lead such a life beside each other: several now and then, of those that take their time. */
export const clustersOf = (seed: number, scenario: ScenarioName): number => {
  const draw = dice(seed, 'fleet');
  return scenario === 'life' && draw.chance(0.25) ? draw.whole(2, 3) : 1;
};

/**
 * How many of them go without any fault, so that what is slow is wrong, and whoever rests has been told of everything; and how
 * many with passing ones alone, so that what fails is tried again soon.
 */
export const shares: Record<ScenarioName, { quiet: number; passing: number }> = {
  life: { quiet: 0.15, passing: 0.15 },
  glimpse: { quiet: 0.35, passing: 0.2 },
  interference: { quiet: 0.15, passing: 0.15 },
  transitions: { quiet: 0.15, passing: 0.15 },
  objects: { quiet: 0.3, passing: 0.15 },
};

/** Where such a life may begin; those that are there twice are twice as likely. */
export const beginnings: Record<ScenarioName, readonly BeginningName[]> = {
  interference: ['an empty account', 'a network', 'a network'],
  life: [
    'an empty account',
    'a network',
    'a cluster in its own network',
    'a cluster in a network that was brought',
    'a cluster with three control planes',
    'a cluster in three zones',
  ],
  glimpse: [
    'a cluster in its own network',
    'a cluster in a network that was brought',
    'a cluster with three control planes',
    'a cluster in three zones',
  ],
  transitions: ['an empty account', 'a cluster in its own network', 'a cluster in a network that was brought'],
  objects: ['an empty account'],
};

export interface LifeOptions {
  /** Of all lives, this one. */
  number: number;
  scenario: ScenarioName;
  beginning: Beginning;
  name: string;
  draw: Dice;
  client: Client;
  world: World;
  /** Of a glimpse: what is done. */
  action?: ActionName | undefined;
  /** How many things are done to it; chance decides when absent. */
  steps?: number | undefined;
  /** Waits until it is as wanted, or for so many minutes. */
  settled: (minutes: number) => Promise<void>;
  /** Called before each action. */
  onAction: (cluster: string, action: string) => void;
}

const drawnWish = (name: string, draw: Dice, network: Network | undefined): Wish => ({
  name,
  // Most of what can go wrong needs few machines, and many runs.
  controlPlanes: draw.chance(0.12) ? 3 : 1,
  workers: draw.chance(0.7) ? 1 : draw.whole(0, 3),
  version: 'v1.35.0',
  workerVersion: 'v1.35.0',
  instanceType: 't3.large',
  onFailure: draw.pick(['TearDown', 'Hold', 'Retry']),
  paused: false,
  network,
});

/** Plays a life; resolves when nobody does anything any more, with what is wanted in the end. */
export const live = async (options: LifeOptions, life: Life): Promise<void> => {
  const { name, draw, client, world, steps, settled, onAction, scenario, beginning, number } = options;
  const { cluster, network } = beginning;
  const wish: Wish = cluster ? { ...cluster, name } : drawnWish(name, draw, network);
  const own = dice(number, 'wishes');
  if (!cluster && scenario !== 'objects' && own.chance(0.25)) wish.infrastructure = moreOf(own, wish);
  life.wish = wish;
  const tell = (action: string) => onAction(name, action);
  const scene: Scene = { client, draw, clock: world.clock, world, life, wish, settled, tell };
  if (scenario === 'objects') {
    life.wish = undefined;
    return keepBooks(scene, steps ?? 8, ordinalOf(number));
  }
  if (cluster) life.documents = manifestOf(wish);
  else {
    tell('create');
    await applyAll(scene);
  }
  if (scenario === 'interference') return interfere(scene, steps ?? Number.POSITIVE_INFINITY, ordinalOf(number));
  if (scenario === 'glimpse') {
    const action = options.action ?? actionNames[ordinalOf(number) % actionNames.length]!;
    tell(action);
    return actions[action](scene);
  }
  if (scenario === 'transitions') return transit(scene, steps ?? draw.whole(2, 8));
  for (let step = steps ?? draw.whole(2, 6); step > 0 && life.wish; step--) {
    if (draw.chance(0.3)) await settled(90);
    else await sleep(world.clock, draw.spread(1000, 40 * minute));
    const action = draw.pick(actionNames);
    tell(action);
    await actions[action](scene);
  }
  if (life.wish && draw.chance(0.5)) {
    if (draw.chance(0.5)) await settled(90);
    tell('delete');
    life.wish = undefined;
    await client.remove('Cluster', name);
  }
};

/** The life of one cluster: its creation, and then whatever its users request. */
import { sleep } from '../../../machinery/ports.ts';
import type { Beginning, BeginningName } from '../beginnings.ts';
import type { Client } from '../clients/client.ts';
import { type Dice, dice } from '../dice.ts';
import type { World } from '../site.ts';
import { type ActionName, actionNames, actions } from './actions.ts';
import { playPools } from './autoscaling/pools.ts';
import { applyAll, type Life, type ScenarioContext } from './context.ts';
import { interfere } from './interference.ts';
import { type DesiredCluster, manifestOf, type Network } from './manifest.ts';
import { moreOf } from './network/options.ts';
import { playObjects } from './objects/index.ts';
import { playRestores } from './operations/restores.ts';
import { playUpgrades } from './operations/upgrades.ts';
import { transit } from './transitions.ts';

const minute = 60_000;

/**
 * life: many requests. glimpse: one request to a running cluster. interference: actions at the
 * worst moments. transitions: writes to every field. objects: objects that create nothing. On request
 * only, upgrades: upgrades that fail at first, restores: restores of etcd, and pools:
 * MachineDeployments that Capstan scales.
 */
export const scenarioNames = [
  'life',
  'glimpse',
  'interference',
  'transitions',
  'objects',
  'upgrades',
  'restores',
  'pools',
] as const;
export type ScenarioName = (typeof scenarioNames)[number];
/**
 * The scenarios of consecutive lives. Short ones are frequent, because they find as many defects in
 * less time.
 */
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
/** The ordinal among lives of the same scenario, so that consecutive ones cover all variants. */
const ordinalOf = (number: number) => Math.floor(number / (round.length / 2));
/** The requested scenario, a glimpse for a requested action, or the one that the number selects. */
export const scenarioOf = (
  number: number,
  asked: { scenario?: ScenarioName | undefined; action?: ActionName | undefined } = {},
): ScenarioName => asked.scenario ?? (asked.action ? 'glimpse' : round[number % round.length]!);

/** How many clusters run side by side; sometimes several in a life. */
export const clustersOf = (seed: number, scenario: ScenarioName): number => {
  const draw = dice(seed, 'fleet');
  return scenario === 'life' && draw.chance(0.25) ? draw.whole(2, 3) : 1;
};

/**
 * The share of runs without faults, which must be prompt and lose no event, and the share with
 * passing faults only, in which retries must succeed soon.
 */
export const shares: Record<ScenarioName, { quiet: number; passing: number }> = {
  life: { quiet: 0.15, passing: 0.15 },
  glimpse: { quiet: 0.35, passing: 0.2 },
  interference: { quiet: 0.15, passing: 0.15 },
  transitions: { quiet: 0.15, passing: 0.15 },
  objects: { quiet: 0.3, passing: 0.15 },
  upgrades: { quiet: 0.3, passing: 0.2 },
  restores: { quiet: 0.3, passing: 0.2 },
  pools: { quiet: 0.3, passing: 0.2 },
};

/** The possible initial states. A repeated one is twice as likely. */
export const beginnings: Record<ScenarioName, readonly BeginningName[]> = {
  interference: ['an empty account', 'a network', 'a network'],
  life: [
    'an empty account',
    'a network',
    'a cluster in its own network',
    'a cluster in an unmanaged network',
    'a cluster with three control planes',
    'a cluster in three zones',
  ],
  glimpse: [
    'a cluster in its own network',
    'a cluster in an unmanaged network',
    'a cluster with three control planes',
    'a cluster in three zones',
  ],
  transitions: ['an empty account', 'a cluster in its own network', 'a cluster in an unmanaged network'],
  objects: ['an empty account'],
  upgrades: ['a cluster in its own network', 'a cluster with three control planes', 'a cluster in three zones'],
  restores: ['a cluster in its own network', 'a cluster with three control planes', 'a cluster in three zones'],
  // The API servers of a cluster that is created with its pools report pending pods.
  pools: [
    'a cluster in its own network',
    'a cluster in an unmanaged network',
    'a cluster in three zones',
    'a network',
    'a network',
  ],
};

export interface LifeOptions {
  /** The number of this life among all. */
  number: number;
  scenario: ScenarioName;
  beginning: Beginning;
  name: string;
  draw: Dice;
  client: Client;
  world: World;
  /** The action of a glimpse. */
  action?: ActionName | undefined;
  /** The number of actions; drawn when absent. */
  steps?: number | undefined;
  /** Waits until the state matches the desired one, at most this many minutes. */
  settled: (minutes: number) => Promise<void>;
  /** Called before each action. */
  onAction: (cluster: string, action: string) => void;
}

const drawDesiredCluster = (name: string, draw: Dice, network: Network | undefined): DesiredCluster => ({
  name,
  // Most defects need few machines and many runs.
  controlPlanes: draw.chance(0.12) ? 3 : 1,
  workers: draw.chance(0.7) ? 1 : draw.whole(0, 3),
  version: 'v1.35.0',
  workerVersion: 'v1.35.0',
  instanceType: 't3.large',
  onFailure: draw.pick(['TearDown', 'Hold', 'Retry']),
  paused: false,
  network,
});

/** Plays a life. It resolves when the users stop acting; `life.desired` then holds what they want. */
export const live = async (options: LifeOptions, life: Life): Promise<void> => {
  const { name, draw, client, world, steps, settled, onAction, scenario, beginning, number } = options;
  const { cluster, network } = beginning;
  const desired: DesiredCluster = cluster ? { ...cluster, name } : drawDesiredCluster(name, draw, network);
  const own = dice(number, 'wishes');
  if (!cluster && scenario !== 'objects' && own.chance(0.25)) desired.infrastructure = moreOf(own, desired);
  life.desired = desired;
  const tell = (action: string) => onAction(name, action);
  const context: ScenarioContext = { client, draw, clock: world.clock, world, life, desired, settled, tell };
  if (scenario === 'objects') {
    life.desired = undefined;
    return playObjects(context, steps ?? 8, ordinalOf(number));
  }
  if (cluster) life.documents = manifestOf(desired);
  else {
    tell('create');
    await applyAll(context);
  }
  if (scenario === 'interference') return interfere(context, steps ?? Number.POSITIVE_INFINITY, ordinalOf(number));
  if (scenario === 'glimpse') {
    const action = options.action ?? actionNames[ordinalOf(number) % actionNames.length]!;
    tell(action);
    return actions[action](context);
  }
  if (scenario === 'upgrades') return playUpgrades(context, steps ?? draw.whole(1, 2), number);
  if (scenario === 'restores') return playRestores(context, steps ?? draw.whole(1, 2), number);
  if (scenario === 'pools') return playPools(context, steps ?? draw.whole(2, 5), number);
  if (scenario === 'transitions') return transit(context, steps ?? draw.whole(2, 8));
  for (let step = steps ?? draw.whole(2, 6); step > 0 && life.desired; step--) {
    if (draw.chance(0.3)) await settled(90);
    else await sleep(world.clock, draw.spread(1000, 40 * minute));
    const action = draw.pick(actionNames);
    tell(action);
    await actions[action](context);
  }
  if (life.desired && draw.chance(0.5)) {
    if (draw.chance(0.5)) await settled(90);
    tell('delete');
    life.desired = undefined;
    await client.remove('Cluster', name);
  }
};

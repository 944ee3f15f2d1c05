/** A handwritten scenario: one worker freezes at one call while users act. */

import type { VirtualClock } from '../../adapters/memory/virtual-clock.ts';
import type { CloudAction } from '../../kinds/ports/cloud/index.ts';
import { sleep } from '../../machinery/ports.ts';
import { type Client, createClient } from './clients/client.ts';
import { createHistory } from './clients/history.ts';
import { whetherDone } from './convergence.ts';
import { createCoverage } from './coverage.ts';
import { dice } from './dice.ts';
import { desiredClusterIn } from './exhaustive/phases.ts';
import { planFault } from './exhaustive/planned.ts';
import { emptyStart } from './exhaustive/run.ts';
import { createInvariants } from './invariants/index.ts';
import type { CloudCall } from './invariants/rule.ts';
import { type DesiredCluster, manifestOf } from './scenarios/manifest.ts';
import { createSite, newClock } from './site.ts';
import { createStory } from './story.ts';
import { viewOf } from './view.ts';

export interface StandStill {
  /** The call and the side of it, for example `before cloud.RunInstances`. */
  at: string;
  minutes: number;
}

export interface Script {
  client: Client;
  /** One cluster, applied as desired here. */
  desired: DesiredCluster;
  /** Freezes the next worker that reaches the call. */
  arm(): void;
  hasStruck(): boolean;
  /** The account rejects an action with this error until the returned function is called. */
  refuse(action: CloudAction, code: string): () => void;
  /** How often the action took effect. */
  called(action: CloudAction): number;
  pass(minutes: number): Promise<void>;
  /** Polls every few seconds; throws after an hour. */
  until(what: string, isSo: () => boolean): Promise<void>;
  /** Waits until the state matches the desired one. */
  settle(): Promise<void>;
  /** The names of the objects of a kind, sorted. */
  names(kind: string): string[];
  /** The ids of Capstan's resources of a type that are not terminated. */
  resources(type: string): string[];
}

const minute = 60_000;
const seed = 7;

/** Plays the script; throws the violation of a rule. */
export const play = async (still: StandStill, isUnmanaged: boolean, tell: (script: Script) => Promise<void>) => {
  const { moment, network, provided } = await emptyStart(seed, isUnmanaged);
  const clock: VirtualClock = newClock(moment.now);
  let isArmed = false;
  let hasStruck = false;
  const planned = planFault(seed);
  const faults = {
    ...planned,
    isOver: false,
    strikes: (name: string, at = '') => {
      if (name !== 'worker.frozen' || at !== still.at || !isArmed) return false;
      isArmed = false;
      hasStruck = true;
      return true;
    },
    dice: () => ({ ...dice(seed, 'still'), spread: () => still.minutes * minute }),
  };
  const calls: CloudCall[] = [];
  const story = createStory({ now: () => clock.now() });
  const world = createSite({
    seed,
    clock,
    faults,
    coverage: createCoverage(),
    story,
    from: moment,
    isPlain: true,
    onCall: (call) => {
      calls.push(call);
      invariants.onCall(call);
    },
  });
  const { mirror, account } = world;
  const desired = desiredClusterIn(network);
  const invariants = createInvariants({
    world,
    network,
    provided,
    wanted: () => [desired],
    has: (fault) => hasStruck && fault === 'worker.frozen',
  });
  const history = createHistory(clock, mirror.everything());
  mirror.onCommit(history.onCommit);
  const client = createClient(world, dice(seed, 'client'), story, 'user', history);
  const isDone = whetherDone([{ name: 'c0', desired, documents: [] }], viewOf(world, provided), mirror);
  const until: Script['until'] = async (what, isSo) => {
    for (let looks = 0; looks < 720 && !isSo(); looks++) await sleep(clock, minute / 12);
    if (!isSo()) throw new Error(`not so within an hour: ${what}`);
  };
  const script: Script = {
    client,
    desired,
    arm: () => {
      isArmed = true;
    },
    hasStruck: () => hasStruck,
    refuse: (action, code) => {
      const { id } = account.faults.add({ action, code });
      return () => account.faults.clear(id);
    },
    called: (action) => calls.filter((call) => call.action === action && call.happened).length,
    pass: (minutes) => sleep(clock, minutes * minute),
    until,
    settle: () => until('it is as wished', isDone),
    names: (kind) => mirror.all(kind).map(({ metadata }) => metadata.name),
    resources: (type) =>
      account
        .list()
        .filter((one) => one.type === type && one.state !== 'terminated' && !provided.has(one.id))
        .map(({ id }) => id),
  };
  let outcome: { error?: unknown } | undefined;
  const run = async () => {
    for (const object of manifestOf(desired)) await client.apply(object);
    await tell(script);
  };
  run().then(
    () => {
      outcome = {};
    },
    (error) => {
      outcome = { error };
    },
  );
  await clock.run(() => outcome !== undefined || mirror.broken !== undefined);
  world.stop();
  const failure = outcome?.error ?? mirror.broken;
  if (failure) throw failure;
};

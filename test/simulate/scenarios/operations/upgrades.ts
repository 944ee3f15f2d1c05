/**
 * Upgrades, most of which cannot succeed at first, while a GitOps client applies the manifests again
 * and again and users interfere.
 */
import type { ClusterOperation } from '../../../../kinds/operations/cluster-operation/index.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { type Dice, dice } from '../../dice.ts';
import { type ActionName, actions, newest } from '../actions.ts';
import { applyAll, type ScenarioContext } from '../context.ts';
import { full } from '../machines/failures.ts';
import type { DesiredCluster } from '../manifest.ts';
import { interferences } from './interferences.ts';
import { protect } from './protection.ts';

const second = 1000;
const minute = 60 * second;

/** Why new Machines do not become Available. Each returns what the user does about it. */
const causes = {
  none: () => () => {},
  'the control plane never joins': ({ desired }: ScenarioContext) => {
    desired.neverJoins = 'control plane';
    return () => {
      desired.neverJoins = undefined;
    };
  },
  'workers never join': ({ desired }: ScenarioContext) => {
    desired.neverJoins = 'workers';
    return () => {
      desired.neverJoins = undefined;
    };
  },
  'the instance type is unknown': ({ desired }: ScenarioContext) => {
    const { instanceType } = desired;
    desired.instanceType = 'x9.imagined';
    return () => {
      desired.instanceType = instanceType;
    };
  },
  'EC2 has no capacity': ({ world }: ScenarioContext) => {
    const { id } = world.account.faults.add({ action: 'RunInstances', code: full });
    return () => world.account.faults.clear(id);
  },
} satisfies Record<string, (context: ScenarioContext) => () => void>;
const causeNames = Object.keys(causes) as (keyof typeof causes)[];

const ofUpgrades: readonly ActionName[] = [
  ...interferences,
  'lose an etcd member',
  'mark workers unhealthy',
  'deny access',
];

/** Another version, or another instance type once the newest version runs. */
const change = ({ desired }: ScenarioContext): void => {
  if (desired.version === newest) {
    desired.instanceType = desired.instanceType === 't3.large' ? 'm5.large' : 't3.large';
    return;
  }
  desired.version = desired.version === 'v1.35.0' ? 'v1.35.1' : newest;
  desired.workerVersion = desired.version;
};

/**
 * Applies the manifests as they are at each moment, until stopped. In an unmanaged network each apply
 * replaces the subnets, which the controller then completes again.
 */
const startGitOps = (context: ScenarioContext): { stop: () => Promise<void> } => {
  const { clock, life, desired } = context;
  const apart = (desired.network ? 30 : 5) * second;
  let isStopped = false;
  const ended = (async () => {
    while (!isStopped && life.desired) {
      await applyAll(context);
      await sleep(clock, apart);
    }
  })();
  return {
    stop: async () => {
      isStopped = true;
      await ended;
    },
  };
};

const upgradesOf = ({ world, desired }: ScenarioContext): ClusterOperation[] =>
  world.mirror
    .all<ClusterOperation>('ClusterOperation')
    .filter(
      ({ metadata, spec }) =>
        metadata.namespace === 'default' && spec?.clusterName === desired.name && spec.type === 'upgrade',
    );
const isRunning = ({ status }: ClusterOperation): boolean => /^(Pending|Running)$/.test(status?.phase ?? 'Pending');

const latestAttempt = (context: ScenarioContext): number =>
  Math.max(0, ...upgradesOf(context).map(({ spec }) => spec?.attempt ?? 0));

/** Until an upgrade after that attempt has ended, or this long. */
const ends = async (context: ScenarioContext, attempt: number, most: number): Promise<void> => {
  const { clock } = context;
  const until = clock.now() + most;
  const isOpen = () => latestAttempt(context) <= attempt || upgradesOf(context).some(isRunning);
  while (clock.now() < until && isOpen()) await sleep(clock, 15 * second);
};

/** For a while, as a user who regrets the change and then does not. */
const setBack = async (
  context: ScenarioContext,
  before: Pick<DesiredCluster, 'version' | 'workerVersion'>,
  own: Dice,
): Promise<void> => {
  const { clock, life, tell, desired } = context;
  const { version, workerVersion } = desired;
  if (version === before.version) return;
  await sleep(clock, own.spread(second, 60 * minute));
  tell(`set the version back to ${before.version}`);
  Object.assign(desired, before);
  await applyAll(context);
  await sleep(clock, own.spread(second, 60 * minute));
  if (!life.desired) return;
  tell(`set the version to ${version} again`);
  Object.assign(desired, { version, workerVersion });
  await applyAll(context);
};

const upgradeOnce = async (
  context: ScenarioContext,
  ordinal: number,
  { rollback, lock, back }: Chances,
): Promise<void> => {
  const { client, clock, draw, life, tell, desired } = context;
  const cause = causeNames[ordinal % causeNames.length]!;
  await client.patch('Cluster', desired.name, {
    metadata: {
      annotations: {
        'capstan.dev/on-upgrade-failure': draw.pick([null, 'RollBack', 'Hold', 'Retry']),
        'capstan.dev/upgrade-rollback': rollback.chance(0.5) ? 'Guarded' : null,
        'capstan.dev/upgrade-deadline': draw.chance(0.8) ? `${draw.whole(10, 40)}m` : null,
      },
    },
  });
  tell(`upgrade, and ${cause}`);
  const attempt = latestAttempt(context);
  const repair = causes[cause](context);
  const { version, workerVersion } = desired;
  const lift = lock.chance(0.4) ? await protect(context) : async () => {};
  change(context);
  await applyAll(context);
  const gitOps = draw.chance(0.5) ? startGitOps(context) : undefined;
  if (draw.chance(0.6)) {
    await sleep(clock, draw.spread(second, 90 * minute));
    const action = draw.pick(ofUpgrades);
    tell(action);
    await actions[action](context);
  }
  if (back.chance(0.25)) await setBack(context, { version, workerVersion }, back);
  if (lock.chance(0.3)) await (await protect(context))();
  await lift();
  if (draw.chance(0.15)) {
    await sleep(clock, draw.spread(second, 30 * minute));
    tell('delete');
    life.desired = undefined;
    await client.remove('Cluster', desired.name);
  } else if (draw.chance(0.2)) {
    await sleep(clock, draw.spread(second, 30 * minute));
    tell('change again');
    change(context);
    await applyAll(context);
  }
  await ends(context, attempt, draw.spread(minute, 180 * minute));
  await gitOps?.stop();
  repair();
  if (!life.desired) return;
  tell('repair');
  await applyAll(context);
  await context.settled(draw.pick([1, 120]));
};

interface Chances {
  /** Of a rollback with guards. */
  rollback: Dice;
  /** Of a protected cluster. */
  lock: Dice;
  /** Of a version that is set back. */
  back: Dice;
}

export const playUpgrades = async (context: ScenarioContext, times: number, ordinal: number): Promise<void> => {
  const chances = {
    rollback: dice(ordinal, 'guarded rollback'),
    lock: dice(ordinal, 'protection'),
    back: dice(ordinal, 'versions that are set back'),
  };
  for (let count = 0; count < times && context.life.desired; count++)
    await upgradeOnce(context, ordinal + count, chances);
};

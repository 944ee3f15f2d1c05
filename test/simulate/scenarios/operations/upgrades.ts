/**
 * Upgrades, most of which cannot succeed at first, while a GitOps client applies the manifests again
 * and again and users interfere.
 */
import type { ClusterOperation } from '../../../../kinds/operations/cluster-operation/index.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { type Dice, dice } from '../../dice.ts';
import { type ActionName, actions, newest } from '../actions.ts';
import { applyAll, type Scene } from '../context.ts';
import { full } from '../machines/failures.ts';
import { interferences } from './interferences.ts';

const second = 1000;
const minute = 60 * second;

/** Why new Machines do not become Available. Each returns what the user does about it. */
const causes = {
  none: () => () => {},
  'the control plane never joins': ({ wish }: Scene) => {
    wish.neverJoins = 'control plane';
    return () => {
      wish.neverJoins = undefined;
    };
  },
  'workers never join': ({ wish }: Scene) => {
    wish.neverJoins = 'workers';
    return () => {
      wish.neverJoins = undefined;
    };
  },
  'the instance type is unknown': ({ wish }: Scene) => {
    const { instanceType } = wish;
    wish.instanceType = 'x9.imagined';
    return () => {
      wish.instanceType = instanceType;
    };
  },
  'EC2 has no capacity': ({ world }: Scene) => {
    const { id } = world.account.faults.add({ action: 'RunInstances', code: full });
    return () => world.account.faults.clear(id);
  },
} satisfies Record<string, (scene: Scene) => () => void>;
const causeNames = Object.keys(causes) as (keyof typeof causes)[];

const ofUpgrades: readonly ActionName[] = [
  ...interferences,
  'lose an etcd member',
  'mark workers unhealthy',
  'deny access',
];

/** Another version, or another instance type once the newest version runs. */
const change = ({ wish }: Scene): void => {
  if (wish.version === newest) {
    wish.instanceType = wish.instanceType === 't3.large' ? 'm5.large' : 't3.large';
    return;
  }
  wish.version = wish.version === 'v1.35.0' ? 'v1.35.1' : newest;
  wish.workerVersion = wish.version;
};

/**
 * Applies the manifests as they are at each moment, until stopped. In an unmanaged network each apply
 * replaces the subnets, which the controller then completes again.
 */
const startGitOps = (scene: Scene): { stop: () => Promise<void> } => {
  const { clock, life, wish } = scene;
  const apart = (wish.network ? 30 : 5) * second;
  let isStopped = false;
  const ended = (async () => {
    while (!isStopped && life.wish) {
      await applyAll(scene);
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

const upgradesOf = ({ world, wish }: Scene): ClusterOperation[] =>
  world.mirror
    .all<ClusterOperation>('ClusterOperation')
    .filter(
      ({ metadata, spec }) =>
        metadata.namespace === 'default' && spec?.clusterName === wish.name && spec.type === 'upgrade',
    );
const isRunning = ({ status }: ClusterOperation): boolean => /^(Pending|Running)$/.test(status?.phase ?? 'Pending');

const latestAttempt = (scene: Scene): number => Math.max(0, ...upgradesOf(scene).map(({ spec }) => spec?.attempt ?? 0));

/** Until an upgrade after that attempt has ended, or this long. */
const ends = async (scene: Scene, attempt: number, most: number): Promise<void> => {
  const { clock } = scene;
  const until = clock.now() + most;
  const isOpen = () => latestAttempt(scene) <= attempt || upgradesOf(scene).some(isRunning);
  while (clock.now() < until && isOpen()) await sleep(clock, 15 * second);
};

const upgradeOnce = async (scene: Scene, ordinal: number, rollback: Dice): Promise<void> => {
  const { client, clock, draw, life, tell, wish } = scene;
  const cause = causeNames[ordinal % causeNames.length]!;
  await client.patch('Cluster', wish.name, {
    metadata: {
      annotations: {
        'capstan.dev/on-upgrade-failure': draw.pick([null, 'RollBack', 'Hold', 'Retry']),
        'capstan.dev/upgrade-rollback': rollback.chance(0.5) ? 'Guarded' : null,
        'capstan.dev/upgrade-deadline': draw.chance(0.8) ? `${draw.whole(10, 40)}m` : null,
      },
    },
  });
  tell(`upgrade, and ${cause}`);
  const attempt = latestAttempt(scene);
  const repair = causes[cause](scene);
  change(scene);
  await applyAll(scene);
  const gitOps = draw.chance(0.5) ? startGitOps(scene) : undefined;
  if (draw.chance(0.6)) {
    await sleep(clock, draw.spread(second, 90 * minute));
    const action = draw.pick(ofUpgrades);
    tell(action);
    await actions[action](scene);
  }
  if (draw.chance(0.15)) {
    await sleep(clock, draw.spread(second, 30 * minute));
    tell('delete');
    life.wish = undefined;
    await client.remove('Cluster', wish.name);
  } else if (draw.chance(0.2)) {
    await sleep(clock, draw.spread(second, 30 * minute));
    tell('change again');
    change(scene);
    await applyAll(scene);
  }
  await ends(scene, attempt, draw.spread(minute, 180 * minute));
  await gitOps?.stop();
  repair();
  if (!life.wish) return;
  tell('repair');
  await applyAll(scene);
  await scene.settled(draw.pick([1, 120]));
};

export const playUpgrades = async (scene: Scene, times: number, ordinal: number): Promise<void> => {
  const rollback = dice(ordinal, 'guarded rollback');
  for (let count = 0; count < times && scene.life.wish; count++) await upgradeOnce(scene, ordinal + count, rollback);
};

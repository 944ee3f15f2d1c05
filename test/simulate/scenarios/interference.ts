/**
 * A user acts at the worst moment: at each step of an operation, or during a replacement of
 * machines.
 */
import { sleep } from '../../../machinery/ports.ts';
import { type ActionName, actions, newest } from './actions.ts';
import type { Scene } from './context.ts';
import {
  actionsAt,
  isAfterCreation,
  isDeletion,
  ofOperations,
  rest,
  stateOf,
  states,
  workersChange,
} from './states.ts';

const second = 1000;
const minute = 60 * second;
const longestWait = 90 * minute;
/**
 * The number of moments in one life. Their states are evenly spaced and in order. Together,
 * consecutive lives cover all states.
 */
const moments = 4;
const apart = Math.ceil(states.length / moments);
/** Odd, so that each state meets all actions over time, not the same half. */
const shift = 5;

export interface Moment {
  state: string;
  action: ActionName;
}

/** The moments of life `number`. Consecutive numbers cover all states and actions. */
export const momentsOf = (number: number): Moment[] =>
  states.flatMap((state, index) => {
    if (index % apart !== number % apart) return [];
    // Actions on operations are twice as likely while an operation runs.
    const possible = isAfterCreation(state) ? actionsAt(state) : [...actionsAt(state), ...ofOperations];
    return [{ state, action: possible[(Math.floor(number / apart) + shift * index) % possible.length]! }];
  });

/** Resolves when the cluster reaches the state, cannot reach it any more, or after a timeout. */
const reached = ({ world, clock, wish }: Scene, state: string): Promise<void> =>
  new Promise((resolve) => {
    let isOver = false;
    const over = () => {
      isOver = true;
      cancel();
      resolve();
    };
    const cancel = clock.after(longestWait, over);
    const look = () => {
      if (isOver) return;
      const now = stateOf(world.mirror, wish.name);
      const isGone = isDeletion(state) && !world.mirror.get('Cluster', 'default', wish.name);
      if (now === state || isGone) over();
    };
    world.mirror.onCommit(look);
    look();
  });

/** The user's request that leads to the state; none for a state that follows by itself. */
const begin = async (scene: Scene, state: string): Promise<void> => {
  const { client, draw, life, wish, settled, tell } = scene;
  if (isDeletion(state)) {
    if (!life.wish) return;
    await settled(90);
    tell('delete');
    life.wish = undefined;
    await client.remove('Cluster', wish.name);
    return;
  }
  if (!isAfterCreation(state)) return;
  await settled(90);
  if (state === rest) return;
  const change: ActionName =
    state === workersChange
      ? wish.workers > 0
        ? 'roll workers'
        : 'scale workers'
      : draw.chance(0.5) || wish.version === newest
        ? 'scale control plane'
        : 'upgrade the control plane';
  tell(change);
  await actions[change](scene);
};

export const interfere = async (scene: Scene, times: number, number: number): Promise<void> => {
  const { clock, draw, life, tell } = scene;
  for (const { state, action } of momentsOf(number).slice(0, times)) {
    if (!life.wish && !isDeletion(state)) continue;
    await begin(scene, state);
    await reached(scene, state);
    // Acts immediately, or later within the state.
    if (draw.chance(0.6)) await sleep(clock, draw.spread(second, minute));
    tell(action);
    await actions[action](scene);
  }
};

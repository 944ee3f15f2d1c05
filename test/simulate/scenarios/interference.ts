/**
 * A user acts at the worst moment: at each step of an operation, or during a replacement of
 * machines.
 */
import { sleep } from '../../../machinery/ports.ts';
import { type ActionName, actions, newest } from './actions.ts';
import type { ScenarioContext } from './context.ts';
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
const reached = ({ world, clock, desired }: ScenarioContext, state: string): Promise<void> =>
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
      const now = stateOf(world.mirror, desired.name);
      const isGone = isDeletion(state) && !world.mirror.get('Cluster', 'default', desired.name);
      if (now === state || isGone) over();
    };
    world.mirror.onCommit(look);
    look();
  });

/** The user's request that leads to the state; none for a state that follows by itself. */
const begin = async (context: ScenarioContext, state: string): Promise<void> => {
  const { client, draw, life, desired, settled, tell } = context;
  if (isDeletion(state)) {
    if (!life.desired) return;
    await settled(90);
    tell('delete');
    life.desired = undefined;
    await client.remove('Cluster', desired.name);
    return;
  }
  if (!isAfterCreation(state)) return;
  await settled(90);
  if (state === rest) return;
  const change: ActionName =
    state === workersChange
      ? desired.workers > 0
        ? 'roll workers'
        : 'scale workers'
      : draw.chance(0.5) || desired.version === newest
        ? 'scale control plane'
        : 'upgrade the control plane';
  tell(change);
  await actions[change](context);
};

export const interfere = async (context: ScenarioContext, times: number, number: number): Promise<void> => {
  const { clock, draw, life, tell } = context;
  for (const { state, action } of momentsOf(number).slice(0, times)) {
    if (!life.desired && !isDeletion(state)) continue;
    await begin(context, state);
    await reached(context, state);
    // Acts immediately, or later within the state.
    if (draw.chance(0.6)) await sleep(clock, draw.spread(second, minute));
    tell(action);
    await actions[action](context);
  }
};

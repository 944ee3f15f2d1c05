/**
 * Every state of every operation, with every interference: nothing that was ever Available is torn down, no
 * spec changes, nothing is duplicated; and in the end the cluster is complete or gone.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { type Action, actions, finish } from './interference.actions.ts';
import { enter, type Ground } from './interference.ground.ts';
import { type State, states } from './interference.states.ts';

interface Cell {
  state: State;
  action: Action;
  seed: number;
  at: string;
  is: string;
}

const cells: Cell[] = states.flatMap((state, row) =>
  actions.map((action, column) => ({
    state,
    action,
    seed: row * actions.length + column,
    at: state.name,
    is: action.name,
  })),
);
/**
 * All cells take half an hour of one core, so one cell per state runs unless CAPSTAN_CELLS selects others: `all`,
 * the name of a state, or of a state and a pattern of actions, as in `Workers/edit`.
 */
const [wantedState = '', wantedAction = ''] = (process.env.CAPSTAN_CELLS ?? '').split('/');
const isWanted = ({ at, is }: Cell) => at === wantedState && new RegExp(wantedAction).test(is);
const makesSense = ({ state, action }: Cell) => action.senseless?.(state) === undefined;
/** A stride that visits every action before it repeats one. */
const stride = 8;
const sampled = states.flatMap((state, row) => {
  const own = cells.filter((cell) => cell.state === state && makesSense(cell));
  return own.slice((row * stride) % own.length).slice(0, 1);
});
const chosen = () => {
  if (wantedState === '') return sampled;
  return cells.filter((cell) => makesSense(cell) && (wantedState === 'all' || isWanted(cell)));
};

let ground: Ground | undefined;
afterEach(() => {
  ground?.world.end();
  ground = undefined;
});

const sum = (counts: Record<string, number>) => Object.values(counts).reduce((total, one) => total + one, 0);

describe('an operation', () => {
  it.each(chosen())('at $at: $is', async ({ state, action, seed }) => {
    ground = await enter(state, seed);
    const { world } = ground;
    const before = { destroyed: sum(ground.destroyed()), specs: ground.specs() };
    await action.act(ground);
    const given = new Map([...before.specs, ...ground.specs()]);
    const end = action.end(state);
    await finish(ground, end);
    await world.pass(5);
    if (end === 'gone') expect(ground.leftovers()).toEqual([]);
    else if (end !== 'kept') {
      ground.expectWhole();
      if (action.name !== 'a relevant edit' && end !== 'undone, then whole' && state.group !== 'undoing')
        expect(sum(ground.destroyed()) - before.destroyed).toBe(0);
      for (const [object, spec] of ground.specs()) expect(spec, object).toEqual(given.get(object));
    }
    // A workflow whose token was lost asks again within the hour, and learns of the end.
    if ((await ground.running()).length > 0) await world.pass(62);
    expect(await ground.running()).toEqual([]);
    expect(await ground.tokens()).toEqual([]);
  });
});

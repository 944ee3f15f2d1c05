/**
 * Moves the pods of some nodes to cheaper ones: to others that have room, or to one new node, which
 * must be ready before any pod is evicted. One move of a cluster at a time, of pools that opted in. Pure.
 */
import type { Steps } from '../../../../machinery/api/steps.ts';
import type { MoveState, NodeState, Removal } from '../decision.ts';
import { inState } from '../machines.ts';
import { staysBehind } from '../scale-down/blockers.ts';
import { iso } from '../scale-down/removals.ts';
import type { Machine, Move, MoveHistory, Pool } from '../types.ts';
import { type Given, intervalOf, pastOf } from './given.ts';
import { progressOf } from './pending-move.ts';
import { type Proposal, proposalsOf } from './proposals.ts';
import { accountOf, termsOf, type Victim } from './savings.ts';
import { tryMove } from './trial.ts';
import { ownerOf, victimsOf } from './victims.ts';

export type { Given } from './given.ts';
export { closeNodes, reservedBy } from './reserved.ts';

export type Consolidation = {
  remove: Removal[];
  /** The pool that gets a node for the pods of others. */
  bought?: Pool;
  move?: MoveState;
  history?: MoveHistory;
  /** Why nodes are not consolidated, by name. */
  notes: ReadonlyMap<string, string>;
  nextDue: number[];
};

/** Trials take time. More of them would find what a later decision finds, too. */
const mostTrials = 40;

const none: Consolidation = { remove: [], notes: new Map(), nextDue: [] };
const withHistory = (history: MoveHistory): Pick<Consolidation, 'history'> =>
  Object.keys(history).length > 0 ? { history } : {};

/** Evictions count a quarter more: at night there are fewer pods, and the last move of a day counts, too. */
const margin = 1.25;

/** After a move the pods of the cluster rest until evictions are as rare as its pools want. */
const afterMove = (given: Given, victims: readonly { pool: Pool; pods: Victim['pods'] }[]): MoveHistory => {
  const { inputs, sim } = given;
  const { now } = inputs;
  const interval = intervalOf(given);
  const moving = victims.flatMap(({ pods }) => pods.filter((pod) => !staysBehind(pod)));
  const all = [...sim.pods.values()].flat().filter((pod) => !staysBehind(pod)).length;
  const { evictions } = termsOf(victims.map(({ pool }) => pool));
  const owners = [...new Set(moving.map(ownerOf))].sort();
  const recent = (pastOf(given).moved ?? []).filter(({ at }) => at + interval > now);
  return {
    moved: [...recent, { at: now, owners }],
    notBefore: now + Math.ceil(((margin * moving.length) / (evictions * Math.max(1, all))) * interval),
  };
};

const removalsOf = (victims: readonly Victim[]): Removal[] =>
  victims.map(({ pool, machine, node }) => ({
    pool: pool.id,
    machine: machine.name,
    node: node.name,
    reason: 'Consolidated',
  }));

/** Doubles up to a day: what one new node did not show the next one may not either. */
const pauseAfter = (withdrawn: number, interval: number): number => interval * Math.min(24, 2 ** withdrawn);

const proceed = (given: Given, move: Move): Consolidation => {
  const { now } = given.inputs;
  const progress = progressOf(given, move);
  const { move: _, withdrawn = 0, ...past } = pastOf(given);
  const state = { nodes: move.nodes, pool: move.pool, since: move.at, saving: progress.saving };
  switch (progress.next) {
    case 'wait':
      return {
        ...none,
        history: { ...past, ...(withdrawn > 0 && { withdrawn }), move },
        move: { ...state, state: 'Waiting', message: progress.message },
        nextDue: [progress.due],
      };
    case 'drain':
      return {
        ...none,
        remove: removalsOf(progress.victims),
        history: { ...past, ...afterMove(given, progress.victims) },
        move: { ...state, state: 'Draining', message: '' },
      };
    case 'done': {
      const left = given.down.owned.filter(({ node, pool }) => pool.consolidate && move.nodes.includes(node.name));
      return { ...none, history: { ...past, ...(left.length > 0 && afterMove(given, left)) } };
    }
    case 'withdraw':
      return {
        ...none,
        history: {
          ...past,
          notBefore: Math.max(past.notBefore ?? 0, now + pauseAfter(withdrawn, intervalOf(given))),
          withdrawn: withdrawn + 1,
        },
        move: { ...state, state: 'Withdrawn', message: progress.message },
      };
  }
};

const started = (given: Given, { victims, place }: Proposal): Consolidation => {
  const { now } = given.inputs;
  const nodes = victims.map(({ node }) => node.name);
  const { saving } = accountOf(victims, place);
  const state = { nodes, ...(place && { pool: place.pool.id }), since: now, saving };
  if (place && !place.node)
    return {
      ...none,
      bought: place.pool,
      history: { ...pastOf(given), move: { at: now, nodes, pool: place.pool.id } },
      move: { ...state, state: 'Started', message: 'waits for the new node' },
    };
  return {
    ...none,
    remove: removalsOf(victims),
    history: { ...pastOf(given), ...afterMove(given, victims) },
    move: { ...state, state: 'Draining', message: '' },
  };
};

/** Why no move begins now, whatever it would save. */
const unrestOf = ({ machines, unrest, sim }: Given): string | undefined => {
  if (unrest !== undefined) return unrest;
  const isStarting = ({ node }: Machine) => sim.simulated.get(node!)?.origin === 'upcoming';
  for (const [{ consolidate }, of] of machines) {
    if (!consolidate) continue;
    if (of.uncreated > 0 || inState(of, 'upcoming').length > 0 || inState(of, 'node').some(isStarting))
      return 'nodes are coming';
    if (inState(of, 'leaving').length > 0) return 'nodes are being removed';
  }
  return undefined;
};

function* begin(given: Given): Steps<Consolidation> {
  const { now } = given.inputs;
  const past = pastOf(given);
  const idle = { ...none, ...withHistory(past) };
  const { notBefore = 0 } = past;
  const unrest = unrestOf(given) ?? (notBefore > now ? `no move begins before ${iso(notBefore)}` : undefined);
  if (unrest !== undefined) {
    const own = given.down.owned.filter(({ pool }) => pool.consolidate);
    return { ...idle, notes: new Map(own.map(({ node }) => [node.name, unrest])), nextDue: [notBefore] };
  }
  const { victims, notes, nextDue } = victimsOf(given);
  for (const proposal of proposalsOf(given, victims).slice(0, mostTrials)) {
    yield;
    if (tryMove(given, proposal.victims, proposal.place) === 'possible') return started(given, proposal);
  }
  for (const { node } of victims) notes.set(node.name, 'no cheaper place for its pods');
  return { ...idle, notes, nextDue };
}

export function* consolidate(given: Given): Steps<Consolidation> {
  const { move } = pastOf(given);
  if (move) return proceed(given, move);
  if (!given.inputs.pools.some((pool) => pool.consolidate)) return { ...none, ...withHistory(pastOf(given)) };
  return yield* begin(given);
}

/** The states of nodes that stay, with what the move says of them. */
export const withNotes = (nodes: readonly NodeState[], { notes, remove }: Consolidation): NodeState[] => {
  const gone = new Set(remove.map(({ node }) => node));
  return nodes.flatMap((state) => {
    if (gone.has(state.node)) return [];
    const note = notes.get(state.node);
    const isUsed = state.reason === 'NotUnderutilized' || state.reason === 'NoPlaceToMovePods';
    return isUsed && note !== undefined ? [{ ...state, note }] : [state];
  });
};

/** Whether a move of pods to cheaper nodes pays. Pure. */
import type { Consolidate } from '../../../common/autoscale/consolidate.ts';
import type { Candidate } from '../scale-down/candidates.ts';
import type { Pool } from '../types.ts';

export type Victim = Candidate & {
  /** Dollars an hour. */
  price: number;
};
/** Where the pods go that do not fit on the other nodes. */
export type Target = { pool: Pool; price: number };
export type Account = {
  /** Dollars an hour. */
  saving: number;
  /** Dollars that the move costs once. */
  cost: number;
};

const minute = 60_000;
const hour = 60 * minute;
/** How long the new node and the old ones are paid for together. */
const overlap = 10 * minute;
/** How long a pod that restarts is paid for without serving. */
const restart = 5 * minute;
/** Prices of spot instances vary by less within a day. */
const spotNoise = 0.3;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
const costOf = (victims: readonly Victim[]): number => sum(victims.map(({ price }) => price));

export const accountOf = (victims: readonly Victim[], target: Target | undefined): Account => {
  const restarts = sum(victims.map(({ price, utilization }) => price * Math.min(1, utilization)));
  const price = target?.price ?? 0;
  return { saving: costOf(victims) - price, cost: (price * overlap + restarts * restart) / hour };
};

/** The strictest conditions of the pools. */
export const termsOf = (pools: readonly Pool[]): Omit<Consolidate, 'age'> => {
  const all = pools.flatMap(({ consolidate }) => consolidate ?? []);
  return {
    saving: Math.max(...all.map(({ saving }) => saving)),
    payback: Math.min(...all.map(({ payback }) => payback)),
    evictions: Math.min(...all.map(({ evictions }) => evictions)),
  };
};

const isSpot = ({ market }: Pool): boolean => market === 'spot';

/** Sums of prices are inexact. */
const epsilon = 1e-9;

export const pays = (victims: readonly Victim[], target: Target | undefined): boolean => {
  const terms = termsOf(victims.map(({ pool }) => pool));
  const isNoisy = target !== undefined && isSpot(target.pool) && victims.some(({ pool }) => isSpot(pool));
  const least = (isNoisy ? Math.max(spotNoise, terms.saving) : terms.saving) * costOf(victims);
  const { saving, cost } = accountOf(victims, target);
  return saving > 0 && saving + epsilon >= least && cost <= saving * (terms.payback / hour) + epsilon;
};

/** A move begins a machine, whatever it evicts. */
const fixed = 2;

/** Evictions are scarce, so moves that save the most for each of them come first. */
export const gainOf = (victims: readonly Victim[], target: Target | undefined): number => {
  const evicted = victims.reduce((total, { moving }) => total + moving.length, 0);
  return accountOf(victims, target).saving / (evicted + fixed);
};

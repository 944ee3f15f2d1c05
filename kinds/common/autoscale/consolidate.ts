/**
 * The opt-in of a pool to moves of its pods to cheaper nodes: `true`, or conditions of a move such as
 * `saving=20% payback=30m age=1h evictions=2%`. Pure.
 */
import { parseDuration } from '../../../machinery/api/durations.ts';
import { pairOf } from './pair.ts';

/** Shares are of 1, times in milliseconds. */
export type Consolidate = {
  /** The least saving, of what the nodes cost. */
  saving: number;
  /** Within this time the saving pays for the overlap of nodes and the restarts of pods. */
  payback: number;
  /** Younger nodes are not removed. */
  age: number;
  /** How many pods of the cluster are evicted in an hour, on average. */
  evictions: number;
};

const minute = 60_000;
const defaults: Consolidate = { saving: 0.1, payback: 60 * minute, age: 10 * minute, evictions: 0.01 };

const percent = (text: string): number | undefined => {
  const [, digits] = /^(\d{1,3})%$/.exec(text) ?? [];
  const share = Number(digits) / 100;
  return share > 0 && share <= 1 ? share : undefined;
};
const time =
  (least: number) =>
  (text: string): number | undefined => {
    const milliseconds = (parseDuration(text) ?? 0) * 1000;
    return milliseconds >= least ? milliseconds : undefined;
  };
const forms: Record<keyof Consolidate, (text: string) => number | undefined> = {
  saving: percent,
  payback: time(minute),
  age: time(defaults.age),
  evictions: percent,
};

export const consolidateRule =
  'must be "true", "false" or conditions such as "saving=10% payback=1h age=10m evictions=1%", with an age of at least 10m';

/** `false` for a pool that opted out, undefined for a text that is malformed. */
export const parseConsolidate = (text: string): Consolidate | false | undefined => {
  if (text === 'true') return defaults;
  if (text === 'false') return false;
  const pairs = text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(pairOf);
  if (pairs.length === 0 || new Set(pairs.map(([name]) => name)).size < pairs.length) return undefined;
  const given = { ...defaults };
  for (const [name, value = ''] of pairs) {
    if (!Object.hasOwn(forms, name)) return undefined;
    const parsed = forms[name as keyof Consolidate](value);
    if (parsed === undefined) return undefined;
    given[name as keyof Consolidate] = parsed;
  }
  return given;
};

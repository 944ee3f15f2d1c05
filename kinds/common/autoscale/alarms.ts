/**
 * The alarms of a pool: sizes that replace its own while a CloudWatch alarm is in ALARM. An entry is
 * the name of an alarm with `min=` and `max=`; entries are separated by a newline or a semicolon. Pure.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { autoscale, type PoolBounds, size } from './annotations.ts';
import { type EntryFault, entryTexts, faultsIn, sizesOf } from './entries.ts';
import { pairOf } from './pair.ts';

const mostEntries = 20;
const longestName = 255;

type AlarmEntry = { text: string; name: string; min?: number; max?: number };

const form = 'must be the name of an alarm with min= or max=, each once';

/** An entry, or why it is none. */
const parseEntry = (text: string, at: number): AlarmEntry | EntryFault => {
  const tokens = text.split(/\s+/);
  const first = tokens.findIndex((token) => /^(min|max)=/.test(token));
  const pairs = (first < 0 ? [] : tokens.slice(first)).map(pairOf);
  const name = tokens.slice(0, first < 0 ? tokens.length : first).join(' ');
  const settings = Object.fromEntries(pairs) as Record<string, string | undefined>;
  const isWhole = name !== '' && name.length <= longestName && pairs.length > 0;
  const isKnown = Object.keys(settings).every((key) => key === 'min' || key === 'max');
  if (!isWhole || !isKnown || Object.keys(settings).length < pairs.length) return { at, value: text, detail: form };
  for (const field of ['min', 'max'] as const) {
    const value = settings[field];
    if (value !== undefined && size.parse(value) === undefined) return { at, field, value, detail: size.rule };
  }
  const { min, max } = settings;
  return {
    text: tokens.join(' '),
    name,
    ...(min !== undefined && { min: Number(min) }),
    ...(max !== undefined && { max: Number(max) }),
  };
};

const isEntry = (one: AlarmEntry | EntryFault): one is AlarmEntry => 'name' in one;
const entriesIn = (text: string): AlarmEntry[] => entryTexts(text).map(parseEntry).filter(isEntry);

export const alarmFaults = (text: string, own: PoolBounds | undefined): EntryFault[] =>
  faultsIn(text, own, { parse: parseEntry, isEntry, form, most: mostEntries });

/** The names of the alarms that a pool has entries for. */
export const alarmsOf = ({ metadata }: KubeObject): string[] =>
  entriesIn(metadata.annotations?.[autoscale.alarms] ?? '').map(({ name }) => name);

/** `sizes`: undefined while no alarm of the pool is in ALARM. */
export type Alarmed = { sizes: PoolBounds | undefined; entries: string[] };

/** Of several alarms the largest minimum and the largest maximum count. */
export const alarmed = (text: string, own: PoolBounds, alarming: ReadonlySet<string>): Alarmed => {
  const active = entriesIn(text)
    .filter(({ name }) => alarming.has(name))
    .map((entry) => ({ ...sizesOf(entry, own), text: entry.text }))
    // A stored entry that contradicts sizes that were changed later is ignored.
    .filter(({ min, max }) => max >= min);
  if (active.length === 0) return { sizes: undefined, entries: [] };
  return {
    sizes: { min: Math.max(...active.map(({ min }) => min)), max: Math.max(...active.map(({ max }) => max)) },
    entries: active.map((one) => one.text),
  };
};

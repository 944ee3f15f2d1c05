/**
 * Entries of an annotation that replace the sizes of a pool while they are active. A newline or a
 * semicolon separates them. Pure.
 */
import type { PoolBounds } from './annotations.ts';

/** The sizes of an entry; the pool's own count where it has none. */
export type Sizes = { min?: number; max?: number };

/** `field`: the faulty setting; absent if the entry as a whole is faulty. */
export type EntryFault = { at: number; field?: string; value: string; detail: string };

/** The entries without those that are empty. */
export const entryTexts = (text: string): string[] =>
  text
    .split(/[\n;]/)
    .map((line) => line.trim())
    .filter(Boolean);

/** The sizes of a pool while the entry is active. */
export const sizesOf = ({ min, max }: Sizes, own: PoolBounds): PoolBounds => ({
  min: min ?? own.min,
  max: max ?? own.max,
});

/** One size of an entry contradicts the pool's other one, so the entry must say both. */
const remedyOf = (entry: Sizes, { min, max }: PoolBounds): string => {
  if (entry.min !== undefined && entry.max !== undefined) return '';
  return entry.min === undefined
    ? `; the minimum is the pool's own: write min=${max} max=${max}`
    : `; the maximum is the pool's own: write min=${min} max=${min}`;
};

type Rules<E extends Sizes> = {
  /** An entry, or why it is none. */
  parse: (text: string, at: number) => E | EntryFault;
  isEntry: (one: E | EntryFault) => one is E;
  /** What an annotation without entries must be. */
  form: string;
  most: number;
};

export const faultsIn = <E extends Sizes>(
  text: string,
  own: PoolBounds | undefined,
  { parse, isEntry, form, most }: Rules<E>,
): EntryFault[] => {
  const texts = entryTexts(text);
  if (texts.length === 0) return [{ at: 0, value: text, detail: form }];
  if (texts.length > most) return [{ at: most, value: '', detail: `must not exceed ${most} entries` }];
  return texts.flatMap((line, at): EntryFault[] => {
    const entry = parse(line, at);
    if (!isEntry(entry)) return [entry];
    const sizes = own && sizesOf(entry, own);
    if (!sizes || sizes.max >= sizes.min) return [];
    const detail = `its maximum of ${sizes.max} must not be below its minimum of ${sizes.min}${remedyOf(entry, sizes)}`;
    return [{ at, field: entry.max === undefined ? 'min' : 'max', value: String(entry.max ?? entry.min), detail }];
  });
};

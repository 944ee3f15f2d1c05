/** A count, or a percentage of a total. */
export type Proportion = number | string | undefined;

/** Absent = `otherwise`. */
export const amountOf = (value: Proportion, total: number, round: (n: number) => number, otherwise: number): number => {
  if (value === undefined) return otherwise;
  if (typeof value === 'number') return value;
  return round((Number.parseInt(value, 10) * total) / 100);
};

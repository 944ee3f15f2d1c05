/**
 * Resolves a count or a percentage such as `"30%"` of a total; `otherwise` if the field is absent.
 */
export const amountOf = (
  value: number | string | undefined,
  total: number,
  round: (n: number) => number,
  otherwise: number,
): number => {
  if (value === undefined) return otherwise;
  if (typeof value === 'number') return value;
  return round((Number.parseInt(value, 10) * total) / 100);
};

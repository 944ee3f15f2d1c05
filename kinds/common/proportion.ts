/** What a field asks for of a total that says it as a count or as a percentage, such as `"30%"`; `otherwise` where it says nothing. */
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

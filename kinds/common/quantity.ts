/** Kubernetes quantities, such as 1500m, 4Gi or 1e3. Pure. */

const factors: Record<string, number> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};
const form = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:([KMGTPE]i|[numkMGTPE]?)|[eE]([+-]?\d+))$/;

/** The amount; undefined for a text that is no quantity. */
export const parseQuantity = (text: string | number): number | undefined => {
  if (typeof text === 'number') return text;
  const [, digits, suffix, exponent] = form.exec(text) ?? [];
  if (digits === undefined) return undefined;
  return exponent === undefined ? Number(digits) * factors[suffix ?? '']! : Number(`${digits}e${exponent}`);
};

/** In thousandths, rounded up, as the scheduler counts cpu. */
export const milli = (amount: number): number => {
  const thousandths = amount * 1000;
  const nearest = Math.round(thousandths);
  // 0.1 and its like have no exact binary form.
  return Math.abs(thousandths - nearest) < 1e-6 ? nearest : Math.ceil(thousandths);
};

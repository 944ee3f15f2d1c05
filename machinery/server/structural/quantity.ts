/** Exact quantities, such as 1500m and 4Gi, in billionths. */

const suffixes: Record<string, [bigint, bigint]> = {
  n: [1n, 10n ** 9n],
  u: [1n, 10n ** 6n],
  m: [1n, 10n ** 3n],
  '': [1n, 1n],
  k: [10n ** 3n, 1n],
  M: [10n ** 6n, 1n],
  G: [10n ** 9n, 1n],
  T: [10n ** 12n, 1n],
  P: [10n ** 15n, 1n],
  E: [10n ** 18n, 1n],
  Ki: [2n ** 10n, 1n],
  Mi: [2n ** 20n, 1n],
  Gi: [2n ** 30n, 1n],
  Ti: [2n ** 40n, 1n],
  Pi: [2n ** 50n, 1n],
  Ei: [2n ** 60n, 1n],
};
const form = /^([+-]?)(\d{0,30})(?:\.(\d{0,30}))?(?:([KMGTPE]i|[numkMGTPE]?)|[eE]([+-]?\d{1,2}))$/;
const billion = 10n ** 9n;

/** Undefined for a text that is no quantity. */
export const parseBillionths = (text: string): bigint | undefined => {
  const [, sign, whole, fraction = '', suffix, exponent] = form.exec(text) ?? [];
  if (whole === undefined || (whole === '' && fraction === '')) return undefined;
  const power = Number(exponent ?? 0);
  const [times, by] = suffixes[suffix ?? '']!;
  const digits = BigInt(whole + fraction || '0');
  const scaled = digits * times * billion * 10n ** BigInt(Math.max(0, power));
  const divisor = by * 10n ** BigInt(fraction.length) * 10n ** BigInt(Math.max(0, -power));
  // As Kubernetes, which rounds up what is smaller than a billionth.
  const amount = (scaled + divisor - 1n) / divisor;
  return sign === '-' ? -amount : amount;
};

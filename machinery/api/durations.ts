/** Durations as Go writes them, such as 1h30m0s. */

const unitsInNanoseconds: Record<string, number> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};

/** Seconds, with a fraction; undefined when the text is no duration. */
export const parseDuration = (text: string): number | undefined => {
  const [, sign, rest] = /^([+-]?)(.*)$/s.exec(text)!;
  if (rest === '0') return 0;
  const terms = rest!.match(/(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g);
  if (!terms || terms.join('') !== rest) return undefined;
  const nanoseconds = terms.reduce((sum, term) => {
    const [, amount, unit] = /^([\d.]+)(.+)$/.exec(term)!;
    return sum + Number(amount) * unitsInNanoseconds[unit!]!;
  }, 0);
  return (sign === '-' ? -nanoseconds : nanoseconds) / 1e9;
};

/** Whole seconds in Go's canonical form. */
export const formatDuration = (seconds: number): string => {
  const total = Math.abs(seconds);
  const [h, m, s] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60];
  const text = h > 0 ? `${h}h${m}m${s}s` : m > 0 ? `${m}m${s}s` : `${s}s`;
  return seconds < 0 ? `-${text}` : text;
};

/** Ages as kubectl prints them: two units for small ones, one for large ones. */
const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

const pair = (ms: number, large: number, largeUnit: string, small: number, smallUnit: string): string => {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)}${largeUnit}${rest === 0 ? '' : `${rest}${smallUnit}`}`;
};

export const humanDuration = (ms: number): string => {
  if (ms < -2 * second) return '<invalid>';
  if (ms < 0) return '0s';
  if (ms < 2 * minute) return `${Math.floor(ms / second)}s`;
  if (ms < 10 * minute) return pair(ms, minute, 'm', second, 's');
  if (ms < 3 * hour) return `${Math.floor(ms / minute)}m`;
  if (ms < 8 * hour) return pair(ms, hour, 'h', minute, 'm');
  if (ms < 2 * day) return `${Math.floor(ms / hour)}h`;
  if (ms < 8 * day) return pair(ms, day, 'd', hour, 'h');
  if (ms < 2 * year) return `${Math.floor(ms / day)}d`;
  if (ms < 8 * year) return pair(ms, year, 'y', day, 'd');
  return `${Math.floor(ms / year)}y`;
};

/** Time since an RFC 3339 timestamp. */
export const age = (timestamp: string, now: number): string => {
  const then = Date.parse(timestamp);
  return Number.isNaN(then) ? '<unknown>' : humanDuration(now - then);
};

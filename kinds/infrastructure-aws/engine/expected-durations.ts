/**
 * How long AWS takes for an operation, and when a check is worth a call. Seconds since the request.
 */
import { type Expected, type Types, typeOf } from './resource.ts';
import { pollDelay } from './step.ts';

/** What is known of the operation that this key announces. */
export const expectedOf = (key: string, all: Types): Expected | undefined => {
  const type = typeOf(key, all);
  const parts = key.split('/');
  return type && parts.length > type.depth ? type.expected?.[parts.slice(type.depth + 1).join('/')] : undefined;
};

const long = 15;

/** Whether a check may find a result; not before the first one. */
export const isExpected = (known: Expected | undefined, since: number, now: number, speed: number): boolean => {
  const first = known?.checks[0] ?? 0;
  return (now - since) * speed >= first * 1000;
};

/**
 * Seconds until the next check, rounded to a common time, so that one check serves operations that
 * began together.
 */
export const waitFor = (known: Expected | undefined, since: number, now: number, speed: number): number => {
  if (!known) return pollDelay(since, now);
  const { checks, every } = known;
  const elapsed = ((now - since) / 1000) * speed;
  const next = checks.find((check) => check > elapsed);
  const pace = elapsed > 2 * checks.at(-1)! ? long : every;
  const step = (pace * 1000) / speed;
  const earliest = next === undefined ? now + 1 : since + (next * 1000) / speed;
  return (Math.ceil(earliest / step) * step - now) / 1000;
};

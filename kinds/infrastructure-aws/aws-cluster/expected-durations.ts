/**
 * How long AWS takes for an operation, and when a check is worth a call. Seconds since the request.
 */
import type { JsonValue } from '../../../machinery/api/object.ts';
import { pollDelay } from './step.ts';

/** How many times faster than AWS the account runs; a simulated account may be faster. */
export const speedOf = ({ speed }: Record<string, JsonValue>): number => (typeof speed === 'number' ? speed : 1);

interface ExpectedDuration {
  of: RegExp;
  /** When the first checks are due; no result is expected between them. */
  checks: number[];
  /** The interval of all further checks, until the operation takes twice as long as expected. */
  every: number;
}

/** A gateway fails within half a minute, with a reason; routes wait for their gateway. */
const gateway = { checks: [30, 85], every: 10 };
const expectedDurations: ExpectedDuration[] = [
  { of: /^nat-gateway\/[^/]+$/, ...gateway },
  { of: /^route-table\/[^/]+\/route$/, ...gateway },
  { of: /^load-balancer\/[^/]+$/, checks: [108], every: 3 },
  { of: /^load-balancer\/[^/]+\/name$/, checks: [8], every: 2 },
];
const long = 15;

/** Whether a check may find a result; not before the first one. */
export const isExpected = (key: string, since: number, now: number, speed: number): boolean => {
  const first = expectedDurations.find(({ of }) => of.test(key))?.checks[0] ?? 0;
  return (now - since) * speed >= first * 1000;
};

/**
 * Seconds until the next check, rounded to a common time, so that one check serves operations that
 * began together.
 */
export const waitFor = (key: string, since: number, now: number, speed: number): number => {
  const known = expectedDurations.find(({ of }) => of.test(key));
  if (!known) return pollDelay(since, now);
  const { checks, every } = known;
  const elapsed = ((now - since) / 1000) * speed;
  const next = checks.find((check) => check > elapsed);
  const pace = elapsed > 2 * checks.at(-1)! ? long : every;
  const step = (pace * 1000) / speed;
  const earliest = next === undefined ? now + 1 : since + (next * 1000) / speed;
  return (Math.ceil(earliest / step) * step - now) / 1000;
};

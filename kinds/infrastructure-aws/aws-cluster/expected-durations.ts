/** When it is worth looking at what AWS takes its time for. Seconds, from when it was asked for. */
import type { JsonValue } from '../../../machinery/api/object.ts';
import { pollDelay } from './step.ts';

/** How many times as fast as AWS the account is: a simulated one may be. */
export const speedOf = ({ speed }: Record<string, JsonValue>): number => (typeof speed === 'number' ? speed : 1);

interface ExpectedDuration {
  of: RegExp;
  /** The first checks; nothing is expected between them. */
  checks: number[];
  /** Between all further ones, until it has taken twice as long. */
  every: number;
}

/** A gateway that cannot be had fails within half a minute, and says why; routes wait for one. */
const gateway = { checks: [30, 85], every: 10 };
const expectedDurations: ExpectedDuration[] = [
  { of: /^nat-gateway\/[^/]+$/, ...gateway },
  { of: /^route-table\/[^/]+\/route$/, ...gateway },
  { of: /^load-balancer\/[^/]+$/, checks: [108], every: 3 },
  { of: /^load-balancer\/[^/]+\/name$/, checks: [8], every: 2 },
];
const long = 15;

/** Whether a look may find something; before the first one nothing is expected. */
export const isExpected = (key: string, since: number, now: number, speed: number): boolean => {
  const first = expectedDurations.find(({ of }) => of.test(key))?.checks[0] ?? 0;
  return (now - since) * speed >= first * 1000;
};

/** Seconds until the next look, at an even time, so that one look serves all that began about together. */
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

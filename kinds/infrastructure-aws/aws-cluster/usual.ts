/** When it is worth looking at what AWS takes its time for. Seconds, from when it was asked for. */
import type { JsonValue } from '../../../machinery/api/object.ts';
import { patience } from './step.ts';

/** How many times as fast as AWS the account is: a simulated one may be. */
export const speedOf = ({ speed }: Record<string, JsonValue>): number => (typeof speed === 'number' ? speed : 1);

interface Usual {
  of: RegExp;
  /** The first looks; nothing is expected between them. */
  looks: number[];
  /** Between all further ones, until it has taken twice as long. */
  every: number;
}

/** A gateway that cannot be had fails within half a minute, and says why; routes wait for one. */
const gateway = { looks: [30, 85], every: 10 };
const usual: Usual[] = [
  { of: /^nat-gateway\/[^/]+$/, ...gateway },
  { of: /^route-table\/[^/]+\/route$/, ...gateway },
  { of: /^load-balancer\/[^/]+$/, looks: [108], every: 3 },
  { of: /^load-balancer\/[^/]+\/name$/, looks: [8], every: 2 },
];
const long = 15;

/** Whether a look may find something; before the first one nothing is expected. */
export const isExpected = (key: string, since: number, now: number, speed: number): boolean => {
  const first = usual.find(({ of }) => of.test(key))?.looks[0] ?? 0;
  return (now - since) * speed >= first * 1000;
};

/** Seconds until the next look, at an even time, so that one look serves all that began about together. */
export const waitFor = (key: string, since: number, now: number, speed: number): number => {
  const known = usual.find(({ of }) => of.test(key));
  if (!known) return patience(since, now);
  const { looks, every } = known;
  const elapsed = ((now - since) / 1000) * speed;
  const next = looks.find((look) => look > elapsed);
  const pace = elapsed > 2 * looks.at(-1)! ? long : every;
  const step = (pace * 1000) / speed;
  const earliest = next === undefined ? now + 1 : since + (next * 1000) / speed;
  return (Math.ceil(earliest / step) * step - now) / 1000;
};

import { expect, it } from 'vitest';
import { minute, now, pending } from '../plan/plan.fixture.ts';
import type { Inputs } from '../plan/types.ts';
import { batchedUntil } from './batch.ts';

const second = 1000;
const until = ({ newest, scaledUp }: { newest?: number; scaledUp?: number }, speed = 1): number | undefined => {
  const pods = newest === undefined ? [] : pending(3).map((pod) => ({ ...pod, createdAt: now - newest }));
  const history = scaledUp === undefined ? {} : { pools: { a: {}, b: { scaledUpAt: now - scaledUp } } };
  const inputs = { snapshot: { nodes: [], pods }, pools: [], history, now } as unknown as Inputs;
  const time = batchedUntil(inputs, speed);
  return time === undefined ? undefined : time - now;
};

it.each<{ rule: string; newest?: number; scaledUp?: number; speed?: number; waits?: number }>([
  { rule: 'does not wait for the first pods of a burst', newest: 0 },
  { rule: 'waits for pods that arrive after a scale-up', newest: 500, scaledUp: 4 * second, waits: 1500 },
  { rule: 'waits at most ten seconds after it', newest: 0, scaledUp: 9 * second, waits: second },
  { rule: 'does not wait once it waited ten seconds', newest: 0, scaledUp: 10 * second },
  { rule: 'does not wait for older pods', newest: 2 * second, scaledUp: 4 * second },
  { rule: 'does not wait without pending pods', scaledUp: second },
  { rule: 'does not wait for a scale-up long ago', newest: 0, scaledUp: 10 * minute },
  { rule: 'waits at most ten seconds for pods of a fast clock', newest: -minute, scaledUp: 4 * second, waits: 6000 },
  { rule: 'waits less in a fast simulation', newest: 0, scaledUp: 0, speed: 10, waits: 200 },
])('a decision $rule', ({ waits, speed, ...given }) => expect(until(given, speed)).toBe(waits));

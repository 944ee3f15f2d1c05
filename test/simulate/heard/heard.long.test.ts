import { expect, it } from 'vitest';
import { controllers as wiring } from '../../../wiring.ts';
import { simulate } from '../simulation.ts';
import { deliberate, isDeliberate } from './deliberate.ts';
import { type Gap, type Listening, listen, tellsBy } from './listen.ts';

/** Runs without faults. */
const lives = [
  { seed: 7, scenario: 'interference' },
  { seed: 324, action: 'upgrade the control plane' },
  { seed: 17200124, action: 'create a part of the cluster' },
] as const;

/**
 * Seconds until a relayed change arrives. Messages take longer: each relaying controller debounces
 * them.
 */
const relayed = { deeds: 60, facts: 60, messages: 150 };

const overhear = async (life: (typeof lives)[number]): Promise<readonly Gap[]> => {
  let listening: Listening | undefined;
  const { failure } = await simulate({
    ...life,
    only: [],
    listen: (world) => {
      listening = listen(world, tellsBy(world, wiring));
      return listening;
    },
  });
  expect(failure).toBeUndefined();
  return listening!.gaps();
};

it('notifies each controller that a change affects', async () => {
  const gaps: Gap[] = [];
  for (const life of lives) gaps.push(...(await overhear(life)));
  const silences = (gap: Gap) => deliberate.filter((silence) => isDeliberate(silence, gap));
  expect(gaps.filter((gap) => silences(gap).length === 0).map(({ what }) => what)).toEqual([]);
  const overdue = gaps.filter(
    (gap) => silences(gap).some(({ isRelayed }) => isRelayed) && (gap.looked ?? 0) > relayed[gap.how],
  );
  expect(overdue.map(({ what, looked }) => `${what}, and reconciles ${looked} s later`)).toEqual([]);
  const needless = deliberate.filter((silence) => !gaps.some((gap) => isDeliberate(silence, gap)));
  expect(needless.map(({ why }) => why)).toEqual([]);
});

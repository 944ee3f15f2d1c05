import { expect, it } from 'vitest';
import { controllers as wiring } from '../../../wiring.ts';
import { simulate } from '../simulation.ts';
import { deliberate, isDeliberate } from './deliberate.ts';
import { type Gap, type Listening, listen, tellsBy } from './listen.ts';

/** Nothing goes wrong in them. */
const lives = [
  { seed: 7, scenario: 'interference' },
  { seed: 324, action: 'upgrade the control plane' },
] as const;

/** Seconds in which those hear of it who hear it from others: what is so, and words, which wait at each of them. */
const relayed = { deeds: 60, facts: 60, words: 150 };

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

it('tells whoever reads something that it changes', async () => {
  const gaps: Gap[] = [];
  for (const life of lives) gaps.push(...(await overhear(life)));
  const silences = (gap: Gap) => deliberate.filter((silence) => isDeliberate(silence, gap));
  expect(gaps.filter((gap) => silences(gap).length === 0).map(({ what }) => what)).toEqual([]);
  const late = gaps.filter(
    (gap) => silences(gap).some(({ isRelayed }) => isRelayed) && (gap.looked ?? 0) > relayed[gap.how],
  );
  expect(late.map(({ what, looked }) => `${what}, and looks ${looked} s later`)).toEqual([]);
  const needless = deliberate.filter((silence) => !gaps.some((gap) => isDeliberate(silence, gap)));
  expect(needless.map(({ why }) => why)).toEqual([]);
});

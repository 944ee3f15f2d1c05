/** Runs seeds over the copy of the tree that it stands in, one after the other, until one notices. */
import { simulate } from '../simulate/simulation.ts';

export interface Night {
  from: number;
  seeds: number;
  /** Those of them that are passed over. */
  without: readonly number[];
}
export interface Dawn {
  /** Of the run that noticed, and what it saw; undefined when none did. */
  noticed?: { seed: number; invariant: string; message: string };
}

process.once('message', async ({ from, seeds, without }: Night) => {
  for (let seed = from; seed < from + seeds; seed++) {
    if (without.includes(seed)) continue;
    // Where it begins is made by the same code, and may not come about.
    const begins = simulate({ seed }).catch((error: unknown) => ({
      failure: { invariant: 'begins', message: String(error) },
    }));
    const { failure } = await begins;
    if (!failure) continue;
    process.send?.({ noticed: { seed, ...failure } } satisfies Dawn);
    return process.disconnect();
  }
  process.send?.({} satisfies Dawn);
  process.disconnect();
});

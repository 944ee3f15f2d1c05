/** Runs seeds over its copy of the tree, one after the other, until one detects the defect. */
import { simulate } from '../simulate/simulation.ts';

export interface Night {
  from: number;
  seeds: number;
  /** The seeds to skip. */
  without: readonly number[];
}
export interface Dawn {
  /** The run that detected the defect, and the failure; undefined when none did. */
  noticed?: { seed: number; invariant: string; message: string };
}

process.once('message', async ({ from, seeds, without }: Night) => {
  for (let seed = from; seed < from + seeds; seed++) {
    if (without.includes(seed)) continue;
    // The same code creates the initial state, which may fail.
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

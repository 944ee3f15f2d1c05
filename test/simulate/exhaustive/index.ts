/** Every occasion of every sweep in every phase, once each: what one thing that goes wrong does to where it all ends. */
import { dice } from '../dice.ts';
import { type PhaseName, phaseNames, phases } from './phases.ts';
import type { Strike } from './planned.ts';
import { emptyStart, type Played, playPhase, type Start } from './run.ts';
import { type SweepName, sweepNames, sweeps } from './sweeps.ts';

export { type PhaseName, phaseNames } from './phases.ts';
export { type SweepName, sweepNames, sweeps } from './sweeps.ts';

export interface Trial extends Strike {
  phase: PhaseName;
  /** What was struck. */
  at: string;
}

/** What goes wrong nowhere: one run of each phase, to compare with. */
export interface Undisturbed {
  trials: readonly Trial[];
  run(trial: Trial): Promise<Played>;
}

const trace = async (phase: PhaseName, start: Start, isKept: boolean): Promise<Played> => {
  const played = await playPhase({ seed: phases[phase].seed, phase, start, isKept });
  if (played.failure) throw new Error(`${phase} without any fault: ${played.failure}`);
  return played;
};

/** Trials of these phases and sweeps, in an order in which every part of them is like the whole. */
export const undisturbed = async (
  wanted: readonly PhaseName[] = phaseNames,
  kinds: readonly SweepName[] = sweepNames,
): Promise<Undisturbed> => {
  const empty = await emptyStart(phases.create.seed);
  const create = await trace('create', empty, true);
  const starts: Record<(typeof phases)[PhaseName]['from'], Start> = {
    nothing: empty,
    cluster: { ...empty, moment: create.moment! },
  };
  const traces = new Map<PhaseName, Played>([['create', create]]);
  for (const phase of wanted)
    if (phase !== 'create') traces.set(phase, await trace(phase, starts[phases[phase].from], false));
  const trials = wanted.flatMap((phase) =>
    kinds.flatMap((sweep) =>
      traces.get(phase)!.occasions[sweep].map((at, occasion): Trial => ({ phase, sweep, occasion, at })),
    ),
  );
  const draw = dice(0, 'order of trials');
  const order = trials.map((trial) => ({ trial, rank: draw.next() })).sort((a, b) => a.rank - b.rank);
  return {
    trials: order.map(({ trial }) => trial),
    run: async ({ phase, sweep, occasion }) => {
      const { from, seed } = phases[phase];
      const expected = traces.get(phase)!.end;
      return playPhase({ seed, phase, start: starts[from], strike: { sweep, occasion }, expected });
    },
  };
};

/** How a trial is asked for again. */
export const nameOfTrial = ({ phase, sweep, occasion }: Trial): string =>
  `${phase}:${sweep.replaceAll(' ', '-')}:${occasion}`;

export const trialOf = (name: string, trials: readonly Trial[]): Trial => {
  const found = trials.find((trial) => nameOfTrial(trial) === name);
  if (!found) throw new Error(`${name} is none of ${trials.length} trials, such as ${nameOfTrial(trials[0]!)}`);
  return found;
};

/** Those whose fault is among these. */
export const sweepsOf = (faults: readonly string[] | undefined): SweepName[] =>
  sweepNames.filter((name) => !faults || faults.includes(sweeps[name].fault));

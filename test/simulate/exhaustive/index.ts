/**
 * Enumerates each occasion of each sweep in each phase, to compare the end of a run with one fault
 * to the end of the undisturbed run.
 */
import { dice } from '../dice.ts';
import type { Moment } from '../site.ts';
import { type PhaseName, phaseNames, phases } from './phases.ts';
import type { Strike } from './planned.ts';
import { emptyStart, type Played, playPhase, type Start, type Waypoint } from './run.ts';
import { type SweepName, sweepNames, sweeps } from './sweeps.ts';

export { type PhaseName, phaseNames } from './phases.ts';
export { type SweepName, sweepNames, sweeps } from './sweeps.ts';

export interface Trial extends Strike {
  phase: PhaseName;
  /** The part of the undisturbed run. */
  part: number;
  /** The call that the fault strikes. */
  at: string;
}

/** One run of each phase without faults, to compare with. */
export interface Undisturbed {
  trials: readonly Trial[];
  run(trial: Trial): Promise<Played>;
}

/**
 * An undisturbed run of a phase, in parts. A trial starts at the part in which its fault strikes.
 */
interface Trace {
  parts: { from: Waypoint | undefined; occasions: Played['occasions'] }[];
  /** The states in which the world was idle, and the last part in which each occurred. */
  stands: ReadonlyMap<string, number>;
  end: readonly string[];
  moment: Moment;
}

const trace = async (phase: PhaseName, start: Start): Promise<Trace> => {
  const { seed } = phases[phase];
  const parts: Trace['parts'] = [];
  const stands = new Map<string, number>();
  for (let from: Waypoint | undefined; ; ) {
    const played = await playPhase({
      seed: partOf(seed, parts.length),
      phase,
      start,
      from,
      isKept: true,
      isPart: true,
    });
    if (played.failure) throw new Error(`${phase} without any fault: ${played.failure}`);
    for (const stand of played.stands) stands.set(stand, parts.length);
    parts.push({ from, occasions: played.occasions });
    if (!played.waypoint) return { parts, stands, end: played.end, moment: played.moment! };
    from = played.waypoint;
  }
};

/** Each part has a seed of its own, so the next part does not repeat its draws. */
const partOf = (seed: number, part: number) => 1000 * seed + part;

/**
 * The trials of these phases and sweeps, in an order in which every prefix is a representative
 * sample.
 */
export const undisturbed = async (
  wanted: readonly PhaseName[] = phaseNames,
  kinds: readonly SweepName[] = sweepNames,
): Promise<Undisturbed> => {
  const unmanaged = await emptyStart(phases.create.seed);
  const create = await trace('create', unmanaged);
  const starts: Record<(typeof phases)[PhaseName]['from'], Start> = {
    network: unmanaged,
    cluster: { ...unmanaged, moment: create.moment },
    nothing: await emptyStart(phases.network.seed, false),
  };
  const traces = new Map<PhaseName, Trace>([['create', create]]);
  for (const phase of wanted) if (phase !== 'create') traces.set(phase, await trace(phase, starts[phases[phase].from]));
  const trials = wanted.flatMap((phase) =>
    kinds.flatMap((sweep) =>
      traces
        .get(phase)!
        .parts.flatMap(({ occasions }, part) =>
          occasions[sweep].map((at, occasion): Trial => ({ phase, part, sweep, occasion, at })),
        ),
    ),
  );
  const draw = dice(0, 'order of trials');
  const order = trials.map((trial) => ({ trial, rank: draw.next() })).sort((a, b) => a.rank - b.rank);
  return {
    trials: order.map(({ trial }) => trial),
    run: async ({ phase, part, sweep, occasion }) => {
      const { parts, stands, end: expected } = traces.get(phase)!;
      return playPhase({
        seed: partOf(phases[phase].seed, part),
        phase,
        start: starts[phases[phase].from],
        from: parts[part]!.from,
        strike: { sweep, occasion },
        expected,
        isKnown: (stand) => (stands.get(stand) ?? part) > part,
      });
    },
  };
};

/** The name with which the command line selects a trial. */
export const nameOfTrial = ({ phase, part, sweep, occasion }: Trial): string =>
  `${phase}:${part}:${sweep.replaceAll(' ', '-')}:${occasion}`;

export const trialOf = (name: string, trials: readonly Trial[]): Trial => {
  const found = trials.find((trial) => nameOfTrial(trial) === name);
  if (!found)
    throw new Error(`${name} is not among the ${trials.length} trials, for example ${nameOfTrial(trials[0]!)}`);
  return found;
};

/** The sweeps that use one of these faults. */
export const sweepsOf = (faults: readonly string[] | undefined): SweepName[] =>
  sweepNames.filter((name) => !faults || faults.includes(sweeps[name].fault));

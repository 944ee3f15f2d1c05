/** `npm run simulate -- --exhaustive`: runs the trials and reports those that end differently. */
import type { FaultName } from '../faults/index.ts';
import {
  nameOfTrial,
  type PhaseName,
  phaseNames,
  sweepNames,
  sweepsOf,
  type Trial,
  trialOf,
  undisturbed,
} from './index.ts';

export interface ExhaustiveOptions {
  phases: readonly PhaseName[];
  faults?: readonly FaultName[] | undefined;
  /** Runs every `of`-th trial, starting at `part`, which is at least 1. */
  shard: { part: number; of: number };
  /** How many of these trials to skip, for example because they ran before; none when absent. */
  from?: number | undefined;
  seconds?: number | undefined;
  /** Runs this trial only, and prints its story. */
  trial?: string | undefined;
  json?: boolean | undefined;
}

export interface ExhaustiveResult {
  trials: number;
  run: number;
  seconds: number;
  cpuSeconds: number;
  /** By sweep and phase: how many trials there are, how many ran, and how many failed. */
  coverage: Record<string, { there: number; run: number; failed: number }>;
  failures: { trial: string; at: string; failure: string }[];
}

const cpuSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

export const exhaust = async (options: ExhaustiveOptions, tell: (line: string) => void): Promise<ExhaustiveResult> => {
  const { phases, faults, shard, from, seconds = Number.POSITIVE_INFINITY, trial: only } = options;
  const began = performance.now();
  const elapsed = () => (performance.now() - began) / 1000;
  const { trials, run } = await undisturbed(phases, sweepsOf(faults));
  const part = trials.filter((_, index) => index % shard.of === shard.part - 1).slice(from);
  const mine = only ? [trialOf(only, trials)] : part;
  const result: ExhaustiveResult = {
    trials: mine.length,
    run: 0,
    seconds: 0,
    cpuSeconds: 0,
    coverage: {},
    failures: [],
  };
  const covered = ({ phase, sweep }: Trial) =>
    (result.coverage[`${phase}: ${sweep}`] ??= { there: 0, run: 0, failed: 0 });
  for (const trial of mine) covered(trial).there += 1;
  for (const trial of mine) {
    if (elapsed() > seconds) break;
    const { failure, story } = await run(trial);
    result.run += 1;
    covered(trial).run += 1;
    if (failure) {
      covered(trial).failed += 1;
      result.failures.push({ trial: nameOfTrial(trial), at: trial.at, failure });
    }
    if (only) for (const line of story) tell(line);
    if (failure) tell(`${nameOfTrial(trial)} (${trial.at}) ${failure}`);
    if (result.run % 25 === 0)
      tell(`${result.run} of ${mine.length} trials, ${result.failures.length} failed, ${elapsed().toFixed(0)} s`);
  }
  return { ...result, seconds: elapsed(), cpuSeconds: cpuSeconds() };
};

export const exhaustiveText = ({
  trials,
  run,
  seconds,
  cpuSeconds: cpu,
  coverage,
  failures,
}: ExhaustiveResult): string => {
  const count = (part: number) => String(part).padStart(8);
  const rows = phaseNames.flatMap((phase) =>
    sweepNames.flatMap((sweep) => {
      const row = coverage[`${phase}: ${sweep}`];
      return row ? [`${count(row.run)}${count(row.there)}${count(row.failed)}  ${phase}: ${sweep}`] : [];
    }),
  );
  return [
    '     run   total  failed',
    ...rows,
    '',
    `${run} of ${trials} trials in ${seconds.toFixed(0)} s, ${cpu.toFixed(0)} s of CPU time`,
    failures.length === 0
      ? 'All trials ended like the undisturbed run.'
      : `${failures.length} ended differently: ${failures.map(({ trial }) => trial).join(', ')}`,
  ].join('\n');
};

/** Runs many seeds and sums up their outcomes and coverage. */
import { createHash } from 'node:crypto';
import { added, type CoverageCounts } from './coverage.ts';
import type { FaultName } from './faults/index.ts';
import type { Outcome } from './simulation.ts';

export interface CampaignOptions {
  from: number;
  seeds: number;
  /** No run begins after this time. */
  milliseconds: number;
  /** No run begins after it aborts. */
  signal?: AbortSignal;
  run: (seed: number) => Promise<Outcome>;
  /** Concurrent runs. The outcomes do not depend on it. */
  lanes?: number;
  /** Real time in milliseconds since an arbitrary start. */
  elapsed: () => number;
  /** Called in the order of the seeds. */
  onDone?: (outcome: Outcome, done: number, share: number, failures: number) => void;
}

export interface CampaignResult {
  from: number;
  runs: number;
  /** The hash over the hashes of all runs: the same on every machine. */
  hash: string;
  seconds: number;
  /** CPU time of the runs. */
  cpuSeconds: number;
  events: number;
  virtualHours: number;
  failures: { seed: number; invariant: string; message: string }[];
  fired: Partial<Record<FaultName, number>>;
  coverage: CoverageCounts;
}

export const campaign = async (options: CampaignOptions): Promise<CampaignResult> => {
  const { from, seeds, milliseconds, signal, run, lanes = 1, elapsed, onDone } = options;
  const began = elapsed();
  const result: CampaignResult = {
    from,
    runs: 0,
    hash: '',
    seconds: 0,
    cpuSeconds: 0,
    events: 0,
    virtualHours: 0,
    failures: [],
    fired: {},
    coverage: { crossed: {}, crashed: {}, frozen: {}, interfered: {} },
  };
  const digest = createHash('sha256');
  const add = (outcome: Outcome) => {
    result.runs += 1;
    digest.update(outcome.hash);
    result.cpuSeconds += outcome.cpuSeconds;
    result.events += outcome.events;
    result.virtualHours += outcome.virtualHours;
    if (outcome.failure) result.failures.push({ seed: outcome.seed, ...outcome.failure });
    added(result.fired as Record<string, number>, outcome.fired);
    for (const part of ['crossed', 'crashed', 'frozen', 'interfered'] as const)
      added(result.coverage[part], outcome.coverage[part]);
    const share = Math.max(result.runs / seeds, (elapsed() - began) / milliseconds);
    onDone?.(outcome, result.runs, share, result.failures.length);
  };
  let begun = 0;
  /** Outcomes that wait for a run with a lower seed. */
  const early = new Map<number, Outcome>();
  const lane = async () => {
    while (begun < seeds && elapsed() - began < milliseconds && !signal?.aborted) {
      const seed = from + begun++;
      early.set(seed, await run(seed));
      for (let next = early.get(from + result.runs); next; next = early.get(from + result.runs)) {
        early.delete(next.seed);
        add(next);
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  result.hash = digest.digest('hex').slice(0, 16);
  result.seconds = (elapsed() - began) / 1000;
  return result;
};

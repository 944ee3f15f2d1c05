/** `npm run simulate`: runs seeds and reports failures and coverage. */
import { availableParallelism } from 'node:os';
import { Command } from 'commander';
import { campaign } from './campaign.ts';
import { simulateTwice } from './determinism.ts';
import { exhaust, exhaustiveText } from './exhaustive/command.ts';
import { type PhaseName, phaseNames } from './exhaustive/index.ts';
import { type FaultName, faultNames, passing } from './faults/index.ts';
import { openProcesses } from './processes.ts';
import { coverageText, failureText } from './report.ts';
import { type ActionName, actionNames } from './scenarios/actions.ts';
import { type ScenarioName, scenarioNames } from './scenarios/life.ts';
import { shrink } from './shrink.ts';
import { type Outcome, simulate } from './simulation.ts';

const whole = (text: string): number => {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`${text} is not a whole number`);
  return value;
};
const faultsOf = (text: string): readonly FaultName[] => {
  if (text === 'none') return [];
  if (text === 'passing') return passing;
  return text.split(',').map((name) => {
    const known = faultNames.find((one) => one === name);
    if (!known) throw new Error(`${name} is not one of: none, passing, ${faultNames.join(', ')}`);
    return known;
  });
};

interface Options {
  seeds?: number;
  from?: number;
  seconds?: number;
  clusters?: number;
  steps?: number;
  faults?: readonly FaultName[];
  json?: boolean;
  seed?: number;
  story?: boolean;
  shrink?: boolean;
  check?: boolean;
  exhaustive?: PhaseName | true;
  scenario?: ScenarioName;
  action?: ActionName;
  minutes?: number;
  processes: number;
  shard: { part: number; of: number };
  trial?: string;
}

const scenarioOf = (text: string): ScenarioName => {
  const scenario = scenarioNames.find((one) => one === text);
  if (!scenario) throw new Error(`${text} is not one of ${scenarioNames.join(', ')}`);
  return scenario;
};
const actionOf = (text: string): ActionName => {
  const action = actionNames.find((one) => one === text);
  if (!action) throw new Error(`${text} is not one of: ${actionNames.join(', ')}`);
  return action;
};
/** The phase of that name; true for all phases, which is the default. */
const phaseOf = (text: string): PhaseName | true => {
  if (text === 'all') return true;
  const phase = phaseNames.find((one) => one === text);
  if (!phase) throw new Error(`${text} is not one of ${phaseNames.join(', ')}`);
  return phase;
};
const shardOf = (text: string) => {
  const [part, of] = text.split('/').map(Number);
  if (!part || !of || part > of) throw new Error(`${text} is not a shard, for example 1/8`);
  return { part, of };
};

const exhaustive = async ({
  exhaustive: phase,
  from,
  shard,
  trial,
  faults,
  seconds,
  json,
}: Options): Promise<number> => {
  const phases = phase === true || phase === undefined ? phaseNames : [phase];
  const result = await exhaust({ phases, faults, shard, from, seconds, trial }, (line) => console.error(line));
  console.log(json ? JSON.stringify(result, null, 2) : exhaustiveText(result));
  return result.failures.length > 0 ? 1 : 0;
};

const one = async (
  seed: number,
  { clusters, faults, steps, scenario, action, minutes, story, shrink: isShrunk, check }: Options,
): Promise<number> => {
  const options = { seed, clusters, only: faults, steps, scenario, action, minutes };
  if (isShrunk) {
    const outcome = await shrink(options, (line) => console.error(line));
    console.log(outcome.failure ? failureText(outcome) : `seed ${seed} does not fail`);
    return outcome.failure ? 1 : 0;
  }
  const run = check ? simulateTwice : simulate;
  const outcome = await run({ ...options, ...(story && { print: (line: string) => console.log(line) }) });
  console.log(outcome.failure ? failureText(outcome, !story) : `seed ${seed} holds`);
  console.log(`hash ${outcome.hash}, ${outcome.events} events in ${outcome.virtualHours.toFixed(1)} hours`);
  return outcome.failure ? 1 : 0;
};

type Progress = (done: number, share: number, failures: number) => void;

const bar: Progress = (done, share, failures) => {
  const width = 30;
  const filled = Math.round(width * Math.min(1, share));
  process.stderr.write(`\r${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${done} seeds, ${failures} failed `);
};
/** Progress for a log file. */
const line: Progress = (done, _share, failures) => {
  if (done % 50 === 0) process.stderr.write(`${done} seeds, ${failures} failed\n`);
};
const silent: Progress = () => {};

/**
 * The first interrupt begins no further run and completes the current ones. The second ends the
 * process.
 */
const untilInterrupted = (): AbortSignal => {
  const stop = new AbortController();
  process.once('SIGINT', () => {
    process.stderr.write('\nwaiting for the current runs; interrupt again to stop at once\n');
    stop.abort();
  });
  return stop.signal;
};

const many = async (options: Options): Promise<number> => {
  const loud = process.stderr.isTTY ? bar : line;
  const show = options.json ? silent : loud;
  const processes = openProcesses(options.check ?? false);
  const { clusters, steps, scenario, action, minutes } = options;
  const limits = { clusters, steps, scenario, action, minutes };
  const result = await campaign({
    from: options.from ?? Math.floor(performance.timeOrigin) % 1_000_000_000,
    seeds: options.seeds ?? (options.seconds === undefined ? 20 : Number.POSITIVE_INFINITY),
    milliseconds: options.seconds === undefined ? Number.POSITIVE_INFINITY : options.seconds * 1000,
    signal: untilInterrupted(),
    run: (seed) => processes.run({ ...limits, seed, only: options.faults }),
    lanes: options.processes,
    elapsed: () => performance.now(),
    onDone: (outcome: Outcome, done, share, failures) => {
      show(done, share, failures);
      if (outcome.failure && !options.json) console.log(`\n${failureText(outcome)}`);
    },
  });
  processes.close();
  if (options.json) console.log(JSON.stringify(result, null, 2));
  else console.log(`\n${coverageText(result)}`);
  return result.failures.length > 0 ? 1 : 0;
};

const command = new Command('simulate')
  .description('Runs the whole system under faults, each determined by its seed.')
  .option('--seeds <n>', 'how many runs', whole)
  .option(
    '--from <seed>',
    'the first seed (default: derived from the time). With --exhaustive: the first trial of the shard, counted from 0',
    whole,
  )
  .option('--seconds <t>', 'begins no run after this many seconds', whole)
  .option('--clusters <n>', 'clusters in each run (default: the seed decides)', whole)
  .option('--steps <n>', 'actions on each cluster (default: the seed decides)', whole)
  .option('--scenario <name>', `the scenario (default: the seed decides): ${scenarioNames.join(', ')}`, scenarioOf)
  .option('--action <name>', 'a glimpse with this action, by its name in the coverage', actionOf)
  .option('--minutes <n>', 'ends each run after this many virtual minutes', whole)
  .option(
    '--faults <list>',
    'only these faults, comma-separated; none; or passing for those that a retry overcomes',
    faultsOf,
  )
  .option('--processes <n>', 'concurrent runs (default: the number of processors)', whole, availableParallelism())
  .option('--check', 'runs each seed twice and compares the results')
  .option('--json', 'prints the result as JSON')
  .option('--seed <seed>', 'this run alone', whole)
  .option('--story', 'with --seed: prints everything that happens')
  .option('--shrink', 'with --seed: searches for the smallest run that still fails')
  .option(
    '--exhaustive [phase]',
    `each fault at each occasion, one trial each: ${phaseNames.join(', ')}, or all`,
    phaseOf,
  )
  .option('--shard <i/n>', 'with --exhaustive: runs this shard', shardOf, { part: 1, of: 1 })
  .option('--trial <name>', 'with --exhaustive: runs this trial only and prints its story')
  .action(async (options: Options) => {
    if (options.exhaustive) process.exitCode = await exhaustive(options);
    else process.exitCode = options.seed === undefined ? await many(options) : await one(options.seed, options);
  });
await command.parseAsync();

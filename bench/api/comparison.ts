/** Prints the cost of the same loads on Capstan and on another API server, and the ratios. */
import { compare, installKind, startCapstan } from './beside.ts';
import type { Load, Measured } from './loads.ts';
import { targetOf } from './target.ts';

interface Options {
  beside: string;
  besidePids: number[];
  kubeconfig: string | undefined;
  objects: number;
  calls: number;
  concurrency: number;
  rounds: number;
  json: boolean;
}

const loadsOf = ({ objects, calls, concurrency }: Options): Load[] => [
  { of: 'create', objects, calls: objects, concurrency },
  { of: 'get', objects, calls, concurrency },
  { of: 'patch', objects, calls, concurrency },
  { of: 'patch', objects, calls, concurrency: 1 },
  { of: 'patch beside lists', objects, concurrency, seconds: 15 },
  { of: 'list', objects, calls: Math.max(1, Math.round(calls / 20)), concurrency: 1 },
  { of: 'fan-out', objects, watchers: 1, perSecond: 200, seconds: 5 },
  { of: 'fan-out', objects, watchers: 50, perSecond: 200, seconds: 5 },
  { of: 'fan-out', objects, watchers: 500, perSecond: 20, seconds: 5 },
  { of: 'delete', objects, calls: objects, concurrency },
];

const line = (cells: string[]) =>
  cells.map((cell, index) => (index < 1 ? cell.padEnd(38) : cell.padStart(13))).join('');
const both = (mine: number, other: number, places: number) => `${mine.toFixed(places)}/${other.toFixed(places)}`;
/** How much better Capstan is. */
const ratio = (value: number) => (Number.isFinite(value) ? `${value.toFixed(2)}x` : '–');

const cellsOf = (load: string, ours: Measured, theirs: Measured): string[] => [
  load,
  both(ours.perSecond, theirs.perSecond, 0),
  ratio(ours.perSecond / theirs.perSecond),
  both(ours.p50, theirs.p50, 1),
  both(ours.p99, theirs.p99, 1),
  ratio(theirs.p99 / ours.p99),
  both(ours.longest, theirs.longest, 0),
  both(ours.cpuMs, theirs.cpuMs, 2),
  ratio(theirs.cpuMs / ours.cpuMs),
  both(ours.memory / 2 ** 20, theirs.memory / 2 ** 20, 0),
  both(ours.missing, theirs.missing, 0),
];

export const printComparison = async (options: Options): Promise<void> => {
  const { beside, besidePids, kubeconfig, rounds, json } = options;
  const own = kubeconfig === undefined ? await startCapstan() : undefined;
  const ours = own?.target ?? targetOf('Capstan', kubeconfig!);
  const theirs = targetOf('the other', beside, besidePids);
  const takeBack = await installKind(ours, theirs);
  try {
    if (!json)
      console.log(
        line(['load', 'per s', 'rate', 'p50 ms', 'p99 ms', 'p99', 'longest ms', 'CPU ms', 'CPU', 'RSS MiB', 'missing']),
      );
    for await (const { load, ours: mine, theirs: other } of compare(ours, theirs, loadsOf(options), rounds))
      console.log(json ? JSON.stringify({ load, ours: mine, theirs: other }) : line(cellsOf(load, mine, other)));
  } finally {
    await takeBack();
    await own?.stop();
  }
};

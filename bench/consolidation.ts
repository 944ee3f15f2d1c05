/** What moves of pods to cheaper nodes save in a day of mixed load, and what they cost in evictions. */
import { parseArgs } from 'node:util';
import { type Options, type Result, runDay } from './consolidation/day.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '3' },
    hours: { type: 'string', default: '24' },
    workloads: { type: 'string', default: '60' },
  },
});
const seeds = Array.from({ length: Number(values.seeds) }, (_, index) => index + 1);
const hours = Number(values.hours);

const row = ({ seed, evictions }: Options, result: Result) => ({
  seed,
  evictions: evictions === undefined ? 'off' : `${evictions * 100}%`,
  '$ a day': Number(((result.dollars / hours) * 24).toFixed(2)),
  nodes: Number(result.nodes.toFixed(1)),
  pods: Math.round(result.pods),
  bought: result.bought,
  'evicted by removals': result.removals,
  moves: result.moves,
  withdrawn: result.withdrawn,
  'evicted by moves': result.evictions.length,
  'of pods an hour, %': Number(((100 * result.evictions.length) / result.pods / hours).toFixed(2)),
  'pods pending, hours': Number(result.pending.toFixed(1)),
});

const rows = seeds.flatMap((seed) =>
  [undefined, 0.01, 0.1].map((evictions) => {
    const options = { seed, evictions, hours, workloads: Number(values.workloads) };
    return row(options, runDay(options));
  }),
);
console.table(rows);

/**
 * Capstan's autoscaler beside a stock cluster-autoscaler: the same pods at the same time in two equal
 * clusters of one control plane, at real speed.
 */
import { parseArgs } from 'node:util';
import { quantile } from './api/objects.ts';
import { startSides } from './autoscaling/sides.ts';
import { runTrials, type Sample, scaledDown } from './autoscaling/trials.ts';

const { values } = parseArgs({
  options: {
    /** A binary with the provider `clusterapi`. */
    'cluster-autoscaler': { type: 'string' },
    trials: { type: 'string', default: '10' },
    /** Pods that each trial adds. Each of them fills a node. */
    pods: { type: 'string', default: '2' },
    /** Also waits until the nodes are removed, which takes a quarter of an hour. */
    'scale-down': { type: 'boolean', default: false },
    /** The pool opts in after its cluster was created, so that Capstan polls as cluster-autoscaler does. */
    'no-reports': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const binary = values['cluster-autoscaler'];
if (!binary) throw new Error('--cluster-autoscaler names the binary to compare with');

const seconds = (samples: readonly number[], share: number): string => {
  const sorted = samples.toSorted((a, b) => a - b);
  return (quantile(sorted, share) / 1000).toFixed(1);
};
const row = (name: string, samples: readonly Sample[]): Record<string, string | number> => ({
  autoscaler: name,
  'pending to replicas, p50 s': seconds(
    samples.map(({ scaled }) => scaled),
    0.5,
  ),
  'p95 s': seconds(
    samples.map(({ scaled }) => scaled),
    0.95,
  ),
  'pending to instance, p50 s': seconds(
    samples.map(({ launched }) => launched),
    0.5,
  ),
  'its p95 s': seconds(
    samples.map(({ launched }) => launched),
    0.95,
  ),
  'pending to all placed, p50 s': seconds(
    samples.map(({ placed }) => placed),
    0.5,
  ),
  'nodes bought': samples.reduce((sum, { nodes }) => sum + nodes, 0),
});

const sides = await startSides(binary, !values['no-reports']);
try {
  const results = await runTrials(sides.both, Number(values.trials), Number(values.pods));
  const down = values['scale-down'] ? await scaledDown(sides.both) : undefined;
  const rows = sides.both.map(({ name }) => ({
    ...row(name, results[name]!),
    ...(down && { 'nodes removed after s': Math.round(down[name]! / 1000) }),
  }));
  if (values.json) console.log(JSON.stringify({ rows, results }));
  else console.table(rows);
  console.log(`cluster-autoscaler: ${sides.usage()}`);
} finally {
  await sides.end();
}

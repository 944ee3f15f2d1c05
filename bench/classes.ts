/** `npm run bench:classes -- [CLUSTERS [VARIABLES [PATCHES]]]`: the cost of a change of a class that all clusters are of. */
import { runClasses } from './classes/run.ts';
import type { Measured } from './fleet/measure.ts';

const [clusters = 500, variables = 60, patches = 40] = process.argv.slice(2).map(Number);

const textOf = ({ phase, detail }: Measured): string => {
  const each = (count: number, digits = 1) => (count / clusters).toFixed(digits);
  const passes = Object.values(detail.passes).reduce((sum, count) => sum + count, 0);
  const facts = [
    `${each(phase.cpuSeconds * 1000, 0)} ms CPU`,
    `${each(passes)} passes (${each(detail.passes.topology ?? 0)} of its topology)`,
    `${each(phase.objectWrites)} writes`,
    `${each(phase.mutatingCloudCalls)} mutating calls`,
  ];
  return `${facts.join(', ')}; all after ${Math.round(phase.virtualSeconds)} s`;
};

const errors = await runClasses({ clusters, variables, patches }, (what, measured) =>
  console.log(`${what}, a cluster: ${textOf(measured)}`),
);
for (const error of new Set(errors)) console.error(error);

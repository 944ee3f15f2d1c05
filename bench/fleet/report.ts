/** The figures of a fleet, as text and JSON. */

import type { Detail, Measured, Phase } from './measure.ts';
import type { FleetOptions } from './options.ts';
import type { PhaseName } from './phases.ts';

export interface FleetFigures {
  clusters: number;
  machines: number;
  phases: Record<PhaseName, Phase>;
  details: Record<PhaseName, Detail>;
  peakRssMiB: number;
}

export type Phases = Record<PhaseName, Measured>;

const each = <T>(phases: Phases, of: (measured: Measured) => T): Record<PhaseName, T> => ({
  create: of(phases.create),
  settle: of(phases.settle),
  idle: of(phases.idle),
  rollout: of(phases.rollout),
  delete: of(phases.delete),
});

// Of maxRSS in KiB.
const peakRssMiB = (): number => Math.round(process.resourceUsage().maxRSS / 1024);

/** One line per phase as soon as it ends, because a large fleet takes long. */
export const lineOf = (name: PhaseName, phase: Phase): string => {
  const { wallSeconds, cpuSeconds, virtualSeconds, objectWrites, cloudCalls, mutatingCloudCalls } = phase;
  const calls = `${cloudCalls} AWS calls (${mutatingCloudCalls} mutating)`;
  return (
    `${name}: ${wallSeconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} CPU s, ${Math.round(virtualSeconds)} virtual s, ` +
    `${objectWrites} object writes, ${calls}, ${peakRssMiB()} MiB at most`
  );
};

export const figuresOf = (
  { clusters, controlPlanes, workers }: Pick<FleetOptions, 'clusters' | 'controlPlanes' | 'workers'>,
  measured: Phases,
): FleetFigures => ({
  clusters,
  machines: clusters * (controlPlanes + workers),
  phases: each(measured, ({ phase }) => phase),
  details: each(measured, ({ detail }) => detail),
  peakRssMiB: peakRssMiB(),
});

const line = (cells: (string | number)[]): string =>
  cells.map((cell, index) => (index === 0 ? String(cell).padEnd(10) : String(cell).padStart(14))).join('');

const top = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 12)
    .map(([name, count]) => `${name.split('.')[0]} ${count}`)
    .join(', ');

const sum = (counts: object): number => Object.values(counts).reduce((total, count) => total + count, 0);
const kilobytes = (stored: object, machines: number): Record<string, number> =>
  Object.fromEntries(
    Object.entries(stored).map(([name, bytes]) => [name, Number((bytes / machines / 1000).toFixed(1))]),
  );

/** `least`: the lower bound in seconds; absent where clusters wait for each other. */
export const tableOf = (
  { clusters, machines, peakRssMiB, phases }: FleetFigures,
  details: Phases,
  least?: number,
): string => {
  const rows = (Object.keys(phases) as PhaseName[]).flatMap((name) => {
    const { cpuSeconds, wallSeconds, virtualSeconds, objectWrites, cloudCalls, mutatingCloudCalls } = phases[name];
    const { writes, calls, refused, units, clusterWrites, operations, passes, stored, messages, keyCalls } =
      details[name].detail;
    return [
      line([
        name,
        cpuSeconds.toFixed(2),
        ((cpuSeconds / clusters) * 1000).toFixed(1),
        wallSeconds.toFixed(1),
        Math.round(virtualSeconds),
        objectWrites,
        (objectWrites / clusters).toFixed(1),
        cloudCalls,
        mutatingCloudCalls,
        (cloudCalls / machines).toFixed(2),
      ]),
      `    writes: ${top(writes)}`,
      `    passes: ${sum(passes)}: ${top(passes)}`,
      `    messages: ${sum(messages.received)} in ${messages.invocations} invocations: ${top(messages.received)}; ${keyCalls} calls of KMS`,
      `    table calls: ${sum(operations)}: ${top({ ...operations })}`,
      `    KB a machine in the tables: ${top(kilobytes(stored, machines))}`,
      `    calls: ${top(calls)}${refused > 0 ? ` (${refused} refused)` : ''}`,
      `    one Cluster: ${clusterWrites} writes in 5 s at most`,
      ...(name === 'create' && least !== undefined
        ? [`    over the delays alone, ${least} s: ${((virtualSeconds / least - 1) * 100).toFixed(1)} %`]
        : []),
      ...(units.write > 0 ? [`    units: ${Math.round(units.read)} read, ${Math.round(units.write)} write`] : []),
    ];
  });
  return [
    `${clusters} clusters, ${machines} machines; ${peakRssMiB} MiB at most`,
    line([
      'phase',
      'CPU s',
      'ms a cluster',
      'wall s',
      'virtual s',
      'writes',
      'a cluster',
      'AWS calls',
      'mutating',
      'a machine',
    ]),
    ...rows,
  ].join('\n');
};

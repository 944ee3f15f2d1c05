/** The work of a fleet in what AWS bills, per phase. */

import type { Measured } from '../fleet/measure.ts';
import { parseOptions } from '../fleet/options.ts';
import type { PhaseName } from '../fleet/phases.ts';
import { runFleet } from '../fleet/run.ts';

export interface Work {
  /** Units of DynamoDB. */
  reads: number;
  writes: number;
  /** Changes of objects, each a record of the stream. */
  changes: number;
  passes: number;
  /** Requests that send messages, the messages, and the invocations that take them. */
  sends: number;
  messages: number;
  invocations: number;
  /** Calls of KMS by a process that handles everything, and so keeps its keys in use. */
  keyCalls: number;
  /** Secrets of Secrets Manager that were created, and calls of it. */
  secrets: number;
  secretCalls: number;
  /** Bytes in the tables at the end: of objects and work items, and of the log. */
  stored: number;
  logged: number;
}

/** What is charged: not the hour in which a fleet settles. */
type Charged = Exclude<PhaseName, 'settle'>;
/** Of a whole fleet. */
export type Counted = Record<Charged, Work>;
/** By number of clusters. */
export type Counts = Record<string, Counted>;

/** Clusters of the small fleet, and of the one that is compared with it. */
export const fleets = [1, 11] as const;
export const [controlPlanes, workers] = [3, 7];

const sum = (counts: Record<string, number>, of: (name: string) => boolean = () => true): number =>
  Object.entries(counts).reduce((total, [name, count]) => total + (of(name) ? count : 0), 0);

const workOf = ({ detail }: Measured): Work => ({
  reads: detail.units.read,
  writes: detail.units.write,
  changes: sum(detail.writes),
  passes: sum(detail.passes),
  sends: detail.messages.sends,
  messages: sum(detail.messages.received),
  invocations: detail.messages.invocations,
  keyCalls: detail.keyCalls,
  secrets: detail.calls.CreateSecret ?? 0,
  secretCalls: sum(detail.calls, (action) => /Secrets?$|SecretValue$/.test(action)),
  stored: detail.stored.objects + detail.stored.indices + detail.stored.work,
  logged: detail.stored.log,
});

/** Creates, idles for a day, replaces all workers of and deletes this many clusters. */
export const countWork = async (clusters: number): Promise<Counted> => {
  const shape = ['--control-planes', String(controlPlanes), '--workers', String(workers)];
  const options = parseOptions(['--clusters', String(clusters), ...shape, '--units', '--idle-hours', '24']);
  const { phases, errors } = await runFleet(options);
  const { settle: _, ...charged } = phases;
  if (errors.length > 0) throw new Error(`the fleet logged errors: ${errors.slice(0, 3).join('\n')}`);
  return Object.fromEntries(Object.entries(charged).map(([name, phase]) => [name, workOf(phase)])) as Counted;
};

/** Smaller amounts are not compared. */
const countable = 20;
/** A change of this share is worth to be counted again. */
const tolerance = 0.1;

/** The amounts that have changed, with their ratio. */
export const changesOf = (before: Counted, after: Counted): string[] =>
  Object.entries(before).flatMap(([phase, work]) =>
    Object.entries(work).flatMap(([name, amount]) => {
      const ratio = after[phase as Charged][name as keyof Work] / amount;
      const isSame = amount < countable || Math.abs(ratio - 1) <= tolerance;
      return isSame ? [] : [`${phase} ${name}: ${ratio.toFixed(2)} times`];
    }),
  );

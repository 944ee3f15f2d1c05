/** What a phase costs. */
import type { ControlPlane, Stored } from './control-plane.ts';
import type { Operations, Units } from './meter.ts';

export interface Phase {
  cpuSeconds: number;
  wallSeconds: number;
  /** Until the last cluster was as desired. */
  virtualSeconds: number;
  objectWrites: number;
  cloudCalls: number;
  mutatingCloudCalls: number;
}

/** A breakdown of the phase. */
export interface Detail {
  /** Object writes by type. */
  writes: Record<string, number>;
  /** Calls by action. */
  calls: Record<string, number>;
  /** Calls that the account throttled or failed. */
  refused: number;
  units: Units;
  /** Operations on the tables. */
  operations: Operations;
  /** Passes by controller. */
  passes: Record<string, number>;
  messages: { received: Record<string, number>; sends: number; invocations: number };
  /** Calls of KMS by one process, which keeps keys for minutes. */
  keyCalls: number;
  /** Bytes in the tables at the end of the phase. */
  stored: Stored;
  /** Maximum writes of one Cluster in five seconds. */
  clusterWrites: number;
}

/** The maximum number of sorted times within a span of milliseconds. */
const mostWithin = (times: readonly number[], span: number): number => {
  let first = 0;
  let most = 0;
  for (const [index, time] of times.entries()) {
    while (time - times[first]! >= span) first++;
    most = Math.max(most, index - first + 1);
  }
  return most;
};

const difference = <T extends { [K in keyof T]: number }>(after: T, before: T): T => {
  const result = { ...after };
  for (const name in result) result[name] = (after[name] - before[name]) as T[typeof name];
  return result;
};

/** Counts from now on. */
export const measure = ({ meter, clock, system, stored }: ControlPlane) => {
  const total = (counts: Iterable<number>) => [...counts].reduce((sum, count) => sum + count, 0);
  const minus = (after: Record<string, number>, before: Record<string, number>) =>
    Object.fromEntries(
      Object.entries(after)
        .map(([name, count]) => [name, count - (before[name] ?? 0)] as const)
        .filter(([, count]) => count > 0),
    );
  const look = () => {
    const calls = system.account.calls();
    const count = (of: typeof calls) => total(of.map((one) => one.calls));
    return {
      cpu: process.cpuUsage(),
      wall: performance.now(),
      virtual: clock.now(),
      writes: Object.fromEntries(meter.writes),
      calls: Object.fromEntries(calls.map((one) => [one.action, one.calls])),
      cloudCalls: count(calls),
      mutating: count(calls.filter(({ mutating }) => mutating)),
      refused: total(calls.map(({ errors }) => errors)),
      units: { ...meter.units },
      operations: { ...meter.operations },
      passes: Object.fromEntries(meter.passes),
      messages: { ...meter.messages, received: Object.fromEntries(meter.messages.received) },
      keyCalls: meter.keyCalls.count,
    };
  };
  const before = look();
  return (settledAt = clock.now()): { phase: Phase; detail: Detail } => {
    const after = look();
    const writes = minus(after.writes, before.writes);
    const cpu = after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system;
    return {
      phase: {
        cpuSeconds: cpu / 1e6,
        wallSeconds: (after.wall - before.wall) / 1000,
        virtualSeconds: (settledAt - before.virtual) / 1000,
        objectWrites: total(Object.values(writes)),
        cloudCalls: after.cloudCalls - before.cloudCalls,
        mutatingCloudCalls: after.mutating - before.mutating,
      },
      detail: {
        writes,
        calls: minus(after.calls, before.calls),
        refused: after.refused - before.refused,
        operations: difference(after.operations, before.operations),
        passes: minus(after.passes, before.passes),
        messages: {
          received: minus(after.messages.received, before.messages.received),
          sends: after.messages.sends - before.messages.sends,
          invocations: after.messages.invocations - before.messages.invocations,
        },
        keyCalls: after.keyCalls - before.keyCalls,
        stored: stored(),
        clusterWrites: Math.max(
          0,
          ...[...meter.clusterWrites.values()].map((times) =>
            mostWithin(
              times.filter((time) => time >= before.virtual),
              5000,
            ),
          ),
        ),
        units: difference(after.units, before.units),
      },
    };
  };
};

export type Measured = ReturnType<ReturnType<typeof measure>>;

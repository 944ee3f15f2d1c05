/**
 * Reports what a loop over many objects skipped. A fault that lasts is one log entry a day, because each entry
 * rings an alarm, which the next object that fails must be able to ring too.
 */
import { createHash } from 'node:crypto';
import type { Clock, ItemKey, Log, Table } from '../ports.ts';

/** Something that was skipped: its name, such as `secrets default/db`, and why. */
export interface Skipped {
  name: string;
  error: unknown;
}

export interface SkippedReports {
  /** `during`: the loop. */
  report(during: string, skipped: readonly Skipped[]): Promise<void>;
}

/** An alarm of cdk/monitoring counts entries with these words. */
export const skippedEntry = 'Skipped what cannot be handled';

/** Milliseconds. */
const day = 24 * 3_600_000;
/** Names in one entry, and names that are remembered. */
const mostShown = 20;
const mostKnown = 1000;

const keyOf = (during: string): ItemKey => ({ pk: 'skipped', sk: during });
/** Short, because an item of the table holds at most 400 KB. */
const idOf = (name: string): string => createHash('sha256').update(name).digest('base64url').slice(0, 16);
const whyOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const createSkippedReports = ({
  table,
  clock,
  log,
}: {
  table: Table;
  clock: Pick<Clock, 'now'>;
  log: Log;
}): SkippedReports => ({
  report: async (during, skipped) => {
    if (skipped.length === 0) return;
    const now = clock.now();
    const { at = {} } = ((await table.get(keyOf(during), { consistent: true })) ?? {}) as {
      at?: Record<string, number>;
    };
    const byId = new Map(skipped.map((one) => [idOf(one.name), one]));
    const fresh = [...byId].filter(([id]) => now - (at[id] ?? Number.NEGATIVE_INFINITY) >= day);
    if (fresh.length === 0) return;
    log.error(skippedEntry, {
      during,
      count: byId.size,
      skipped: fresh.slice(0, mostShown).map(([, { name, error }]) => ({ name, why: whyOf(error) })),
    });
    const known = Object.entries(at).filter(([id, reported]) => byId.has(id) && now - reported < day);
    const reported = [...known, ...fresh.map(([id]) => [id, now] as const)].slice(0, mostKnown);
    await table.write({
      put: { ...keyOf(during), at: Object.fromEntries(reported), ttl: Math.ceil((now + 2 * day) / 1000) },
    });
  },
});

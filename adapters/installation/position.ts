/**
 * The position of an installation: how often its objects changed before Capstan acted on the account. It is
 * stored beside the objects and, as the mark, in the account. If the two do not match, the installation
 * freezes. Source: docs/adr/0010.
 */
import type { Freeze, Mark, Marker } from '../../kinds/ports/installation.ts';
import { type Log, sleep, type Table } from '../../machinery/ports.ts';
import { freezeOf } from './freeze.ts';
import { PositionBusy, type Sharing, type Stored, shared, singleProcessHold, storedKey } from './hold.ts';

export interface PositionOptions {
  installation: string;
  /** The objects' table, so that a restore restores the position with them. */
  table: Table;
  marker: Marker;
  /** Without position and mark: whether objects exist that could own resources. */
  isEmpty: () => Promise<boolean>;
  /** Without position and mark: regions with resources of this installation. */
  regionsHeld: () => Promise<string[]>;
  /** Absent for a single process. */
  sharing?: Sharing;
  log: Log;
  /** Called when it freezes, and with undefined when it thaws. */
  onChange?: (freeze: Freeze | undefined) => void;
}

export interface Position {
  /** The result of the last check. */
  readonly freeze: Freeze | undefined;
  /** Reads position and mark again. */
  check(): Promise<{ freeze?: Freeze; regions: string[] }>;
  /**
   * Objects changed, so the next act advances the position. With several processes, any of them may change
   * objects.
   */
  changed(): void;
  /**
   * Call before each effect on the account or a cluster. Throws InstallationFrozen, and the effect must not
   * happen.
   */
  before(region?: string): Promise<void>;
  thaw(id: string): Promise<void>;
}

/** Retried only after the freeze is lifted. */
export class InstallationFrozen extends Error {
  override readonly name = 'InstallationFrozen';
  readonly code = 'InstallationFrozen';
  readonly consequence = 'wait';
}

/** Milliseconds. */
const timeout = 5_000;
const pause = 250;
/**
 * Milliseconds. Reads of a parameter may be stale, so a mismatch counts only if it is read again after this
 * time.
 */
const doubt = 2_000;
const mostLooks = 5;

interface Look {
  stored: Stored;
  mark: Mark | undefined;
}

const positionsOf = ({ stored, mark }: Look) => ({ stored: stored.n, marked: mark?.position });
const regionsOf = ({ stored, mark }: Look, ...more: string[]): string[] =>
  [...new Set([...(stored.regions ?? []), ...(mark?.regions ?? []), ...more])].sort();

export const openPosition = (options: PositionOptions): Position => {
  const { installation, table, marker, isEmpty, regionsHeld, sharing, log, onChange } = options;
  const hold = sharing ? shared(table, sharing) : singleProcessHold(table);
  let freeze: Freeze | undefined;
  let regions: string[] = [];
  // It is unknown whether the previous process changed objects without acting.
  let isChanged = true;
  /** Start of the last known advance. */
  let advanced = Number.NEGATIVE_INFINITY;
  /** Whether this process has checked before. */
  let hasLooked = false;
  let last: Promise<unknown> = Promise.resolve();

  /** Serialises advances: concurrent ones would take the same number. */
  const inTurn = <T>(run: () => Promise<T>): Promise<T> => {
    const next = last.then(run, run);
    last = next.catch(() => undefined);
    return next;
  };

  /** Reads the mark first: its position was stored before it was marked. */
  const collect = async (isDoubted: boolean): Promise<Look> => {
    const mark = await (isDoubted ? marker.furthest() : marker.read());
    const { pk, sk, ...stored } = { ...(await table.get(storedKey, { consistent: true })) };
    return { stored: stored as Stored, mark };
  };

  /**
   * An account that seems to be behind may be in the middle of another process's advance, or a stalled
   * process may have written an old mark. Restored objects come with new processes, which check for the first
   * time.
   */
  const collectSurely = async (): Promise<Look> => {
    let seen = await collect(!hasLooked);
    hasLooked = true;
    for (let looks = 1; sharing && looks < mostLooks; looks++) {
      const before = freezeOf({ installation, ...positionsOf(seen) });
      if (before?.reason !== 'AccountDiffers') return seen;
      await sleep(sharing.clock, doubt);
      seen = await collect(true);
      if (freezeOf({ installation, ...positionsOf(seen) })?.id === before.id) return seen;
    }
    if (sharing && freezeOf({ installation, ...positionsOf(seen) })?.reason === 'AccountDiffers')
      throw new PositionBusy('the position moves too fast to be read');
    return seen;
  };

  const read = async (): Promise<Look> => {
    const seen = await collectSurely();
    const held = seen.stored.n === undefined && !seen.mark && (await isEmpty()) ? await regionsHeld() : [];
    if (held.length === 0) return seen;
    // Takes the hold first, so that an object that is added now does not hide the loss.
    if (!(await hold.take(seen.stored, {})))
      throw new PositionBusy('another process is checking the position: retrying');
    hold.mayWrite();
    if (!(await marker.read())) await marker.write({ position: 1, regions: held });
    await hold.release({});
    return collectSurely();
  };

  const look = async (): Promise<Look> => {
    const seen = await read();
    regions = seen.mark?.regions ?? [];
    const before = freeze;
    freeze = freezeOf({ installation, ...positionsOf(seen) });
    if (freeze?.id === before?.id) return seen;
    if (freeze) log.error('Installation frozen', { id: freeze.id, reason: freeze.reason });
    else log.info('Installation thawed', { id: before?.id });
    onChange?.(freeze);
    return seen;
  };

  const mark = async (position: number, known: string[]) => {
    hold.mayWrite();
    try {
      await marker.write({ position, regions: known });
    } catch (error) {
      // A write that may still arrive keeps the hold until it expires.
      if ((error as { outcome?: unknown }).outcome === 'refused') await hold.release({});
      throw error;
    }
    regions = known;
  };

  /** False if another process was faster. */
  const advance = async (seen: Look, region: string | undefined): Promise<boolean> => {
    const at = sharing?.clock.now() ?? 0;
    const { stored: here = 0, marked: there = 0 } = positionsOf(seen);
    const known = regionsOf(seen, ...(region === undefined ? [] : [region]));
    const next: Partial<Stored> = { n: here + 1, regions: known };
    // After a crash or an error; a copy of the objects made since then must not look as new as the next
    // state.
    const isBehind = here > there;
    if (!(await hold.take(seen.stored, isBehind ? {} : next))) return false;
    if (isBehind) {
      await mark(here, known);
      await hold.set(next);
    }
    await mark(here + 1, known);
    await hold.release({ at });
    advanced = at;
    return true;
  };

  const isDue = (): boolean => (sharing ? sharing.clock.now() - advanced >= sharing.quantum : isChanged);
  const isNamed = (region: string | undefined): boolean => region === undefined || regions.includes(region);

  const advanceInTime = async (region: string | undefined): Promise<void> => {
    const began = sharing?.clock.now() ?? 0;
    for (;;) {
      const seen = await look();
      if (freeze) throw new InstallationFrozen(`${freeze.reason}: ${freeze.message}`);
      // Another process's advance suffices.
      advanced = Math.max(advanced, seen.stored.at ?? advanced);
      if (!isDue() && isNamed(region)) return;
      isChanged = false;
      if (await advance(seen, region)) return;
      if (!sharing || sharing.clock.now() - began >= timeout)
        throw new PositionBusy('another process is advancing the position, or died while it did: retrying');
      await sleep(sharing.clock, pause);
    }
  };

  return {
    get freeze() {
      return freeze;
    },
    check: () =>
      inTurn(async () => {
        await look();
        return { ...(freeze && { freeze }), regions };
      }),
    changed: () => {
      isChanged = true;
    },
    before: (region) =>
      inTurn(async () => {
        if (!freeze && !isDue() && isNamed(region)) return;
        try {
          await advanceInTime(region);
        } catch (error) {
          isChanged = true;
          throw error;
        }
      }),
    thaw: (id) =>
      inTurn(async () => {
        const seen = await look();
        if (freeze?.id !== id) return;
        const { stored: here = 0, marked: there = 0 } = positionsOf(seen);
        // One write ends the freeze; objects that were set aside and come back later are behind.
        const next = there > here ? there + 1 : here;
        const isTaken = await hold.take(seen.stored, there > here ? { n: next } : {});
        if (!isTaken) throw new PositionBusy('another process is writing the position: retrying');
        await mark(next, regionsOf(seen));
        await hold.release({});
        await look();
      }),
  };
};

/**
 * The position of an installation: how often its objects changed and the account was then acted on. It is kept with the
 * objects and, as a mark, in the account; where the two do not fit, nothing may be done. Source: docs/adr/0010.
 */
import type { Freeze, Mark, Marker } from '../../kinds/ports/installation.ts';
import { type Log, sleep, type Table } from '../../machinery/ports.ts';
import { freezeOf } from './freeze.ts';
import { alone, PositionBusy, type Sharing, type Stored, shared, storedKey } from './hold.ts';

export interface PositionOptions {
  installation: string;
  /** The objects' own: what restores them restores this. */
  table: Table;
  marker: Marker;
  /** Of neither position is known: whether there are objects that could have made what the account holds. */
  isEmpty: () => Promise<boolean>;
  /** Of neither position is known: the regions in which the account holds something of this installation. */
  regionsHeld: () => Promise<string[]>;
  /** Where several processes act; absent: this one alone. */
  sharing?: Sharing;
  log: Log;
  /** Called when it froze, and with undefined when it thawed. */
  onChange?: (freeze: Freeze | undefined) => void;
}

export interface Position {
  /** As it was last seen. */
  readonly freeze: Freeze | undefined;
  /** Looks again. */
  check(): Promise<{ freeze?: Freeze; regions: string[] }>;
  /** The objects changed: the next act moves the position on. Where several processes act, any of them may have. */
  changed(): void;
  /** Before each effect on the account or on a cluster in it. Throws InstallationFrozen, and the effect must not happen. */
  before(region?: string): Promise<void>;
  thaw(id: string): Promise<void>;
}

/** Tried again when somebody lifts the freeze, not before. */
export class InstallationFrozen extends Error {
  override readonly name = 'InstallationFrozen';
  readonly code = 'InstallationFrozen';
  readonly consequence = 'wait';
}

/** Milliseconds. */
const patience = 5_000;
const pause = 250;
/** A parameter may be read as it was before: only what is seen again after so long is believed to differ. */
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
  const hold = sharing ? shared(table, sharing) : alone(table);
  let freeze: Freeze | undefined;
  let regions: string[] = [];
  // What a predecessor changed last and did not act on is not known.
  let isChanged = true;
  /** When the last advance that is known of began. */
  let advanced = Number.NEGATIVE_INFINITY;
  /** Whether this process has looked before. */
  let hasLooked = false;
  let last: Promise<unknown> = Promise.resolve();

  /** One after the other: two who advance at once would take the same number. */
  const inTurn = <T>(run: () => Promise<T>): Promise<T> => {
    const next = last.then(run, run);
    last = next.catch(() => undefined);
    return next;
  };

  /** The mark first: what it says was stored before it was marked. */
  const collect = async (isDoubted: boolean): Promise<Look> => {
    const mark = await (isDoubted ? marker.furthest() : marker.read());
    const { pk, sk, ...stored } = { ...(await table.get(storedKey, { consistent: true })) };
    return { stored: stored as Stored, mark };
  };

  /**
   * That the account seems to be behind may mean that others advance it just now, or that somebody wrote who stood still for
   * too long. Objects that are put back come with processes that look for the first time.
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
    // Whoever adds an object now must not make it look as if nothing had been lost.
    if (!(await hold.take(seen.stored, {}))) throw new PositionBusy('somebody else looks at the position');
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
      // A write that may still come keeps the hold until it cannot any more.
      if ((error as { outcome?: unknown }).outcome === 'refused') await hold.release({});
      throw error;
    }
    regions = known;
  };

  /** False when somebody else was at it. */
  const advance = async (seen: Look, region: string | undefined): Promise<boolean> => {
    const at = sharing?.clock.now() ?? 0;
    const { stored: here = 0, marked: there = 0 } = positionsOf(seen);
    const known = regionsOf(seen, ...(region === undefined ? [] : [region]));
    const next: Partial<Stored> = { n: here + 1, regions: known };
    // Of a crash or an error in between; a copy made since then must not look as new as what comes now.
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
      // Somebody else's will do.
      advanced = Math.max(advanced, seen.stored.at ?? advanced);
      if (!isDue() && isNamed(region)) return;
      isChanged = false;
      if (await advance(seen, region)) return;
      if (!sharing || sharing.clock.now() - began >= patience)
        throw new PositionBusy('somebody else advances the position, or died while it did: this is tried again');
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
        // One write ends it; whoever comes back with what was put aside is behind.
        const next = there > here ? there + 1 : here;
        const isTaken = await hold.take(seen.stored, there > here ? { n: next } : {});
        if (!isTaken) throw new PositionBusy('somebody else writes the position: this is tried again');
        await mark(next, regionsOf(seen));
        await hold.release({});
        await look();
      }),
  };
};

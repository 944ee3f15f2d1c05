/**
 * The position of an installation: how often its objects changed and the account was then acted on. It is kept with the
 * objects and, as a mark, in the account; where the two do not fit, nothing may be done. Source: docs/adr/0010.
 */
import type { Freeze, Mark, Marker } from '../../kinds/ports/installation.ts';
import type { Log, Table } from '../../machinery/ports.ts';
import { freezeOf } from './freeze.ts';

export interface PositionOptions {
  installation: string;
  /** The objects' own: what restores them restores this. */
  table: Table;
  marker: Marker;
  /** Of neither position is known: whether there are objects that could have made what the account holds. */
  isEmpty: () => Promise<boolean>;
  /** Of neither position is known: the regions in which the account holds something of this installation. */
  regionsHeld: () => Promise<string[]>;
  log: Log;
  /** Called when it froze, and with undefined when it thawed. */
  onChange?: (freeze: Freeze | undefined) => void;
}

export interface Position {
  /** As it was last seen. */
  readonly freeze: Freeze | undefined;
  /** Looks again. */
  check(): Promise<{ freeze?: Freeze; regions: string[] }>;
  /** The objects changed: the next act moves the position on. */
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

const key = { pk: 'position', sk: 'installation' };

interface Look {
  stored: number | undefined;
  mark: Mark | undefined;
}

export const openPosition = (options: PositionOptions): Position => {
  const { installation, table, marker, isEmpty, regionsHeld, log, onChange } = options;
  let freeze: Freeze | undefined;
  let regions: string[] = [];
  // What a predecessor changed last and did not act on is not known.
  let isChanged = true;
  let last: Promise<unknown> = Promise.resolve();

  /** One after the other: two who advance at once would take the same number. */
  const inTurn = <T>(run: () => Promise<T>): Promise<T> => {
    const next = last.then(run, run);
    last = next.catch(() => undefined);
    return next;
  };

  const read = async (): Promise<Look> => {
    const item = await table.get(key, { consistent: true });
    const [stored, mark] = [item?.n as number | undefined, await marker.read()];
    const held = stored === undefined && !mark && (await isEmpty()) ? await regionsHeld() : [];
    if (held.length === 0) return { stored, mark };
    // Whoever adds an object now must not make it look as if nothing had been lost.
    const found: Mark = { position: 1, regions: held };
    await marker.write(found);
    return { stored, mark: found };
  };

  const store = (n: number) => table.write({ put: { ...key, n } });

  const look = async (): Promise<Look> => {
    const seen = await read();
    regions = seen.mark?.regions ?? [];
    const before = freeze;
    freeze = freezeOf({ installation, stored: seen.stored, marked: seen.mark?.position });
    if (freeze?.id === before?.id) return seen;
    if (freeze) log.error('Installation frozen', { id: freeze.id, reason: freeze.reason });
    else log.info('Installation thawed', { id: before?.id });
    onChange?.(freeze);
    return seen;
  };

  const advance = async ({ stored = 0, mark }: Look, region: string | undefined) => {
    const known = mark?.regions ?? [];
    const next = region === undefined || known.includes(region) ? known : [...known, region].sort();
    // Of a crash or an error in between; a copy made since then must not look as new as what comes now.
    if (stored > (mark?.position ?? 0)) await marker.write({ position: stored, regions: next });
    await store(stored + 1);
    await marker.write({ position: stored + 1, regions: next });
    regions = next;
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
        const isKnown = region === undefined || regions.includes(region);
        if (!freeze && !isChanged && isKnown) return;
        const seen = await look();
        if (freeze) throw new InstallationFrozen(`${freeze.reason}: ${freeze.message}`);
        isChanged = false;
        try {
          await advance(seen, region);
        } catch (error) {
          isChanged = true;
          throw error;
        }
      }),
    thaw: (id) =>
      inTurn(async () => {
        const { stored = 0, mark } = await look();
        if (freeze?.id !== id) return;
        const [there, known] = [mark?.position ?? 0, mark?.regions ?? []];
        // One write ends it; whoever comes back with what was put aside is behind.
        if (there > stored) await store(there + 1);
        await marker.write({ position: there > stored ? there + 1 : stored, regions: known });
        await look();
      }),
  };
};

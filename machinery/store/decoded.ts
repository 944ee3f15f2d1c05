/**
 * Caches the newest decoded state of each object that was recently read or written. A position of a
 * type names one immutable state, so cached states never become stale.
 */
import { freeze, frozenCopy } from '../api/frozen.ts';
import { Generations } from '../api/generations.ts';
import type { KubeObject } from '../api/object.ts';
import type { Clock } from '../ports.ts';

/**
 * Bytes of encoded bodies in each generation; decoded objects take several times as much memory.
 */
const most = 8 * 1024 * 1024;
/**
 * How long the plain text of an encrypted body stays in memory, in milliseconds: as long as its
 * key.
 */
const plainTime = 5 * 60_000;

/**
 * Identifies a state by its position in its type and the uid of its object, and describes its
 * encoding.
 */
export interface Encoded {
  uid: string;
  type: string;
  position: number;
  size: number;
  isEncrypted: boolean;
}

export interface DecodedStates {
  /** The frozen state; undefined when it must be decoded. */
  find(uid: string, type: string, position: number, size: number): KubeObject | undefined;
  /** Returns the frozen state. */
  decoded(encoded: Encoded, object: KubeObject): KubeObject;
  /**
   * Caches a state that this process wrote. Returns the frozen state; `object` stays the caller's.
   */
  written(encoded: Encoded, object: KubeObject): KubeObject;
  forget(uid: string): void;
}

export const createDecodedStates = (clock: Pick<Clock, 'now'>): DecodedStates => {
  const known = new Generations<Encoded & { object: KubeObject; until: number }>(most);
  const remember = (encoded: Encoded, object: KubeObject): KubeObject => {
    const { uid, position, size, isEncrypted } = encoded;
    // A reader of the log decodes older states, too.
    if (position < (known.find(uid)?.value.position ?? 0)) return object;
    const until = isEncrypted ? clock.now() + plainTime : Number.POSITIVE_INFINITY;
    known.keep(uid, { ...encoded, object, until }, size);
    return object;
  };
  return {
    find: (uid, type, position, size) => {
      const found = known.find(uid)?.value;
      if (!found || found.position !== position || found.type !== type || found.size !== size) return undefined;
      return clock.now() < found.until ? found.object : undefined;
    },
    decoded: (encoded, object) => remember(encoded, freeze(object)),
    written: (encoded, object) => remember(encoded, frozenCopy(object)),
    forget: (uid) => known.forget(uid),
  };
};

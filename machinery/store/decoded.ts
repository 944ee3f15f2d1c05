/**
 * The newest state of each object that was read or written lately, as it is decoded. A position of a type is one state for
 * ever, so what was seen of it once is what it still is.
 */
import { freeze, frozenCopy } from '../api/frozen.ts';
import { Generations } from '../api/generations.ts';
import type { KubeObject } from '../api/object.ts';
import type { Clock } from '../ports.ts';

/** Bytes of the bodies they are encoded as, of each generation; in memory an object takes several times as many. */
const most = 8 * 1024 * 1024;
/** How long the plain text of an encrypted body stays in memory, in milliseconds: as long as the key to it. */
const plainTime = 5 * 60_000;

/** Which state it is, by its place in the order of its type and the uid of its object, and how it is encoded. */
export interface Encoded {
  uid: string;
  type: string;
  position: number;
  size: number;
  isEncrypted: boolean;
}

export interface DecodedStates {
  /** The state, frozen; undefined when it has to be decoded. */
  find(uid: string, type: string, position: number, size: number): KubeObject | undefined;
  /** Answers the state, frozen. */
  decoded(encoded: Encoded, object: KubeObject): KubeObject;
  /** What this process wrote itself needs no decoding. Answers the state, frozen; `object` stays the caller's. */
  written(encoded: Encoded, object: KubeObject): KubeObject;
  forget(uid: string): void;
}

export const createDecodedStates = (clock: Pick<Clock, 'now'>): DecodedStates => {
  const known = new Generations<Encoded & { object: KubeObject; until: number }>(most);
  const remember = (encoded: Encoded, object: KubeObject): KubeObject => {
    const { uid, position, size, isEncrypted } = encoded;
    // A reader of the log comes by older states.
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

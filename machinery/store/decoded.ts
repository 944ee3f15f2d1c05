/**
 * The newest state of each object that was read or written lately, as it is decoded. A position of a type is one state for
 * ever, so what was seen of it once is what it still is.
 */
import { freeze, frozenCopy } from '../api/frozen.ts';
import type { KubeObject } from '../api/object.ts';
import type { Clock } from '../ports.ts';

/** Bytes of the bodies they are encoded as; in memory an object takes several times as many. */
const most = 16 * 1024 * 1024;
/** How long the plain text of an encrypted body stays in memory, in milliseconds: as long as the key to it. */
const plainTime = 5 * 60_000;

/** Which state it is, by an identity that no other object ever has, and how it is encoded. */
export interface Encoded {
  id: string;
  position: number;
  size: number;
  isEncrypted: boolean;
}

export interface DecodedStates {
  /** The state, frozen; undefined when it has to be decoded. */
  find(encoded: Encoded): KubeObject | undefined;
  /** Answers the state, frozen. */
  decoded(encoded: Encoded, object: KubeObject): KubeObject;
  /** What this process wrote itself needs no decoding. Answers the state, frozen; `object` stays the caller's. */
  written(encoded: Encoded, object: KubeObject): KubeObject;
  forget(id: string): void;
}

export const createDecodedStates = (clock: Pick<Clock, 'now'>): DecodedStates => {
  const known = new Map<string, { position: number; object: KubeObject; size: number; until: number }>();
  let total = 0;
  const forget = (id: string) => {
    total -= known.get(id)?.size ?? 0;
    known.delete(id);
  };
  const remember = ({ id, position, size, isEncrypted }: Encoded, object: KubeObject): KubeObject => {
    // A reader of the log comes by older states.
    if (position < (known.get(id)?.position ?? 0)) return object;
    forget(id);
    const until = isEncrypted ? clock.now() + plainTime : Number.POSITIVE_INFINITY;
    known.set(id, { position, object, size, until });
    total += size;
    for (const oldest of known.keys()) {
      if (total <= most) break;
      forget(oldest);
    }
    return object;
  };
  return {
    find: ({ id, position, size }) => {
      const found = known.get(id);
      return found?.position === position && found.size === size && clock.now() < found.until
        ? found.object
        : undefined;
    },
    decoded: (encoded, object) => remember(encoded, freeze(object)),
    written: (encoded, object) => remember(encoded, frozenCopy(object)),
    forget,
  };
};

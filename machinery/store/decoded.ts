/** States that were decoded lately. A position of a type is one state for ever, so what was read of it once is read of it again. */
import type { KubeObject } from '../api/object.ts';
import type { Clock } from '../ports.ts';

/** Bytes of the bodies they were decoded from; in memory an object takes several times as many. */
const most = 16 * 1024 * 1024;
/** How long the plain text of an encrypted body stays in memory, in milliseconds: as long as the key to it. */
const plainTime = 5 * 60_000;

export interface DecodedStates {
  /** The state, frozen; decoded with `decode` unless it is known. */
  of(id: string, body: Uint8Array, isEncrypted: boolean, decode: () => Promise<KubeObject>): Promise<KubeObject>;
}

const freeze = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
  return value;
};

export const createDecodedStates = (clock: Pick<Clock, 'now'>): DecodedStates => {
  const known = new Map<string, { object: KubeObject; size: number; until: number }>();
  let total = 0;
  const forget = (id: string) => {
    total -= known.get(id)?.size ?? 0;
    known.delete(id);
  };
  return {
    of: async (id, { length: size }, isEncrypted, decode) => {
      const found = known.get(id);
      if (found && found.size === size && clock.now() < found.until) return found.object;
      const object = freeze(await decode());
      forget(id);
      known.set(id, { object, size, until: isEncrypted ? clock.now() + plainTime : Number.POSITIVE_INFINITY });
      total += size;
      for (const oldest of known.keys()) {
        if (total <= most) break;
        forget(oldest);
      }
      return object;
    },
  };
};

import { createCipheriv, createDecipheriv, createHash, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { type Clock, type Keys, type Random, Refused, type Table } from '../ports.ts';
import { dataKeyKey } from './items.ts';
import { steadily } from './steady.ts';

const ivBytes = 12;
const tagBytes = 16;
/** How long an unwrapped data key stays in memory, in milliseconds. */
const cacheTime = 5 * 60_000;

export interface Cipher {
  /** `identity` is authenticated: a ciphertext moved to another object does not decrypt. */
  encrypt(use: KeyUse, identity: string, plain: Uint8Array): Promise<Uint8Array>;
  decrypt(use: KeyUse, identity: string, sealed: Uint8Array): Promise<Uint8Array>;
}

/** What a data key encrypts: the objects of a namespace and a purpose, or without a purpose those of format 1. */
export interface KeyUse {
  namespace: string;
  purpose?: string | undefined;
}

const noSalt = new Uint8Array();
const nameOf = ({ namespace, purpose = '' }: KeyUse): string => `${namespace}\0${purpose}`;
/** The permissions of a process to use a data key are conditions on this context. */
const contextOf = ({ namespace, purpose }: KeyUse) => ({
  use: 'objects',
  namespace,
  ...(purpose !== undefined && { purpose }),
});
/** KeyObjects throughout: Node takes four times as long with a key given as bytes. */
const objectKeyOf = (dataKey: KeyObject, identity: string): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', dataKey, noSalt, identity, 32)));

/**
 * AES-256-GCM under a key derived per object from the data key of its use. The output is self-contained:
 * length of the wrapped data key (2 bytes), wrapped data key, iv, tag, ciphertext.
 */
export const openCipher = (table: Table, keys: Keys, clock: Clock, random: Random): Cipher => {
  const unwrapped = new Map<string, { key: Promise<KeyObject>; until: number }>();
  const current = new Map<string, { wrapped: Promise<Uint8Array>; until: number }>();

  const remember = <V extends { until: number }>(cache: Map<string, V>, name: string, make: () => V, held: keyof V) => {
    const known = cache.get(name);
    if (known && known.until > clock.now()) return known;
    for (const [key, { until }] of cache) if (until <= clock.now()) cache.delete(key);
    const fresh = make();
    cache.set(name, fresh);
    (fresh[held] as Promise<unknown>).catch(() => cache.delete(name));
    return fresh;
  };

  const unwrap = (wrapped: Uint8Array, use: KeyUse): Promise<KeyObject> => {
    const name = createHash('sha256').update(nameOf(use)).update('\0').update(wrapped).digest('base64');
    const make = () => ({
      key: keys.unwrap(wrapped, contextOf(use)).then((key) => createSecretKey(key)),
      until: clock.now() + cacheTime,
    });
    return remember(unwrapped, name, make, 'key').key;
  };

  const establish = async (use: KeyUse): Promise<Uint8Array> => {
    const at = dataKeyKey(use);
    const known = await steadily({ clock, random }, () => table.get(at, { consistent: true }));
    if (known) return known.wrapped as Uint8Array;
    const { wrapped } = await keys.dataKey(contextOf(use));
    try {
      await steadily({ clock, random }, () => table.write({ put: { ...at, wrapped }, when: { exists: false } }));
      return wrapped;
    } catch (error) {
      if (error instanceof Refused && error.item) return error.item.wrapped as Uint8Array;
      throw error;
    }
  };

  const dataKeyOf = (use: KeyUse): Promise<Uint8Array> => {
    const make = () => ({ wrapped: establish(use), until: clock.now() + cacheTime });
    return remember(current, nameOf(use), make, 'wrapped').wrapped;
  };

  return {
    encrypt: async (use, identity, plain) => {
      const wrapped = await dataKeyOf(use);
      const iv = random.bytes(ivBytes);
      const key = objectKeyOf(await unwrap(wrapped, use), identity);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(identity));
      const text = Buffer.concat([cipher.update(plain), cipher.final()]);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(wrapped.length);
      return new Uint8Array(Buffer.concat([length, wrapped, iv, cipher.getAuthTag(), text]));
    },
    decrypt: async (use, identity, sealed) => {
      const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
      const ivAt = 2 + bytes.readUInt16BE(0);
      const tagAt = ivAt + ivBytes;
      const textAt = tagAt + tagBytes;
      const key = objectKeyOf(await unwrap(bytes.subarray(2, ivAt), use), identity);
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(ivAt, tagAt))
        .setAAD(Buffer.from(identity))
        .setAuthTag(bytes.subarray(tagAt, textAt));
      return new Uint8Array(Buffer.concat([decipher.update(bytes.subarray(textAt)), decipher.final()]));
    },
  };
};

import { createCipheriv, createDecipheriv, createSecretKey } from 'node:crypto';
import { ForeignDataKey, type Keys, type Random } from '../../machinery/ports.ts';

const ivBytes = 12;
const tagBytes = 16;

const contextBytes = (context: Record<string, string>) =>
  Buffer.from(JSON.stringify(Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1))));

/** Envelope encryption under a master key of 32 bytes, which the caller stores. */
export const memoryKeys = (random: Random, master: Uint8Array = random.bytes(32)): Keys => {
  // Importing the key once, because that takes longer than encrypting.
  const masterKey = createSecretKey(master);
  return {
    dataKey: async (context) => {
      const key = random.bytes(32);
      const iv = random.bytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', masterKey, iv).setAAD(contextBytes(context));
      const text = Buffer.concat([cipher.update(key), cipher.final()]);
      return { key, wrapped: new Uint8Array(Buffer.concat([iv, cipher.getAuthTag(), text])) };
    },
    unwrap: async (wrapped, context) => {
      const textAt = ivBytes + tagBytes;
      try {
        const decipher = createDecipheriv('aes-256-gcm', masterKey, wrapped.subarray(0, ivBytes))
          .setAAD(contextBytes(context))
          .setAuthTag(wrapped.subarray(ivBytes, textAt));
        return new Uint8Array(Buffer.concat([decipher.update(wrapped.subarray(textAt)), decipher.final()]));
      } catch (error) {
        const message = 'the master key did not wrap this data key, or not for this use';
        throw new ForeignDataKey('InvalidCiphertextException', message, { cause: error });
      }
    },
  };
};

/** The Keys port on a symmetric KMS key. KMS authenticates the encryption context and writes it to CloudTrail. */
import { createHash } from 'node:crypto';
import { DecryptCommand, GenerateDataKeyCommand, type KMSClient } from '@aws-sdk/client-kms';
import { type Clock, ForeignDataKey, type Keys } from '../../../machinery/ports.ts';
import { type Attempt, translated } from '../service/error.ts';

export interface KmsKeysOptions {
  client: Pick<KMSClient, 'send'>;
  /** Id, ARN or alias. */
  keyId: string;
  clock: Pick<Clock, 'now'>;
  cacheTime?: number;
  /** Maximum of cached keys. */
  mostCached?: number;
}

/** Milliseconds for which an unwrapped key stays in memory: KMS charges each call. A disabled key works that long. */
export const keptFor = 3_600_000;

type Context = Record<string, string>;

const cacheNameOf = (wrapped: Uint8Array, context: Context): string => {
  const entries = JSON.stringify(Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1)));
  return createHash('sha256').update(entries).update('\0').update(wrapped).digest('base64');
};

export const kmsKeys = (options: KmsKeysOptions): Keys => {
  const { client, keyId: KeyId, clock, cacheTime = keptFor, mostCached = 200 } = options;
  const cache = new Map<string, { key: Promise<Uint8Array>; until: number }>();

  const attempt = (action: string): Attempt => ({ action, what: `the KMS key ${KeyId}` });
  const failed = (error: unknown, action: string): Error => {
    const { name } = (error ?? {}) as Error;
    // KMS reports another context or foreign bytes only by this error.
    if (name === 'InvalidCiphertextException' || name === 'IncorrectKeyException')
      return new ForeignDataKey(name, `the KMS key ${KeyId} did not wrap this data key, or not for this use`);
    return translated(error, attempt(action));
  };

  const decrypt = async (CiphertextBlob: Uint8Array, EncryptionContext: Context): Promise<Uint8Array> => {
    try {
      const { Plaintext } = await client.send(new DecryptCommand({ KeyId, CiphertextBlob, EncryptionContext }));
      return new Uint8Array(Plaintext!);
    } catch (error) {
      throw failed(error, 'kms:Decrypt');
    }
  };

  const makeRoom = () => {
    const now = clock.now();
    for (const [name, { until }] of cache) if (until <= now) cache.delete(name);
    // A map iterates in insertion order, so the first entry is the oldest.
    for (const name of cache.keys()) {
      if (cache.size < mostCached) return;
      cache.delete(name);
    }
  };

  return {
    dataKey: async (context) => {
      try {
        const { Plaintext, CiphertextBlob } = await client.send(
          new GenerateDataKeyCommand({ KeyId, KeySpec: 'AES_256', EncryptionContext: context }),
        );
        return { key: new Uint8Array(Plaintext!), wrapped: new Uint8Array(CiphertextBlob!) };
      } catch (error) {
        throw failed(error, 'kms:GenerateDataKey');
      }
    },
    unwrap: async (wrapped, context) => {
      const name = cacheNameOf(wrapped, context);
      const known = cache.get(name);
      // A copy, because a caller may wipe or change it.
      if (known && known.until > clock.now()) return (await known.key).slice();
      makeRoom();
      const key = decrypt(wrapped, context);
      const entry = { key, until: clock.now() + cacheTime };
      cache.set(name, entry);
      key.catch(() => {
        if (cache.get(name) === entry) cache.delete(name);
      });
      return (await key).slice();
    },
  };
};

/**
 * The keys that sign tokens of ServiceAccounts. The table has them, with their private halves
 * encrypted. Processes share them: the first token creates one, and a token that is signed long
 * after replaces it.
 */
import { createHash, createPrivateKey, generateKeyPair, type JsonWebKey, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { CompactEncrypt, compactDecrypt } from 'jose';
import { type Clock, type Item, type Keys, Refused, type Table } from '../ports.ts';

const day = 86_400_000;
/** Milliseconds after which another key replaces the one that signs. */
const rotation = 90 * day;
/** Milliseconds for which a key is published before it signs, so that caches of the published keys have it. */
const publication = day;
/** Milliseconds after which a process reads again whether another process has replaced the key. */
const freshness = 3_600_000;
/** Milliseconds between two reads for ids of keys that are not known. */
const leastPause = 5000;

/** As every relying party on AWS and elsewhere accepts it. */
export const algorithm = 'RS256';
const modulusLength = 2048;

const partition = 't#keys';
/** KMS permits this use to functions that sign alone. */
const context = { use: 'tokens' };
const sealing = { alg: 'dir', enc: 'A256GCM' } as const;

export interface PublicKey {
  id: string;
  jwk: JsonWebKey;
}

interface StoredKey extends PublicKey {
  /** Counts the keys of the installation. */
  number: number;
  created: number;
  /** Absent when the key no longer signs. */
  sealed: { wrapped: Uint8Array; privateKey: string } | undefined;
}

export interface SigningKeys {
  /** The key that signs now. */
  signing(): Promise<{ id: string; key: KeyObject }>;
  /** The public half of a key. `isOwn`: another process may just have created it. */
  find(id: string, isOwn: boolean): Promise<PublicKey | undefined>;
  /** All public halves: tokens in Secrets do not expire. */
  published(): Promise<PublicKey[]>;
}

/** What the installation's administrators demand of keys, in milliseconds since the epoch. */
export interface KeyDemands {
  /** Keys from before sign no more. */
  replaceBefore?: number;
  /** Nor is what they have signed valid. */
  revokeBefore?: number;
}

export interface SigningKeysOptions {
  demands: () => Promise<KeyDemands>;
  table: Table;
  keys: Keys;
  clock: Pick<Clock, 'now'>;
}

const generate = promisify(generateKeyPair);

/** As Kubernetes names its keys. */
const idOf = (publicKey: KeyObject): string =>
  createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');

const storedKey = ({ sk, id, created, jwk, wrapped, privateKey }: Item): StoredKey => ({
  number: sk as number,
  id: id as string,
  created: created as number,
  jwk: JSON.parse(jwk as string) as JsonWebKey,
  sealed: wrapped === undefined ? undefined : { wrapped: wrapped as Uint8Array, privateKey: privateKey as string },
});

/** Milliseconds for which a process believes what was demanded. */
const believed = 10_000;

export const openSigningKeys = ({ table, keys, clock, demands }: SigningKeysOptions): SigningKeys => {
  let demanded: { at: number; limits: Promise<Required<KeyDemands>> } | undefined;
  let known: { at: number; keys: StoredKey[] } = { at: Number.NEGATIVE_INFINITY, keys: [] };
  const opened = new Map<string, Promise<KeyObject>>();

  const read = async (): Promise<StoredKey[]> => {
    const at = clock.now();
    const { items } = await table.query({ pk: partition, consistent: true });
    known = { at, keys: items.map(storedKey) };
    return known.keys;
  };
  const readDemands = async (): Promise<Required<KeyDemands>> => {
    const { replaceBefore = 0, revokeBefore = 0 } = await demands();
    // A time to come would replace each new key at once.
    const since = (time: number) => (time <= clock.now() ? time : 0);
    return { revokeBefore: since(revokeBefore), replaceBefore: Math.max(since(replaceBefore), since(revokeBefore)) };
  };
  const limits = (): Promise<Required<KeyDemands>> => {
    if (!demanded || clock.now() - demanded.at > believed) {
      const reading = { at: clock.now(), limits: readDemands() };
      demanded = reading;
      reading.limits.catch(() => {
        if (demanded === reading) demanded = undefined;
      });
    }
    return demanded.limits;
  };
  const valid = async (all: readonly StoredKey[]): Promise<StoredKey[]> => {
    const { revokeBefore } = await limits();
    return all.filter(({ created }) => created >= revokeBefore);
  };

  const readSince = async (age: number): Promise<StoredKey[]> => (clock.now() - known.at <= age ? known.keys : read());

  const make = async (number: number): Promise<Item> => {
    const [{ publicKey, privateKey }, { key, wrapped }] = await Promise.all([
      generate('rsa', { modulusLength }),
      keys.dataKey(context),
    ]);
    const sealed = await new CompactEncrypt(privateKey.export({ type: 'pkcs8', format: 'der' }))
      .setProtectedHeader(sealing)
      .encrypt(key);
    return {
      pk: partition,
      sk: number,
      id: idOf(publicKey),
      created: clock.now(),
      jwk: JSON.stringify(publicKey.export({ format: 'jwk' })),
      wrapped,
      privateKey: sealed,
    };
  };

  /** The first of the processes that create this key wins. */
  const create = async (number: number): Promise<StoredKey[]> => {
    try {
      await table.write({ put: await make(number), when: { exists: false } });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
    return read();
  };

  /** What a replaced key signed stays valid, but it signs no more. */
  const retire = async (all: readonly StoredKey[], current: StoredKey): Promise<void> => {
    const retired = all.filter(({ number, sealed }) => sealed && number < current.number);
    for (const { number } of retired)
      await table.write({
        update: { pk: partition, sk: number },
        remove: ['wrapped', 'privateKey'],
        when: { exists: true },
      });
  };

  const open = ({ id, sealed }: StoredKey): Promise<KeyObject> => {
    const unseal = async (): Promise<KeyObject> => {
      if (!sealed) throw new Error(`the key ${id} no longer signs`);
      const { plaintext } = await compactDecrypt(sealed.privateKey, await keys.unwrap(sealed.wrapped, context));
      return createPrivateKey({ key: Buffer.from(plaintext), type: 'pkcs8', format: 'der' });
    };
    const opening = opened.get(id) ?? unseal();
    opened.set(id, opening);
    opening.catch(() => opened.delete(id));
    return opening;
  };

  return {
    signing: async () => {
      const { replaceBefore } = await limits();
      const isOld = ({ created }: StoredKey) => clock.now() - created >= rotation || created < replaceBefore;
      let all = await readSince(freshness);
      for (let newest = all.at(-1); !newest || isOld(newest); newest = all.at(-1))
        all = await create((newest?.number ?? 0) + 1);
      // A key that replaces one before its time signs at once.
      const usable = all.filter(({ sealed, created }) => sealed && created >= replaceBefore);
      const current = usable.findLast(({ created }) => clock.now() - created >= publication) ?? usable[0]!;
      await retire(all, current);
      return { id: current.id, key: await open(current) };
    },
    find: async (id, isOwn) => {
      const find = (all: readonly StoredKey[]) => all.find((one) => one.id === id);
      const isKnown = find(known.keys) !== undefined || !(isOwn || known.keys.length === 0);
      return find(await valid(isKnown ? known.keys : await readSince(leastPause)));
    },
    published: async () => valid(await readSince(leastPause)),
  };
};

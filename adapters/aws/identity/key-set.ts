/** The keys that an issuer publishes, fetched when they are needed. */
import { unavailable } from '../../../machinery/api/errors.ts';
import type { Clock } from '../../../machinery/ports.ts';
import type { Answer } from './ask.ts';
import { type VerifyingKey, verifyingKey } from './jwt.ts';

export interface KeySet {
  /** Those that may have signed: with that id, or all when a token names none. */
  find(keyId: string | undefined): Promise<VerifyingKey[]>;
}

export interface KeySetOptions {
  issuer: string;
  /** Where the keys are; found out from the issuer when absent. */
  jwksUri?: string;
  ask: (url: string) => Promise<Answer>;
  clock: Pick<Clock, 'now'>;
}

/** Milliseconds. */
const kept = 60 * 60_000;
/** Tokens with made-up key ids make us ask no more often than this. */
const leastPause = 60_000;
/** While none is known nobody is let in, so it is tried again sooner. */
const firstPause = 5_000;
const mostKeys = 100;

const fieldOf = ({ status, body }: Answer, name: string): unknown =>
  status === 200 && typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined;

export const createKeySet = ({ issuer, jwksUri, ask, clock }: KeySetOptions): KeySet => {
  let keys: VerifyingKey[] | undefined;
  let fetched = 0;
  let tried = Number.NEGATIVE_INFINITY;
  /** Whether it was last asked for in vain: it may have keys that are not known. */
  let hasFailed = false;
  let fetching: Promise<void> | undefined;

  const address = async (): Promise<string> => {
    if (jwksUri !== undefined) return jwksUri;
    const document = await ask(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    const uri = fieldOf(document, 'jwks_uri');
    if (fieldOf(document, 'issuer') !== issuer || typeof uri !== 'string' || !uri.startsWith('https://'))
      throw unavailable(`the issuer ${issuer} does not say where its keys are`, 30);
    return uri;
  };
  const load = async (): Promise<void> => {
    const published = fieldOf(await ask(await address()), 'keys');
    if (!Array.isArray(published)) throw unavailable(`the issuer ${issuer} does not publish its keys`, 30);
    keys = published
      .slice(0, mostKeys)
      .map(verifyingKey)
      .filter((key) => key !== undefined);
    fetched = clock.now();
    hasFailed = false;
  };
  const refresh = (): Promise<void> => {
    if (fetching) return fetching;
    tried = clock.now();
    fetching = load()
      .catch((error: unknown) => {
        hasFailed = true;
        throw error;
      })
      .finally(() => {
        fetching = undefined;
      });
    return fetching;
  };

  const matching = (keyId: string | undefined): VerifyingKey[] =>
    (keys ?? []).filter(({ id }) => keyId === undefined || id === keyId);

  return {
    find: async (keyId) => {
      const mayAsk = () => fetching !== undefined || clock.now() >= tried + (keys ? leastPause : firstPause);
      const isOld = keys === undefined || clock.now() >= fetched + kept;
      if (isOld || matching(keyId).length === 0) {
        if (!keys && !mayAsk()) throw unavailable(`the keys of the issuer ${issuer} are not known yet`, 5);
        // Keys that are known stay good while their issuer is away.
        if (mayAsk())
          await refresh().catch((error: unknown) => {
            if (!keys) throw error;
          });
      }
      const found = matching(keyId);
      if (found.length === 0 && hasFailed) throw unavailable(`the issuer ${issuer} may have new keys, and is away`, 5);
      return found;
    },
  };
};

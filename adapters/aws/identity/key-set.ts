/** An issuer's published keys, fetched on demand. */
import { unavailable } from '../../../machinery/api/errors.ts';
import type { Clock } from '../../../machinery/ports.ts';
import type { Answer } from './ask.ts';
import { type VerifyingKey, verifyingKey } from './jwt.ts';

export interface KeySet {
  /** Candidate keys: the one with this id, or all if the token names none. */
  find(keyId: string | undefined): Promise<VerifyingKey[]>;
}

export interface KeySetOptions {
  issuer: string;
  /** The keys' URL; by default from the issuer's discovery document. */
  jwksUri?: string;
  ask: (url: string) => Promise<Answer>;
  clock: Pick<Clock, 'now'>;
}

/** Milliseconds. */
const kept = 60 * 60_000;
/** Milliseconds between fetches, which tokens with invented key ids cannot shorten. */
const leastPause = 60_000;
/** Milliseconds between fetches while no key is known, because every token is rejected meanwhile. */
const firstPause = 5_000;
const mostKeys = 100;

const fieldOf = ({ status, body }: Answer, name: string): unknown =>
  status === 200 && typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined;

export const createKeySet = ({ issuer, jwksUri, ask, clock }: KeySetOptions): KeySet => {
  let keys: VerifyingKey[] | undefined;
  let fetched = 0;
  let tried = Number.NEGATIVE_INFINITY;
  /** Whether the last fetch failed, so that unknown keys may exist. */
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
        // Known keys stay valid while their issuer is unreachable.
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

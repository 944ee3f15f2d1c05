/** A cache of verification results by token hash; tokens are not stored. */
import { createHash } from 'node:crypto';
import type { Clock } from './ports.ts';

export interface Verdicts<T> {
  /** The cached result, or that of `find`, which concurrent callers share. */
  of(token: string, find: () => Promise<{ verdict: T; until: number; isGood: boolean }>): Promise<T>;
  /** Forgets all results, also those that are being found. */
  clear(): void;
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64');

/** Bounds accepted and rejected tokens separately, so that invented tokens evict no valid ones. */
export const createVerdicts = <T>(clock: Pick<Clock, 'now'>, most = 1000): Verdicts<T> => {
  const good = new Map<string, { verdict: T; until: number }>();
  const bad = new Map<string, { verdict: T; until: number }>();
  const asked = new Map<string, Promise<T>>();
  let generation = 0;

  const known = (hash: string) => {
    for (const cache of [good, bad]) {
      const found = cache.get(hash);
      if (found && found.until > clock.now()) return found;
      cache.delete(hash);
    }
    return undefined;
  };
  const keep = (cache: typeof good, hash: string, verdict: T, until: number) => {
    const [oldest] = cache.keys();
    if (cache.size >= most && oldest !== undefined) cache.delete(oldest);
    cache.set(hash, { verdict, until });
  };

  return {
    of: (token, find) => {
      const hash = hashOf(token);
      const found = known(hash);
      if (found) return Promise.resolve(found.verdict);
      const begun = asked.get(hash);
      if (begun) return begun;
      const began = generation;
      const finding = find()
        .then(({ verdict, until, isGood }) => {
          if (began === generation) keep(isGood ? good : bad, hash, verdict, until);
          return verdict;
        })
        .finally(() => {
          if (asked.get(hash) === finding) asked.delete(hash);
        });
      asked.set(hash, finding);
      return finding;
    },
    clear: () => {
      generation++;
      for (const cache of [good, bad, asked]) cache.clear();
    },
  };
};

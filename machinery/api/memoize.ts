import { Generations } from './generations.ts';

/**
 * Memoizes `make` for results that depend on the key alone and cost more to compute than to keep.
 * Keeps the `most` recently used results, and at most twice as many.
 */
export const memoize = <V>(most: number, make: (key: string) => V): ((key: string) => V) => {
  const known = new Generations<V>(most);
  return (key) => {
    const answer = known.find(key);
    if (answer) return answer.value;
    const value = make(key);
    known.keep(key, value);
    return value;
  };
};

/** Second texts kept for each first one. */
const beside = 100;

/** The same for results that depend on two long texts, without joining them. */
export const memoizePair = <V>(most: number, make: (first: string, second: string) => V) => {
  const known = memoize(most, (first) => memoize(beside, (second) => make(first, second)));
  return (first: string, second: string): V => known(first)(second);
};

/**
 * The same for results that depend on an object, for as long as the object is alive. Results for
 * objects that are not frozen are not kept, because the object may change.
 */
export const memoizeFrozen = <K extends object, V>(make: (key: K) => V): ((key: K) => V) => {
  const known = new WeakMap<K, { value: V }>();
  return (key) => {
    if (!Object.isFrozen(key)) return make(key);
    const answer = known.get(key);
    if (answer) return answer.value;
    const value = make(key);
    known.set(key, { value });
    return value;
  };
};

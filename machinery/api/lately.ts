import { Generations } from './generations.ts';

/**
 * What `make` answered lately, for answers that are a function of the key alone and cost more than remembering them: the
 * `most` that were asked for last are remembered, and at most twice as many.
 */
export const lately = <V>(most: number, make: (key: string) => V): ((key: string) => V) => {
  const known = new Generations<V>(most);
  return (key) => {
    const answer = known.find(key);
    if (answer) return answer.value;
    const value = make(key);
    known.keep(key, value);
    return value;
  };
};

/** Second texts remembered with each first one. */
const beside = 100;

/** The same for answers that are a function of two long texts, which need not be joined for it. */
export const latelyOfTwo = <V>(most: number, make: (first: string, second: string) => V) => {
  const known = lately(most, (first) => lately(beside, (second) => make(first, second)));
  return (first: string, second: string): V => known(first)(second);
};

/**
 * The same for answers that are a function of an object, as long as somebody holds it. Of what is not frozen nothing is
 * remembered: it may change.
 */
export const whileHeld = <K extends object, V>(make: (key: K) => V): ((key: K) => V) => {
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

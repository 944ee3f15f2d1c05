/** Loops over many items of which one may fail. */

/** Concurrent calls: one after the other, those of a large cluster would exceed a Lambda function's timeout. */
export const requestLimit = 20;

/** An item whose visit failed. */
export interface Fault<T> {
  item: T;
  error: unknown;
}

export interface Isolated<T> {
  faults: Fault<T>[];
  /** The items after the last one that was visited. */
  left: T[];
}

/** Consecutive failures after which the cause is what all items need, such as the table, and not the items. */
const mostInARow = 20;

/**
 * Visits the items in order, `most` at a time, and goes on after one that fails. Never rejects: the caller
 * reports the faults, and records how far it got.
 */
export const isolated = async <T>(
  items: Iterable<T>,
  visit: (item: T) => Promise<unknown>,
  { most = 1 }: { most?: number } = {},
): Promise<Isolated<T>> => {
  const coming = items[Symbol.iterator]();
  const faults: Fault<T>[] = [];
  let inARow = 0;
  const lane = async () => {
    while (inARow < mostInARow) {
      const next = coming.next();
      if (next.done) return;
      try {
        await visit(next.value);
        inARow = 0;
      } catch (error) {
        inARow++;
        faults.push({ item: next.value, error });
      }
    }
  };
  await Promise.all(Array.from({ length: most }, lane));
  return { faults, left: [...{ [Symbol.iterator]: () => coming }] };
};

/** The same, for a caller that has to be repeated as a whole: throws the first error once all items were visited. */
export const isolatedOrThrow = async <T>(...visits: Parameters<typeof isolated<T>>): Promise<void> => {
  const { faults } = await isolated(...visits);
  if (faults[0]) throw faults[0].error;
};

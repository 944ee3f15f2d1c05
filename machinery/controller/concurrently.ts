/**
 * Concurrent work requests: one after the other, those of a large cluster would exceed a Lambda
 * function's timeout.
 */
export const requestLimit = 20;

/**
 * Calls `run` for each item in order, `most` at a time. The first error stops it, once the running
 * calls have ended.
 */
export const concurrently = async <T>(
  most: number,
  all: Iterable<T>,
  run: (one: T) => Promise<void>,
): Promise<void> => {
  const left = all[Symbol.iterator]();
  let failed: { error: unknown } | undefined;
  const lane = async () => {
    for (let next = left.next(); !next.done && !failed; next = left.next()) {
      try {
        await run(next.value);
      } catch (error) {
        failed ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: most }, lane));
  if (failed) throw failed.error;
};

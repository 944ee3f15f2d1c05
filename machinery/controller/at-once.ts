/** Requests for passes at a time: one after the other, those of a large cluster would take longer than a function may run. */
export const requests = 20;

/** Runs for each, in order and `most` at a time. The first error ends it, when what had begun has come to its end. */
export const atOnce = async <T>(most: number, all: Iterable<T>, run: (one: T) => Promise<void>): Promise<void> => {
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

/** Pure computations in steps, between which their caller may let other work of the process run. */

export type Steps<T> = Generator<void, T, void>;

/** Takes all steps at once. */
export const finish = <T>(steps: Steps<T>): T => {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
};

/** A step for each item. */
export function* mapInSteps<T, R>(items: Iterable<T>, of: (item: T) => R): Steps<R[]> {
  const results: R[] = [];
  for (const item of items) {
    results.push(of(item));
    yield;
  }
  return results;
}

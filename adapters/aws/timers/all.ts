/** Waits for all, also when one fails: what is left running when a function has answered is frozen with it. */
export const allOf = async (tries: readonly Promise<void>[]): Promise<void> => {
  const results = await Promise.allSettled(tries);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
};

/** Waits for all even if one fails, because Lambda would freeze the others with the process. */
export const allOf = async (tries: readonly Promise<void>[]): Promise<void> => {
  const results = await Promise.allSettled(tries);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
};

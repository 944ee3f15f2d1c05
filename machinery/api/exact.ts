/**
 * Integers that a JavaScript number would round. The API refuses them: a rounded integer would be
 * stored and returned as another one.
 */

/** Whether a number that reads these digits prints others. */
export const losesDigits = (digits: string): boolean =>
  digits.length > 15 && /^-?\d+$/.test(digits) && String(Number(digits)) !== digits;

export const roundedInteger = (digits: string): string =>
  `the integer ${digits} is too large to be stored exactly (use a string, or a number up to 2^53)`;

const wouldRound = (text: string): string | undefined => {
  if (!/\d{16}/.test(text)) return undefined;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g))
    if (losesDigits(token)) return token;
  return undefined;
};

/** The value of a JSON text from outside; throws an Error for an integer that would be rounded. */
export const exactJson = (text: string): unknown => {
  const value: unknown = JSON.parse(text);
  const digits = wouldRound(text);
  if (digits !== undefined) throw new Error(roundedInteger(digits));
  return value;
};

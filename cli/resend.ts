/** Which refused requests a client sends again, and when. */

/** Milliseconds. */
const pauses = [1_000, 2_000, 4_000, 8_000, 8_000];
const longest = 30_000;
const unavailable = new Set([502, 503, 504]);

export interface Refusal {
  code: number;
  /** The header Retry-After, which the server sends only where it has not begun. */
  retryAfter: string | undefined;
}

/**
 * Milliseconds until the next attempt, or undefined if the answer stands. A write whose outcome may be unknown is not
 * repeated; a gateway without a free function answers 503 like that.
 */
export const resendAfter = (method: string, { code, retryAfter }: Refusal, attempts: number): number | undefined => {
  const pause = pauses[attempts];
  if (pause === undefined) return undefined;
  const seconds = Number(retryAfter ?? '');
  if (seconds > 0 && (code === 429 || code >= 500)) return Math.min(longest, seconds * 1_000);
  return method === 'GET' && unavailable.has(code) ? pause : undefined;
};

/** Which failed requests a client retries, and when. */

/** Milliseconds before each attempt without Retry-After. */
const pauses = [1_000, 2_000, 4_000];
/** Attempts with Retry-After, and the longest wait in milliseconds. */
const [most, longest] = [5, 30_000];
/** Answers to reads that are retried without Retry-After. */
const unavailable = new Set([429, 502, 503, 504]);

export interface Refusal {
  code: number;
  /** The header Retry-After, which the server sends only where it has not begun. */
  retryAfter: string | undefined;
}

/**
 * Milliseconds until the next attempt, or undefined for a final response. A write with an unknown outcome is not
 * retried; a gateway without a free function answers 503 like that.
 */
export const resendAfter = (method: string, { code, retryAfter }: Refusal, attempts: number): number | undefined => {
  const seconds = Number(retryAfter ?? '');
  if (seconds > 0 && (code === 429 || code >= 500))
    return attempts < most ? Math.min(longest, seconds * 1_000) : undefined;
  return method === 'GET' && unavailable.has(code) ? pauses[attempts] : undefined;
};

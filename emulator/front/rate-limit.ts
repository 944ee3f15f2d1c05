/** The throttle of a method of the gateway: a token bucket for all clients. */
export interface Throttle {
  /** Requests per second. */
  rate: number;
  /** Burst of requests. */
  burst: number;
}

export const createRateLimit = (now: () => number = Date.now) => {
  let tokens = Number.POSITIVE_INFINITY;
  let at = now();
  return {
    /** Whether the gateway passes the next request. A changed throttle applies at once. */
    admits: ({ rate, burst }: Throttle): boolean => {
      const time = now();
      tokens = Math.min(burst, tokens + (Math.max(0, time - at) / 1000) * rate);
      at = time;
      if (tokens < 1) return false;
      tokens--;
      return true;
    },
  };
};

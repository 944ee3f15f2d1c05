/** Invocations and outcomes per function. */

export interface Count {
  invocations: number;
  coldStarts: number;
  errors: number;
  timeouts: number;
  /** Events that were throttled by the account's limit. */
  throttles: number;
  /** Sandboxes killed by the test. */
  killed: number;
  /** Messages delivered twice. */
  duplicates: number;
}

export interface Counts {
  add(name: string, what: keyof Count): void;
  /** A copy of the counts per function. */
  all(): Record<string, Count>;
}

export const createCounts = (): Counts => {
  const counts = new Map<string, Count>();
  return {
    add: (name, what) => {
      const none = { invocations: 0, coldStarts: 0, errors: 0, timeouts: 0, throttles: 0, killed: 0, duplicates: 0 };
      const count = counts.get(name) ?? none;
      count[what]++;
      counts.set(name, count);
    },
    all: () => Object.fromEntries([...counts].map(([name, count]) => [name, { ...count }])),
  };
};

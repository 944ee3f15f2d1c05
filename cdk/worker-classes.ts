/** Worker classes by what they must reach: those of the controllers in `wiring.ts`, and the housekeeping. */
export const workerClasses = ['core', 'aws', 'workload', 'gc'] as const;
export type WorkerClass = (typeof workerClasses)[number];

/** `hot` for changes that users wait for, `slow` for resyncs. */
export const speeds = ['hot', 'slow'] as const;
export type Speed = (typeof speeds)[number];

/**
 * When a rollout replaces objects older than `spec.rollout.after`, in milliseconds since the epoch.
 * creationTimestamp has whole seconds, so the time is rounded up: otherwise an object created
 * within that second would count as older and be replaced again.
 */
export const rolloutTime = (after: string): number => Math.ceil(Date.parse(after) / 1000) * 1000;

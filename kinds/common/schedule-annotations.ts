/** Annotations of a Cluster about its etcd snapshots; here without the parser of schedules. */
export const scheduleAnnotations = {
  schedule: 'capstan.dev/snapshot-schedule',
  /** How many complete snapshots of the schedule are kept. */
  keep: 'capstan.dev/snapshot-keep',
  /** When the last good one was completed. Reserved for controllers. */
  last: 'capstan.dev/last-snapshot',
} as const;

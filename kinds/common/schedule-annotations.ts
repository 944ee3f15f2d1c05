/** Annotations of a Cluster about its etcd snapshots; here without the parser of schedules. */
export const scheduleAnnotations = {
  schedule: 'capstan.dev/snapshot-schedule',
  /** How many complete snapshots of the schedule are kept. */
  keep: 'capstan.dev/snapshot-keep',
} as const;

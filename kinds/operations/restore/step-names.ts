/** The steps of a restore, in order. */
export const restoreSteps = ['Preflight', 'StopMembers', 'RestoreFirst', 'Join', 'Verify'] as const;
export type RestoreStep = (typeof restoreSteps)[number];

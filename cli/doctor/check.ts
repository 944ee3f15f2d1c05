/** One precondition of kubectl and this CLI. */
export type Level = 'ok' | 'warning' | 'failed' | 'skipped';

export interface Finding {
  level: Level;
  /** The finding, and the remedy for a problem. */
  says: string;
}

export interface Check {
  name: string;
  run(): Promise<Finding>;
}

export const ok = (says: string): Finding => ({ level: 'ok', says });
export const warning = (says: string): Finding => ({ level: 'warning', says });
export const failed = (says: string): Finding => ({ level: 'failed', says });
export const skipped = (says: string): Finding => ({ level: 'skipped', says });

/** Runs a check; an exception counts as a failure. */
export const outcomeOf = async ({ run }: Check): Promise<Finding> => {
  try {
    return await run();
  } catch (error) {
    return failed((error as Error).message);
  }
};

/** One thing that must hold for kubectl and this command line to work. */
export type Level = 'ok' | 'warning' | 'failed' | 'skipped';

export interface Finding {
  level: Level;
  /** What was seen, and what to do where it is not as it should be. */
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

/** A check that throws failed, with what was thrown. */
export const outcomeOf = async ({ run }: Check): Promise<Finding> => {
  try {
    return await run();
  } catch (error) {
    return failed((error as Error).message);
  }
};

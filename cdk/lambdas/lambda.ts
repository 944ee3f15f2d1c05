/** All that the deployment knows of one function. */
import type { Uses } from '../permissions/uses.ts';

/** Groups of variables, which `environment.ts` fills in. */
export type EnvironmentPart = 'serving' | 'reconciling' | 'clusters' | 'switching' | 'changes';

export interface Lambda {
  /** The file in lambdas/ that it begins in. */
  entry: string;
  does: string;
  megabytes: number;
  /** Options of Node. */
  node?: string;
  /** Temporary files, in MiB; 512 are free. */
  scratch?: number;
  /** Invoked asynchronously: an event that fails for good is kept. */
  isAsync?: true;
  /** Time limit of one invocation. */
  seconds: number;
  /** Executions that no other function can take, in an account with room for reservations. */
  reserved?: (watches: number) => number;
  /** Variables besides those of every function. */
  environment?: readonly EnvironmentPart[];
  /** Of the bundle: what is loaded at start besides the AWS SDK, and all. A test keeps it below. */
  kilobytes: { atOnce: number; all: number };
  uses: Uses;
}

export const defineLambda = (lambda: Lambda): Lambda => lambda;

/** Shorter than a work item's lease of 120 seconds: an interrupted pass is over before the next one starts. */
export const passSeconds = 110;

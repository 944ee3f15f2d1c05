/** The parts of a runtime, local or on AWS. */
import type { Hours, Resync } from './resync.ts';
import type { Run, Verdict } from './work.ts';

/** A controller as the runtime sees it. */
export interface Runner {
  run: Run;
  /** The types of the objects that it has work items for. */
  types: () => string[] | Promise<string[]>;
  /** The periodic resync requests: objects due in these hours, or all. */
  resync?: (hours?: Hours) => Promise<Resync>;
}
export type Runners = Record<string, Runner>;

export interface Receiver {
  /** `deliveries`: how often this message was delivered, 1 the first time. */
  receive(message: string, deliveries: number): Promise<Verdict>;
}

/** The periodic tasks. */
export interface Sweeper {
  /** Wakes runnable items whose message was lost; runs every ten minutes. */
  sweep(): Promise<void>;
  /** Runs first in a process that starts alone after another one ended abruptly. */
  recover(): Promise<void>;
  /** Whether no work is pending or scheduled. */
  isIdle(): Promise<boolean>;
  /**
   * Requests passes, with lower priority than users' changes: every hour for objects due in these
   * hours, and for all objects when a process starts. Returns the controllers whose objects could not be
   * requested.
   */
  resync(hoursOf?: (controller: string) => Hours): Promise<string[]>;
}

export type Worker = Receiver & Sweeper;

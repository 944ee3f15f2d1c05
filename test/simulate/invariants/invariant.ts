/** A rule that holds at every moment, or at the end; it throws when it is broken. */
import type { CloudAction } from '../../../kinds/ports/cloud.ts';
import type { Commit } from '../mirror.ts';
import type { Network, Wish } from '../scenarios/manifest.ts';
import type { World } from '../site.ts';
import type { TooLate } from '../too-late.ts';
import type { Belongings } from './belongings.ts';

export interface CloudCall {
  action: CloudAction;
  region: string;
  input: unknown;
  /** `done`, or the code of the error. */
  outcome: string;
  /** Whether it had its effect, heard or not. */
  happened: boolean;
  /** A fault refused it, not the account. */
  isInjected: boolean;
}

export interface Invariant {
  onCommit?: (commit: Commit) => void;
  /** Of Capstan's own, after it happened. */
  onCall?: (call: CloudCall) => void;
  /** When nothing is left to do. */
  atEnd?: () => void | Promise<void>;
}

/** What else an invariant has to know. */
export interface Setting {
  world: World;
  /** Whether somebody has taken a cluster's quorum away. */
  isRuined?: () => boolean;
  /** All that was in the account before any cluster: somebody else's. */
  provided: Belongings;
  /** Of that, what clusters may put something into; absent where they make their own. */
  network?: Network | undefined;
  /** What users want in the end, as far as it is known in every detail. */
  wanted: () => readonly Wish[];
  /** Whether this fault is part of the run. */
  has: (fault: string) => boolean;
  /** What came when nobody could want it any more; absent where nothing does. */
  tooLate?: TooLate;
}

export class Violation extends Error {
  override readonly name = 'Violation';
  readonly invariant: string;
  constructor(invariant: string, message: string) {
    super(`${invariant}: ${message}`);
    this.invariant = invariant;
  }
}

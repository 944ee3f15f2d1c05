/**
 * A rule of the simulation: a name, and what it watches. A rule that does not hold throws what
 * `broken` returns.
 */
import type { CloudAction } from '../../../kinds/ports/cloud/index.ts';
import type { Commit } from '../mirror.ts';
import type { DesiredCluster, Network } from '../scenarios/manifest.ts';
import type { World } from '../site.ts';
import type { StaleResources } from '../stale-resources.ts';
import type { Belongings } from './ownership/resources.ts';

export interface CloudCall {
  action: CloudAction;
  region: string;
  input: unknown;
  /** `done`, or the code of the error. */
  outcome: string;
  /** Whether the call took effect, even if its caller saw an error. */
  happened: boolean;
  /** A fault refused the call, not the account. */
  isInjected: boolean;
}

/** What a rule wants to see. A rule may also subscribe to the world itself. */
export interface Watch {
  onCommit?: (commit: Commit) => void;
  /** A call of Capstan, after it happened. */
  onCall?: (call: CloudCall) => void;
  /** The end of a run: everything is settled. */
  atEnd?: () => void | Promise<void>;
}

/** What a rule needs to know about the run. */
export interface Setting {
  world: World;
  /** Whether the run took a cluster's quorum away on purpose. */
  isRuined?: () => boolean;
  /** The unmanaged resources that were in the account before any cluster. */
  provided: Belongings;
  /** The unmanaged network that clusters share; absent where they create their own. */
  network?: Network | undefined;
  /** What users want in the end, as far as the run knows every detail. */
  wanted: () => readonly DesiredCluster[];
  /** Whether this fault struck in the run. */
  has: (fault: string) => boolean;
  /** Resources that a stale worker created for an owner that was gone. */
  staleResources?: StaleResources;
}

export class Violation extends Error {
  override readonly name = 'Violation';
  readonly invariant: string;
  constructor(invariant: string, message: string) {
    super(`${invariant}: ${message}`);
    this.invariant = invariant;
  }
}

/** Names the rule in what it throws. */
export type Broken = (message: string) => Violation;
export type Rule = (setting: Setting, broken: Broken) => Watch;
/** The rules of a subject, by their names: each says what holds. */
export type Rules = Readonly<Record<string, Rule>>;

/** Compares two values and throws with what differs. */
export const expecting =
  (broken: Broken) =>
  (what: string, is: unknown, should: unknown): void => {
    if (is !== should) throw broken(`${what}: ${String(is)}, not ${String(should)}`);
  };

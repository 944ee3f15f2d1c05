/**
 * What the conditions of a kind mean for a user who asks why something is not well. A kind's
 * `causes.ts` says it; `npm run registry` collects them. An unknown kind takes part by its plain
 * conditions.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Complaint, Graph } from './graph.ts';

/**
 * hold: nothing goes on until a user lifts it. fault: something failed. wait: something is awaited,
 * and nothing failed.
 */
export const levels = ['hold', 'fault', 'wait'] as const;
export type Level = (typeof levels)[number];

type Commands = (object: KubeObject, graph: Graph, message: string) => string[];
/** With what they depend on. */
export type Messages = string | ((object: KubeObject, graph: Graph, message: string) => string | undefined);
/** The complaints of other objects, or of other conditions, that may explain this one. */
export type Explanation = (object: KubeObject, graph: Graph) => Complaint[];

export interface ReasonRule {
  /** Absent: as the condition's severity says, else a fault if it is False, else a wait. */
  level?: Level;
  /** Seconds after which a wait counts as a fault. */
  overdueAfter?: number;
  by?: Explanation;
  /** What explains it does not end it: a user must do something about it, too. */
  stays?: boolean;
  /** It says more than waits that explain it. */
  isTelling?: boolean;
  /** What Capstan does next, and when. */
  next?: Messages;
  /** What the user can do. The commands that a message names come first. */
  run?: Commands;
  /** What the user can do, in words. */
  advice?: Messages;
}

export interface ConditionRule extends ReasonRule {
  /** The status that reports the complaint. `Never`: the condition only informs. Absent: False, or Unknown. */
  bad?: 'True' | 'False' | 'Never';
  /** The condition only summarizes others of its object: it counts without one of them. */
  isSummary?: boolean;
  /** A failure of it keeps an object that is being deleted; absent: conditions of type or reason Deleting do. */
  countsInDeletion?: boolean;
  /** Of an object that clusters share: what its message says of the graph's cluster; undefined if nothing. */
  about?: (message: string, graph: Graph) => string | undefined;
  reasons?: Readonly<Record<string, ReasonRule>>;
  /** Reasons with which it reports nothing bad. */
  fine?: readonly string[];
}

export interface CauseRules {
  group: string;
  kind: string;
  /** By type, the most telling first. */
  conditions: Readonly<Record<string, ConditionRule>>;
  /** What no condition says: a phase, a limit, a host that is late. */
  others?: Explanation;
  /** The object is only the record of what is over: what it refers to may be gone. */
  isRecord?: (object: KubeObject) => boolean;
}

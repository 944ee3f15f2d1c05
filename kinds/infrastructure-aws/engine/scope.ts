/** What the engine is given by the kinds that use it, and what it plans for them. */
import type { LegacyDraft } from '../../../machinery/api/conditions.ts';
import type { Step } from './step.ts';
import type { Owner } from './tags.ts';

/** `Spec`: the fields that say what is wanted. `CloudState`: what AWS has, among it an Inventory. */
export interface Scope<Spec = unknown, CloudState extends object = object> {
  owner: Owner;
  region: string;
  spec: Spec;
  cloudState: CloudState;
  /**
   * Whether a resource requested under this key may exist without being visible in describe calls.
   */
  isRecent: (key: string) => boolean;
}

export type Whose = Pick<Owner, 'installation' | 'clusterUid'>;

/** What the functions of a set of resource types are given. */
export interface Use {
  scope: Scope;
  /** The resources that AWS has, by the name of their type. */
  inventory: object;
  /** What a description is asked for. */
  question: unknown;
  /** What a check of an operation in progress needs. */
  awaited: unknown;
  /** What decides in which order a deletion describes the types. */
  deletion: unknown;
}

/** One part of the infrastructure: its steps, what is under way, and its conditions. */
export interface Part {
  steps: Step[];
  underway: string[];
  /** Keys of announcements that had no effect. */
  forget?: string[];
  /** Nothing is missing and nothing is under way. */
  settled: boolean;
  conditions: LegacyDraft[];
}

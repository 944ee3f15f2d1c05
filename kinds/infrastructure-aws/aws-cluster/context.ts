/** What the parts of the plan have in common. */
import type { LegacyDraft } from '../../../machinery/api/conditions.ts';
import type { ApiPorts } from './api-ports.ts';
import type { Network } from './network/fill.ts';
import type { Observed } from './observe-cloud.ts';
import type { AWSClusterSpec } from './schema.ts';
import type { Step } from './step.ts';
import type { Owner } from './tags.ts';

export interface Scope {
  owner: Owner;
  region: string;
  spec: AWSClusterSpec;
  /** The network with everything decided. */
  network: Network;
  observed: Observed;
  apiPorts: ApiPorts;
  /** Whether what was asked for under this key may be there without being visible. */
  isRecent: (key: string) => boolean;
}

/** One part of the infrastructure: what is missing, what is under way, and what to say of it. */
export interface Part {
  steps: Step[];
  underway: string[];
  /** Keys of what came to nothing. */
  forget?: string[];
  /** Nothing is missing or under way. */
  settled: boolean;
  conditions: LegacyDraft[];
}

export const settled = (...conditions: LegacyDraft[]): Part => ({ steps: [], underway: [], settled: true, conditions });
/** Cannot begin: something it stands on is not there yet. */
export const notYet: Part = { steps: [], underway: [], settled: false, conditions: [] };

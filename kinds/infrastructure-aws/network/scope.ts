/** Types that the parts of the plan share. */
import type { LegacyDraft } from '../../../machinery/api/conditions.ts';
import type { ApiPorts } from '../aws-cluster/api-ports.ts';
import type { AWSClusterSpec } from '../aws-cluster/schema.ts';
import type { Step } from '../engine/step.ts';
import type { Owner } from '../engine/tags.ts';
import type { Network } from './fill.ts';
import type { CloudState } from './observe-cloud.ts';

export interface Scope {
  owner: Owner;
  region: string;
  spec: AWSClusterSpec;
  /** The network with every default filled in. */
  network: Network;
  cloudState: CloudState;
  apiPorts: ApiPorts;
  /**
   * Whether a resource requested under this key may exist without being visible in describe calls.
   */
  isRecent: (key: string) => boolean;
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

/** The port of scaling decisions: their inputs in the installation's storage, to replay them. */

import type { JsonValue } from '../../machinery/api/object.ts';
import { calls } from './port.ts';

/** `location`: the key of the file, which `Link` of the snapshots' port offers, too. */
export interface DecisionEffects {
  /** Stores the record compressed, in the place of an older one. */
  Keep: { location: string; record: JsonValue };
  /** Absent ones count as deleted. */
  Delete: { locations: string[] };
}

export const callDecisions = calls<DecisionEffects>('decisions');

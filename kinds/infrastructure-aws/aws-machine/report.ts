import type { LegacyDraft } from '../../../machinery/api/conditions.ts';
import { found, type Plan } from '../../../machinery/api/reconcile.ts';
import { conditionsWith } from './conditions.ts';
import { isControlPlane, type Observed } from './observe.ts';
import type { AWSMachineStatus } from './schema.ts';

/** A plan that changes conditions only. */
export const reportConditions = (
  { awsMachine, machine }: Observed,
  ...changes: LegacyDraft[]
): Plan<AWSMachineStatus> => ({
  status: {
    ...awsMachine.status,
    conditions: conditionsWith(awsMachine, isControlPlane(found(machine), awsMachine), ...changes),
  },
});

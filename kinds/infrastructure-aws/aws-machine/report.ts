import type { LegacyDraft } from '../../../machinery/api/conditions.ts';
import type { JsonObject } from '../../../machinery/api/object.ts';
import { found, type Plan } from '../../../machinery/api/reconcile.ts';
import { conditionsWith } from './conditions.ts';
import { isControlPlane, type Snapshot } from './observe.ts';

/** A plan that changes conditions only. */
export const reportConditions = ({ awsMachine, machine }: Snapshot, ...changes: LegacyDraft[]): Plan => ({
  status: {
    ...awsMachine.status,
    conditions: conditionsWith(
      awsMachine,
      isControlPlane(found(machine), awsMachine),
      ...changes,
    ) as unknown as JsonObject[],
  },
});

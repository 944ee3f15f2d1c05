/** What an AWSMachine reports that must not follow its spec, and when nothing is left of it. */
import { conditionOf, legacyFalse } from '../../../machinery/api/conditions.ts';
import type { Context, Plan, Withheld } from '../../../machinery/api/reconcile.ts';
import { pendingAnnotation } from '../../core/contract/infrastructure.ts';
import { launchAnnotation } from '../../core/contract/launch.ts';
import { appliedTagsAnnotation } from '../engine/additional-tags.ts';
import { pollDelay } from '../engine/step.ts';
import { conditionsWith, instanceReady } from './conditions.ts';
import { tornDownReason } from './has-resources.ts';
import { mayBeHidden } from './launch.ts';
import type { Observed } from './observe.ts';
import { reportConditions } from './report.ts';
import type { AWSMachineStatus } from './schema.ts';

/** Launches nothing. The last launch's instance may still become visible. */
export const idle = (observed: Observed, withheld: Withheld, { now }: Context): Plan<AWSMachineStatus> => {
  const { awsMachine, launch } = observed;
  const wait = launch && mayBeHidden(launch, now) ? { requeueAfter: pollDelay(launch.tried, now) } : {};
  // A condition that says why there is no instance stays.
  const condition = conditionOf(awsMachine.status?.conditions, instanceReady);
  if (condition?.severity === 'Error') return wait;
  return {
    ...reportConditions(observed, legacyFalse(instanceReady, withheld.reason, 'Info', withheld.message)),
    ...wait,
  };
};

const notes = [launchAnnotation, pendingAnnotation, appliedTagsAnnotation];

/** Nothing is left in the account. */
export const tornDown = ({ awsMachine, launch, withheld }: Observed): Plan<AWSMachineStatus> => {
  const { annotations = {} } = awsMachine.metadata;
  const message = withheld?.message ?? '';
  const fresh = { ...awsMachine, status: { ready: false } };
  const conditions = conditionsWith(fresh, false, legacyFalse(instanceReady, tornDownReason, 'Info', message));
  const status = { ready: false, conditions };
  return {
    // An object with an instance id from its user has no launch, and keeps that id.
    ...(launch && { intent: { spec: { providerID: null, instanceID: null } } }),
    ...(notes.some((note) => annotations[note] !== undefined) && {
      events: [{ type: 'Normal' as const, reason: tornDownReason, message }],
    }),
    status,
    released: { notes, status },
  };
};

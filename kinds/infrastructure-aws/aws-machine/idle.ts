/**
 * Plans for an AWSMachine whose target is not its spec: what it reports, and how it is reset when
 * nothing is left of it.
 */
import { conditionOf, legacyFalse } from '../../../machinery/api/conditions.ts';
import { type Context, found, type Plan } from '../../../machinery/api/reconcile.ts';
import { pendingAnnotation } from '../../core/contract/infrastructure.ts';
import { launchAnnotation } from '../../core/contract/launch.ts';
import { targetMessage } from '../../core/contract/target.ts';
import { appliedTagsAnnotation } from '../aws-cluster/additional-tags.ts';
import { pollDelay } from '../aws-cluster/step.ts';
import { conditionsWith, instanceReady } from './conditions.ts';
import { tornDownReason } from './has-resources.ts';
import { mayBeHidden } from './launch.ts';
import type { Snapshot } from './observe.ts';
import { reportConditions } from './report.ts';
import type { AWSMachineStatus } from './schema.ts';

const why = ({ cluster, target }: Snapshot): string => {
  const admitting = found(cluster);
  return admitting && target ? targetMessage(admitting, target) : 'The Cluster it belongs to is not there';
};

/** Launches nothing. The last launch's instance may still become visible. */
export const idle = (snapshot: Snapshot, { now }: Context): Plan<AWSMachineStatus> => {
  const { awsMachine, launch, target } = snapshot;
  const wait = launch && mayBeHidden(launch, now) ? { requeueAfter: pollDelay(launch.tried, now) } : {};
  // A condition that says why there is no instance stays.
  const said = conditionOf(awsMachine.status?.conditions, instanceReady);
  if (said?.severity === 'Error') return wait;
  const reason = target === 'Wait' ? 'WaitingForOperation' : 'OnHold';
  return { ...reportConditions(snapshot, legacyFalse(instanceReady, reason, 'Info', why(snapshot))), ...wait };
};

/**
 * Nothing is left in the account: reset the object to what its user wrote, so that another attempt
 * starts afresh.
 */
export const tornDown = (snapshot: Snapshot): Plan<AWSMachineStatus> => {
  const { awsMachine, launch } = snapshot;
  const { annotations = {} } = awsMachine.metadata;
  const notes = [launchAnnotation, pendingAnnotation, appliedTagsAnnotation].filter(
    (name) => annotations[name] !== undefined,
  );
  const message = why(snapshot);
  const fresh = { ...awsMachine, status: { ready: false } };
  const conditions = conditionsWith(fresh, false, legacyFalse(instanceReady, tornDownReason, 'Info', message));
  return {
    ...(notes.length > 0 && {
      intent: {
        metadata: { annotations: Object.fromEntries(notes.map((name) => [name, null])) },
        // An object with an instance id from its user has no launch, and keeps that id.
        ...(launch && { spec: { providerID: null, instanceID: null } }),
      },
      events: [{ type: 'Normal' as const, reason: tornDownReason, message }],
    }),
    status: { ready: false, conditions },
  };
};

/** An AWSCluster whose target is not its spec: what it says, and what it becomes when nothing is left of it. */
import { conditionOf, type LegacyDraft, legacyFalse } from '../../../machinery/api/conditions.ts';
import { found, type Plan } from '../../../machinery/api/reconcile.ts';
import { filledAnnotation, givenPatch } from '../../common/filled.ts';
import { pendingAnnotation } from '../../core/contract/infrastructure.ts';
import { targetMessage } from '../../core/contract/target.ts';
import { appliedTagsAnnotation } from './additional-tags.ts';
import { vpcReady } from './conditions.ts';
import type { Part } from './context.ts';
import type { Snapshot } from './observe.ts';
import { isBegun } from './owner.ts';
import { reportConditions } from './report.ts';
import type { AWSCluster } from './schema.ts';
import { awaitingAnnotation } from './step.ts';
import { clusterUidTag } from './tags.ts';

const why = ({ cluster, target }: Snapshot): string => {
  const admitting = found(cluster);
  return admitting && target ? targetMessage(admitting, target) : 'The Cluster it belongs to is not there';
};

/** As it was before anything was made. */
const unmade = (awsCluster: AWSCluster): AWSCluster => ({ ...awsCluster, status: undefined });

/** Why nothing is done; what was said of things that were made still holds. */
export const refuse = ({ awsCluster }: Snapshot, reasons: LegacyDraft[], requeueAfter?: number): Plan =>
  reportConditions(
    isBegun(awsCluster) || awsCluster.status?.ready ? awsCluster : unmade(awsCluster),
    reasons,
    requeueAfter,
  );

/** Nothing is done. What was said of things that were made still holds. */
export const idle = (snapshot: Snapshot, reason: 'WaitingForOperation' | 'OnHold'): Plan => {
  const { awsCluster } = snapshot;
  if (awsCluster.status?.ready) return {};
  return refuse(snapshot, [legacyFalse(vpcReady, reason, 'Info', why(snapshot))]);
};

/** A part that is looked at, and not gone on with. Why it could not be made is still worth knowing. */
export const held = (snapshot: Snapshot, part: Part): Part => {
  if (part.steps.length === 0) return part;
  const conditions = part.conditions.filter(({ type }) => {
    const said = conditionOf(snapshot.awsCluster.status?.conditions, type);
    return said?.status !== 'False' || said.severity === 'Info';
  });
  return {
    ...part,
    steps: [],
    conditions: conditions.map(({ type }) => legacyFalse(type, 'OnHold', 'Info', why(snapshot))),
  };
};

/** Nothing is left in the account: the object becomes what its user made, so that another attempt starts as new. */
export const tornDown = (snapshot: Snapshot): Plan => {
  const { awsCluster } = snapshot;
  const { annotations = {} } = awsCluster.metadata;
  const notes = [filledAnnotation, pendingAnnotation, awaitingAnnotation, appliedTagsAnnotation, clusterUidTag].filter(
    (name) => annotations[name] !== undefined,
  );
  const message = why(snapshot);
  return {
    ...(notes.length > 0 && {
      intent: {
        ...givenPatch(awsCluster),
        metadata: { annotations: Object.fromEntries(notes.map((name) => [name, null])) },
      },
      events: [{ type: 'Normal' as const, reason: 'TornDown', message }],
    }),
    ...reportConditions(unmade(awsCluster), [legacyFalse(vpcReady, 'TornDown', 'Info', message)]),
  };
};

/**
 * Plans for an AWSCluster whose target is not its spec: what it reports, and how it is reset when
 * nothing is left of it.
 */
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
import type { AWSCluster, AWSClusterStatus } from './schema.ts';
import { awaitingAnnotation } from './step.ts';
import { clusterUidTag } from './tags.ts';

const why = ({ cluster, target }: Snapshot): string => {
  const admitting = found(cluster);
  return admitting && target ? targetMessage(admitting, target) : 'The Cluster it belongs to is not there';
};

/** The object as before the controller created anything. */
const unmade = (awsCluster: AWSCluster): AWSCluster => ({ ...awsCluster, status: undefined });

/** Reports why the controller does nothing; conditions of existing resources stay. */
export const refuse = (
  { awsCluster }: Snapshot,
  reasons: LegacyDraft[],
  requeueAfter?: number,
): Plan<AWSClusterStatus> =>
  reportConditions(
    isBegun(awsCluster) || awsCluster.status?.ready ? awsCluster : unmade(awsCluster),
    reasons,
    requeueAfter,
  );

/** Does nothing. Conditions of existing resources stay. */
export const idle = (snapshot: Snapshot, reason: 'WaitingForOperation' | 'OnHold'): Plan<AWSClusterStatus> => {
  const { awsCluster } = snapshot;
  if (awsCluster.status?.ready) return {};
  return refuse(snapshot, [legacyFalse(vpcReady, reason, 'Info', why(snapshot))]);
};

/** A part that is observed but not continued. A condition that says why it failed stays. */
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

/**
 * Nothing is left in the account: reset the object to what its user wrote, so that another attempt
 * starts afresh.
 */
export const tornDown = (snapshot: Snapshot): Plan<AWSClusterStatus> => {
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

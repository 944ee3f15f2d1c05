/** An AWSCluster whose target is not its spec: what it says, and what it becomes when nothing is left of it. */
import { conditionOf, legacyFalse, summarizeLegacy, withLegacy } from '../../machinery/api/conditions.ts';
import type { JsonObject } from '../../machinery/api/object.ts';
import { found, type Plan } from '../../machinery/api/reconcile.ts';
import { filledAnnotation, givenPatch } from '../common/filled.ts';
import { targetMessage } from '../common/target.ts';
import { reportOf, vpcReady } from './conditions.ts';
import type { Part } from './context.ts';
import { isBegun, type Snapshot } from './observe.ts';
import { say } from './say.ts';
import type { AWSCluster } from './schema.ts';
import { awaitingAnnotation, pendingAnnotation } from './step.ts';
import { clusterUidTag } from './tags.ts';

const why = ({ cluster, target }: Snapshot): string => {
  const admitting = found(cluster);
  return admitting && target ? targetMessage(admitting, target) : 'The Cluster it belongs to is not there';
};

/** As it was before anything was made, but for the reason why nothing is. */
const freshStatus = (awsCluster: AWSCluster, reason: string, message: string): JsonObject => {
  const condition = legacyFalse(vpcReady, reason, 'Info', message);
  const summary = summarizeLegacy([condition]);
  const conditions = withLegacy([condition], ...(summary ? [summary] : []), ...reportOf(awsCluster));
  return { ready: false, conditions: conditions as unknown as JsonObject[] };
};

/** Nothing is done. What was said of things that were made still holds. */
export const rest = (snapshot: Snapshot, reason: 'WaitingForOperation' | 'OnHold'): Plan => {
  const { awsCluster } = snapshot;
  if (awsCluster.status?.ready) return {};
  return isBegun(awsCluster)
    ? say(awsCluster, [legacyFalse(vpcReady, reason, 'Info', why(snapshot))])
    : { status: freshStatus(awsCluster, reason, why(snapshot)) };
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
  const notes = [filledAnnotation, pendingAnnotation, awaitingAnnotation, clusterUidTag].filter(
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
    status: freshStatus(awsCluster, 'TornDown', message),
  };
};

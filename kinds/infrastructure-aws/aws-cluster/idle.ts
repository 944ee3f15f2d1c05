/** What an AWSCluster reports that must not follow its spec, and when nothing is left of it. */

import { conditionOf, type LegacyDraft, legacyFalse } from '../../../machinery/api/conditions.ts';
import type { Plan, Withheld } from '../../../machinery/api/reconcile.ts';
import { filledAnnotation } from '../../common/filled.ts';
import { pendingAnnotation } from '../../core/contract/infrastructure.ts';
import { appliedOwnTagsAnnotation, appliedTagsAnnotation } from '../engine/additional-tags.ts';
import type { Part } from '../engine/scope.ts';
import { awaitingAnnotation } from '../engine/step.ts';
import { clusterUidTag } from '../engine/tags.ts';
import { accountAnnotation } from '../identity/account.ts';
import { vpcReady } from '../network/conditions.ts';

import type { Observed } from './observe.ts';
import { isBegun } from './owner.ts';
import { reportConditions } from './report.ts';
import type { AWSCluster, AWSClusterStatus } from './schema.ts';

const why = ({ withheld }: Pick<Observed, 'withheld'>): string => withheld?.message ?? '';

/** The object as before the controller created anything. */
const unmade = (awsCluster: AWSCluster): AWSCluster => ({ ...awsCluster, status: undefined });

/** Reports why the controller does nothing; conditions of existing resources stay. */
export const refuse = (
  { awsCluster }: Observed,
  reasons: LegacyDraft[],
  requeueAfter?: number,
): Plan<AWSClusterStatus> =>
  reportConditions(
    isBegun(awsCluster) || awsCluster.status?.ready ? awsCluster : unmade(awsCluster),
    reasons,
    requeueAfter,
  );

/** Does nothing. Conditions of existing resources stay. */
export const idle = (observed: Observed, { reason, message }: Withheld): Plan<AWSClusterStatus> => {
  const { awsCluster } = observed;
  if (awsCluster.status?.ready) return {};
  return refuse(observed, [legacyFalse(vpcReady, reason, 'Info', message)]);
};

/** A part that is observed but not continued. A condition that says why it failed stays. */
export const held = (observed: Pick<Observed, 'awsCluster' | 'withheld'>, part: Part): Part => {
  if (part.steps.length === 0) return part;
  const conditions = part.conditions.filter(({ type }) => {
    const condition = conditionOf(observed.awsCluster.status?.conditions, type);
    return condition?.status !== 'False' || condition.severity === 'Info';
  });
  return {
    ...part,
    steps: [],
    conditions: conditions.map(({ type }) => legacyFalse(type, 'OnHold', 'Info', why(observed))),
  };
};

const notes = [
  accountAnnotation,
  pendingAnnotation,
  awaitingAnnotation,
  appliedTagsAnnotation,
  appliedOwnTagsAnnotation,
  clusterUidTag,
];

/** Nothing is left in the account. */
export const tornDown = (observed: Observed): Plan<AWSClusterStatus> => {
  const { awsCluster } = observed;
  const { annotations = {} } = awsCluster.metadata;
  const message = why(observed);
  const report = reportConditions(unmade(awsCluster), [legacyFalse(vpcReady, 'TornDown', 'Info', message)]);
  return {
    ...report,
    ...([filledAnnotation, ...notes].some((note) => annotations[note] !== undefined) && {
      events: [{ type: 'Normal' as const, reason: 'TornDown', message }],
    }),
    released: { notes, ...(report.status && { status: report.status }) },
  };
};

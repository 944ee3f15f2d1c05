/** Decides when an operation of a Cluster begins. Pure. */
import type { Action, Context, Plan } from '../../../machinery/api/reconcile.ts';
import { deletionOf } from '../../common/owners.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { wasAvailable } from '../../core/contract/target.ts';
import { beginnings } from '../beginnings.ts';
import { isOver } from '../cluster-operation/ended.ts';
import type { ClusterOperation } from '../cluster-operation/schema.ts';
import type { Beginning } from '../shared/beginning.ts';
import { build, isNamed, ownOperations } from './current.ts';
import type { Observed } from './observe.ts';

/** Milliseconds for which ended operations are kept, and how many at most. */
const keptFor = 90 * 24 * 3_600_000;
const mostKept = 200;

const endedAt = ({ metadata, status }: ClusterOperation): number =>
  Date.parse(status?.ended ?? metadata.creationTimestamp ?? '');

const prune = (observed: Observed, now: number): Action[] => {
  const age = ({ metadata, spec }: ClusterOperation) => `${metadata.creationTimestamp ?? ''} ${spec?.attempt}`;
  return ownOperations(observed)
    .filter((operation) => isOver(operation) && !isNamed(observed.cluster, operation) && !isDeleting(operation))
    .toSorted((a, b) => (age(a) < age(b) ? 1 : -1))
    .filter((operation, place) => place >= mostKept || now - endedAt(operation) > keptFor)
    .map(deletionOf);
};

const stageOf = (cluster: Cluster): Beginning['of'] => {
  if (isDeleting(cluster)) return 'deleted';
  return wasAvailable(cluster) ? 'available' : 'new';
};

const inTurn = Object.values(beginnings).toSorted((a, b) => Number(b.comesFirst ?? 0) - Number(a.comesFirst ?? 0));

const begun = (observed: Observed, stage: Beginning['of'], now: number): Plan => {
  for (const { of, begin } of inTurn) {
    const plan = of === stage ? begin(observed, now) : undefined;
    if (plan) return plan;
  }
  return {};
};

export const reconcile = (observed: Observed, { config, now }: Context): Plan => {
  const { cluster } = observed;
  if (config.workflows !== true) return isDeleting(cluster) ? { finished: true } : {};
  const stage = stageOf(cluster);
  const plan = begun(observed, stage, now);
  if (stage === 'deleted') return plan;
  const actions = [...prune(observed, now), ...(plan.actions ?? [])];
  return { ...(stage === 'available' && build(cluster)), ...plan, ...(actions.length > 0 && { actions }) };
};

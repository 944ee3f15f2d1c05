/** Reports why unhealthy Machines are not remediated, on each Machine and on the check. Pure. */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import type { ConditionDraft } from '../../../machinery/api/reconcile.ts';
import { isDeleting } from '../contract/machines.ts';
import type { Machine } from '../machine/schema.ts';
import { nameList } from './names.ts';
import type { Judged } from './observe.ts';
import type { Restraints } from './restraint.ts';

const types = ['OwnerRemediated', 'ExternallyRemediated'] as const;

/** Unknown, so that no owner acts; an earlier request stays as it is. */
export const deferralOf = (
  { status, metadata }: Machine,
  type: (typeof types)[number],
  { reason, message }: { reason: string; message: string },
): ConditionDraft[] =>
  conditionOf(status?.conditions, type)?.status === 'False' || metadata.deletionTimestamp !== undefined
    ? []
    : [{ type, status: 'Unknown', reason, message }];

export const isDeferral = ({ type, status }: { type: string; status: string }): boolean =>
  types.some((one) => one === type) && status === 'Unknown';

/** A request is open, or deferred. */
export const isUnsettled = ({ verdict, machine: { metadata, status } }: Judged): boolean =>
  verdict.health === 'unhealthy' &&
  metadata.deletionTimestamp === undefined &&
  types.some((type) => (conditionOf(status?.conditions, type)?.status ?? 'True') !== 'True');

/** Reasons with which an owner does not remediate a Machine yet, or not at all. */
const ownersReasons: readonly (string | undefined)[] = ['RemediationDeferred', 'CannotBeRemediated', 'RemediationHeld'];

interface Deferral {
  name: string;
  reason: string;
  message: string;
}
const deferralsOf = (judged: readonly Judged[], restraints: Restraints): Deferral[] =>
  judged
    .filter(({ verdict, machine }) => verdict.health === 'unhealthy' && !isDeleting(machine))
    .flatMap(({ machine: { metadata, status } }) => {
      const own = restraints.get(metadata.name);
      if (own) return [{ name: metadata.name, ...own }];
      const owners = conditionOf(status?.conditions, 'OwnerRemediated');
      if (owners?.status !== 'False' || !ownersReasons.includes(owners.reason)) return [];
      return [{ name: metadata.name, reason: owners.reason ?? '', message: owners.message ?? '' }];
    });

/** On the check; undefined while every unhealthy Machine is being remediated. */
export const deferredCondition = (judged: readonly Judged[], restraints: Restraints): ConditionDraft | undefined => {
  const deferrals = deferralsOf(judged, restraints);
  const [first] = deferrals;
  if (!first) return undefined;
  const lines = [...Map.groupBy(deferrals, ({ message }) => message)].map(
    ([message, same]) => `* ${nameList(same.map(({ name }) => name).sort())}: ${message}`,
  );
  const isSame = deferrals.every(({ reason }) => reason === first.reason);
  return {
    type: 'RemediationDeferred',
    status: 'True',
    reason: isSame ? first.reason : 'SeveralReasons',
    message: lines.sort().join('\n'),
  };
};

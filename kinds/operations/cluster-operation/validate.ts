import type { Admission, FieldError } from '../../../machinery/api/kind.ts';
import { equal } from '../../../machinery/api/merge.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { forbiddenField, immutable } from '../../common/validate.ts';
import { factsOf, operationFacts } from '../facts.ts';
import type { OperationFacts } from '../shared/facts.ts';
import { isOver } from './ended.ts';
import type { ClusterOperation, OperationSpec } from './schema.ts';

type UserList = keyof NonNullable<OperationFacts['userLists']>;
/** The lists to which users may add, each with the reason why other types do not take it. */
const userLists = Object.values(operationFacts).flatMap(
  ({ userLists = {} }) => Object.entries(userLists) as [UserList, string][],
);

/** All that users must not set. */
const own = ({ cancel: _, cancelledBy: __, ...spec }: OperationSpec) =>
  Object.fromEntries(Object.entries(spec).filter(([field]) => !userLists.some(([list]) => list === field)));

/** What was added stays: the operation may have gone on. */
const withdrawnIn = (now: OperationSpec, then: OperationSpec): FieldError[] =>
  userLists.flatMap(([list]) =>
    (then[list] ?? []).some((one) => !now[list]?.includes(one))
      ? [forbiddenField(`spec.${list}`, 'cannot be taken back')]
      : [],
  );

const foreignIn = (spec: OperationSpec): FieldError[] =>
  userLists.flatMap(([list, refusal]) =>
    spec[list] && !factsOf(spec.type)?.userLists?.[list] ? [forbiddenField(`spec.${list}`, refusal)] : [],
  );

// A user's operation with the name of the next one would be taken for it, and no operation would
// ever begin.
const madeByHand =
  'operations are begun by Capstan; to try again, set the annotation capstan.dev/retry of the Cluster to a new value';

/**
 * Only controllers create operations, except those that a user asks for; admission completes them. Clients may only set `spec.cancel`, to true, and add to
 * `spec.continued`.
 */
export const validateOperation = (
  object: KubeObject,
  { operation, old: before, byController }: Admission,
): FieldError[] => {
  if (operation === 'create' && !byController && !factsOf((object as ClusterOperation).spec?.type)?.admission)
    return [forbiddenField('spec', madeByHand)];
  if (operation !== 'update' || !before) return [];
  const old = before as ClusterOperation;
  const [now, then] = [(object as ClusterOperation).spec, old.spec];
  if (!now || !then) return [];
  if (!equal(own(now), own(then))) return [immutable('spec')];
  if (then.cancel && !now.cancel) return [forbiddenField('spec.cancel', 'cannot be taken back')];
  const [fault] = [...withdrawnIn(now, then), ...foreignIn(now)];
  if (fault) return [fault];
  const isCancelled = now.cancel && !then.cancel && !isOver(old);
  const refusal = isCancelled ? factsOf(then.type)?.refusalToCancel?.(old) : undefined;
  return refusal ? [forbiddenField('spec.cancel', refusal)] : [];
};

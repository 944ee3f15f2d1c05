import type { Admission, FieldError } from '../../../machinery/api/kind.ts';
import { equal } from '../../../machinery/api/merge.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { forbiddenField, immutable } from '../../common/validate.ts';
import { refusalToEnd } from '../restore/messages.ts';
import { isOver } from './ended.ts';
import type { ClusterOperation, OperationSpec } from './schema.ts';

/** All that users must not set. */
const own = ({ cancel: _, continued: __, ...rest }: OperationSpec) => rest;

const refusalToCancel = (operation: ClusterOperation): string | undefined => {
  const { spec, status } = operation;
  if (spec?.type === 'delete') return 'a deletion cannot be taken back, so it cannot be cancelled';
  if (status?.step === 'TearDown' && status.phase !== 'TornDown')
    return 'it is undoing what it made, and ends by itself; to keep what a failed create made, set capstan.dev/on-create-failure: Hold on the Cluster';
  if (status?.step === 'RollBack') return 'it is rolling back what it made, and ends by itself';
  return spec?.type === 'restore' ? refusalToEnd(operation) : undefined;
};

/** Steps that were passed stay so: the upgrade may have gone on. */
const isWithdrawn = (now: OperationSpec, then: OperationSpec): boolean =>
  (then.continued ?? []).some((step) => !now.continued?.includes(step));

// A user's operation with the name of the next one would be taken for it, and no operation would
// ever begin.
const madeByHand =
  'operations are begun by Capstan; to try again, set the annotation capstan.dev/retry of the Cluster to a new value';

/**
 * Only controllers create operations, except restores, which a user asks for; admission completes
 * them. Clients may only set `spec.cancel`, to true, and add to
 * `spec.continued`.
 */
export const validateOperation = (
  object: KubeObject,
  { operation, old: before, byController }: Admission,
): FieldError[] => {
  if (operation === 'create' && !byController && (object as ClusterOperation).spec?.type !== 'restore')
    return [forbiddenField('spec', madeByHand)];
  if (operation !== 'update' || !before) return [];
  const old = before as ClusterOperation;
  const [now, then] = [(object as ClusterOperation).spec, old.spec];
  if (!now || !then) return [];
  if (!equal(own(now), own(then))) return [immutable('spec')];
  if (then.cancel && !now.cancel) return [forbiddenField('spec.cancel', 'cannot be taken back')];
  if (isWithdrawn(now, then)) return [forbiddenField('spec.continued', 'cannot be taken back')];
  if (now.type !== 'upgrade' && now.continued) return [forbiddenField('spec.continued', 'only an upgrade pauses')];
  const refusal = now.cancel && !then.cancel && !isOver(old) ? refusalToCancel(old) : undefined;
  return refusal ? [forbiddenField('spec.cancel', refusal)] : [];
};

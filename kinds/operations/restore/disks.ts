/** The disks of control-plane hosts, kept aside where etcd cannot be saved in another way. Pure. */
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import { type Action, found } from '../../../machinery/api/reconcile.ts';
import { listOf } from '../../common/list-of.ts';
import type { KeptFor } from '../../core/contract/infrastructure.ts';
import { overriddenFor, overriddenMessage, overrideOf } from '../../core/contract/override.ts';
import { policyAnnotations } from '../../core/contract/target.ts';
import type { ClusterOperation } from '../cluster-operation/schema.ts';
import { type Judgement, pending, skipped } from '../shared/cluster-state.ts';
import { stepOf } from '../shared/progress.ts';
import type { OperationScope } from '../shared/scope.ts';

/** The finding that a user overrides to restore without them. */
export const unkept = 'DisksNotKept';

/** Seconds in which a restore that may go on without copies still waits for them. */
const copyTimeout = 600;

/** As long as deleted files and last snapshots. */
const days = 30;

export const keptFor = ({ metadata, status }: ClusterOperation): KeptFor => ({
  uid: metadata.uid ?? '',
  hosts: status?.hosts ?? [],
  since: metadata.creationTimestamp ?? '',
  until: timestamp(Date.parse(metadata.creationTimestamp ?? '') + days * 24 * 3_600_000),
});

const isOverridden = ({ cluster, operation }: OperationScope): boolean =>
  overriddenFor(cluster, operation.metadata.name).includes(unkept);

/** Copies that were made, and when they are deleted. */
interface Copies {
  disks: string[];
  until: string;
}

const incomplete = ' (not complete)';

/** All that exist, also those of a restore that ends before they are complete. */
export const copiesIn = (scope: OperationScope): Copies | undefined => {
  const { keptDisks } = scope.clusterState;
  const { kept = [], copying = [] } = (keptDisks && found(keptDisks)) ?? {};
  const disks = [...kept, ...copying.map((copy) => `${copy}${incomplete}`)];
  return disks.length > 0 ? { disks, until: keptFor(scope.operation).until } : undefined;
};

/** While the step waits, the annotation has it go on; afterwards a restore begins with it. */
const goingOn = ({ operation }: OperationScope): string =>
  `to go on without them ${copyTimeout / 60} minutes after the step began, set ${policyAnnotations.override}: ${overrideOf(operation.metadata.name, [unkept])} on the Cluster`;

export const copiesMessage = ({ disks, until }: Copies): string =>
  `copies of the disks of its hosts are kept until ${until}: ${disks.join(', ')}`;

const isOverdue = ({ operation, now }: OperationScope): boolean => {
  const began = stepOf(operation.status ?? {}, 'Preflight')?.started;
  return began !== undefined && now - Date.parse(began) >= copyTimeout * 1000;
};

/** What AWS answered, before other text. */
const withoutEnd = (text: string): string => text.replace(/\.+$/, '');

/** `unsaved`: why there is no snapshot of the present. */
export const judgeDisks = (scope: OperationScope, unsaved: string): Judgement => {
  const { keptDisks } = scope.clusterState;
  if (!keptDisks) return skipped(unsaved);
  const { refusal, delay, copying = [], missing = [] } = found(keptDisks) ?? {};
  const copies = copiesIn(scope);
  const made = copies ? `; ${copiesMessage(copies)}` : '';
  const overridden = (why: string) =>
    skipped(overriddenMessage([`${unkept}: ${unsaved}, and its disks are not all kept: ${why}${made}`]));
  switch (keptDisks.state) {
    case 'unread':
    case 'absent':
      return pending('waiting until it is known which disks are to be kept', 'DisksUnread');
    case 'unreadable': {
      const reason = withoutEnd(keptDisks.reason);
      if (isOverridden(scope) && isOverdue(scope)) return overridden(reason);
      return pending(
        `${unsaved}, and whether its disks are kept is not known: ${reason}; ${goingOn(scope)}`,
        'DisksUnreadable',
      );
    }
    case 'found': {
      const left = [...copying, ...missing];
      if (refusal === undefined && left.length === 0)
        return skipped(`${unsaved}${copies ? made : ', and no host with a disk of it is left'}`);
      // An override gives up what cannot be copied, once that is known.
      const mayComplete = copying.length > 0 || refusal === undefined;
      if (isOverridden(scope) && (isOverdue(scope) || !mayComplete))
        return overridden(withoutEnd(refusal ?? delay?.message ?? `not complete in time: ${listOf(left)}`));
      if (refusal !== undefined && !isOverridden(scope))
        return {
          verdict: 'refused',
          message: `${unkept}: ${unsaved}, and its disks cannot be kept: ${withoutEnd(refusal)}${made}`,
        };
      const because = delay ? `, which are begun again: ${withoutEnd(delay.message)}` : '';
      return pending(
        `${unsaved}; waiting for copies of its disks: ${listOf(left)}${because}; ${goingOn(scope)}`,
        delay?.code ?? 'DisksNotCopied',
      );
    }
    default:
      throw new Error(`unknown answer ${keptDisks satisfies never}`);
  }
};

export const keepDisks = (scope: OperationScope): Action[] => {
  const { keptDisks } = scope.clusterState;
  const { refusal, actions = [] } = (keptDisks && found(keptDisks)) ?? {};
  return refusal === undefined ? actions : [];
};

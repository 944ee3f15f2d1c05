/** The disks of control-plane hosts, kept aside where etcd cannot be saved in another way. Pure. */
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import { type Action, found } from '../../../machinery/api/reconcile.ts';
import { listOf } from '../../common/list-of.ts';
import type { KeptFor } from '../../core/contract/infrastructure.ts';
import { overriddenFor, overriddenMessage, overrideOf } from '../../core/contract/override.ts';
import { policyAnnotations } from '../../core/contract/target.ts';
import type { ClusterOperation } from '../cluster-operation/schema.ts';
import { type Judgement, pending, skipped } from '../shared/cluster-state.ts';
import type { OperationScope } from '../shared/scope.ts';

/** The finding that a user overrides to restore without them. */
export const unkept = 'DisksNotKept';

/** As long as deleted files and last snapshots. */
const days = 30;

export const keptFor = ({ metadata, status }: ClusterOperation): KeptFor => ({
  uid: metadata.uid ?? '',
  hosts: status?.hosts ?? [],
  until: timestamp(Date.parse(metadata.creationTimestamp ?? '') + days * 24 * 3_600_000),
});

const isOverridden = ({ cluster, operation }: OperationScope): boolean =>
  overriddenFor(cluster, operation.metadata.name).includes(unkept);

/** The copies that are complete, and when they are deleted. */
export const keptIn = (scope: OperationScope): { disks: string[]; until: string } | undefined => {
  const { keptDisks } = scope.clusterState;
  const disks = (keptDisks && found(keptDisks)?.kept) ?? [];
  return disks.length > 0 ? { disks, until: keptFor(scope.operation).until } : undefined;
};

/** While the step waits, the annotation has it go on; afterwards a restore begins with it. */
const goingOn = ({ operation }: OperationScope): string =>
  `to go on without them, set ${policyAnnotations.override}: ${overrideOf(operation.metadata.name, [unkept])} on the Cluster`;

export const keptMessage = ({ disks, until }: { disks: readonly string[]; until: string }): string =>
  `the disks of its hosts are kept until ${until}: ${disks.join(', ')}`;

/** `unsaved`: why there is no snapshot of the present. */
export const judgeDisks = (scope: OperationScope, unsaved: string): Judgement => {
  const { keptDisks } = scope.clusterState;
  if (!keptDisks) return skipped(unsaved);
  if (isOverridden(scope)) return skipped(overriddenMessage([`${unkept}: ${unsaved}, and disks are not kept`]));
  switch (keptDisks.state) {
    case 'unread':
    case 'absent':
      return pending('waiting until it is known which disks are to be kept');
    case 'unreadable':
      return pending(`${unsaved}, and whether its disks are kept is not known: ${keptDisks.reason}; ${goingOn(scope)}`);
    case 'found': {
      const { refusal, pending: left } = keptDisks.value;
      if (refusal !== undefined)
        return { verdict: 'refused', message: `${unkept}: ${unsaved}, and its disks cannot be kept: ${refusal}` };
      if (left.length > 0)
        return pending(`${unsaved}; waiting for copies of its disks: ${listOf(left)}; ${goingOn(scope)}`);
      const kept = keptIn(scope);
      return skipped(kept ? `${unsaved}; ${keptMessage(kept)}` : `${unsaved}, and no host with a disk of it is left`);
    }
    default:
      throw new Error(`unknown answer ${keptDisks satisfies never}`);
  }
};

export const keepDisks = (scope: OperationScope): Action[] => {
  const { keptDisks } = scope.clusterState;
  const { refusal, actions = [] } = (keptDisks && found(keptDisks)) ?? {};
  return refusal === undefined && !isOverridden(scope) ? actions : [];
};

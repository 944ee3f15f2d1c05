/** Keeps the Secrets of the selected clusters in the target. A target that does not answer holds nothing. Pure. */
import type { Action, ConditionDraft, Context, Failure, Plan } from '../../../machinery/api/reconcile.ts';
import { listOf } from '../../common/list-of.ts';
import { callWorkload } from '../../ports/index.ts';
import type { Left, Observed, Selected } from './observe.ts';
import type { GitOpsTarget, GitOpsTargetStatus, Registered } from './schema.ts';
import { isCurrent, isMarked, namespaceIn, otherKeeperOf, secretNameOf } from './secrets.ts';

export const fieldManager = 'capstan-gitops';
export const ready = 'Ready';
/** Seconds after which a target is asked again that did not answer, and a cluster without a kubeconfig. */
const retryInterval = 300;
/** Seconds until Secrets are compared again that another client may have changed. */
const checkInterval = 3600;
/** Seconds until a Secret is read again after it was made: another GitOpsTarget may have made it at the same time. */
const confirmInterval = 30;
/** Seconds after which a deletion asks a target again that did not answer. */
const deletionInterval = 60;
/** Milliseconds for which the deletion of a GitOpsTarget waits for a target that does not answer. */
const timeout = 15 * 60_000;

const removal = ({ spec }: GitOpsTarget, kubeconfig: string, { name, secret }: Left): Action => ({
  ...callWorkload('delete', {
    kubeconfig,
    apiVersion: 'v1',
    kind: 'Secret',
    namespace: namespaceIn(spec!),
    name: secret,
  }),
  group: `unregister ${name}`,
});

/** Only of what is there and its own. */
const removals = ({ target, left }: Observed, kubeconfig: string): Action[] =>
  left
    .filter(({ live }) => live.state === 'found' && otherKeeperOf(live.value, target) === undefined)
    .map((one) => removal(target, kubeconfig, one));

const remove = (observed: Observed, { now, lastFailure }: Context): Plan<GitOpsTargetStatus> => {
  const { target, access, left } = observed;
  if (access === 'unread' || left.some(({ live }) => live.state === 'unread')) return {};
  const since = Date.parse(target.metadata.deletionTimestamp ?? '') || now;
  const isUnreadable = left.some(({ live }) => live.state === 'unreadable');
  const isGivenUp = (isUnreadable || lastFailure !== undefined) && now - since >= timeout;
  if ('fault' in access || left.length === 0 || isGivenUp) return { finished: true };
  if (isUnreadable) return { requeueAfter: deletionInterval };
  return { actions: removals(observed, access.kubeconfig), finished: true };
};

const condition = (reason: string, message: string): ConditionDraft => ({
  type: ready,
  status: reason === 'Registered' ? 'True' : 'False',
  reason,
  message,
});

type Step =
  | { do: 'nothing' }
  | { do: 'apply'; actions: Action[]; isNew: boolean }
  | { do: 'complain'; reason: string; message: string };

const unreachable = (message: string): Step => ({ do: 'complain', reason: 'TargetUnreachable', message });

const stepOf = ({ cluster, wanted, live }: Selected, target: GitOpsTarget, kubeconfig: string): Step => {
  const { name } = cluster.metadata;
  if (wanted === 'waits')
    return { do: 'complain', reason: 'WaitingForClusters', message: `Cluster ${name} has no control plane yet` };
  if ('fault' in wanted)
    return { do: 'complain', reason: 'KubeconfigInvalid', message: `Cluster ${name}: ${wanted.fault}` };
  if (live.state === 'unreadable') return unreachable(live.reason);
  const other = live.state === 'found' ? otherKeeperOf(live.value, target) : undefined;
  if (other !== undefined) {
    const message = `Secret ${wanted.metadata.namespace}/${wanted.metadata.name} of ${other} has the name for Cluster ${name}`;
    return { do: 'complain', reason: 'NameTaken', message };
  }
  if (live.state === 'found' && isCurrent(live.value, wanted)) return { do: 'nothing' };
  const apply = callWorkload('applyServerSide', { kubeconfig, object: wanted as never, fieldManager });
  const isNew = live.state !== 'found' || !isMarked(live.value, target);
  return { do: 'apply', actions: [{ ...apply, group: `register ${name}` }], isNew };
};

/** The most telling first. */
const reasons = ['TargetUnreachable', 'KubeconfigInvalid', 'NameTaken', 'WaitingForClusters'];

const complaintIn = (steps: readonly Step[]): ConditionDraft | undefined => {
  for (const reason of reasons) {
    const found = steps.flatMap((step) => (step.do === 'complain' && step.reason === reason ? [step.message] : []));
    if (found.length > 0) return condition(reason, listOf([...new Set(found)], 3));
  }
  return undefined;
};

/** What cannot be made now stays recorded, but not what another has. */
const keepsRecord = (step: Step, isRecorded: boolean): boolean =>
  step.do !== 'complain' || (isRecorded && step.reason !== 'NameTaken');

const failed = ({ spec }: GitOpsTarget, { operation, code, message }: Failure): ConditionDraft =>
  operation === 'applyServerSide' && code === 'NotFound'
    ? condition('NamespaceNotFound', `Namespace ${namespaceIn(spec!)} does not exist in the target`)
    : condition('TargetUnreachable', message);

export const reconcile = (observed: Observed, context: Context): Plan<GitOpsTargetStatus> => {
  const { target, access, selected, left } = observed;
  if (target.metadata.deletionTimestamp) return remove(observed, context);
  if (access === 'unread' || !selected || [...selected, ...left].some(({ live }) => live.state === 'unread')) return {};
  const recorded = target.status?.clusters ?? [];
  const status = (is: ConditionDraft, clusters = recorded): GitOpsTargetStatus =>
    ({ clusters, conditions: [is] }) as GitOpsTargetStatus;
  if ('fault' in access) return { status: status(condition('TargetUnknown', access.fault)) };
  const steps = [
    ...selected.map((one) => stepOf(one, target, access.kubeconfig)),
    ...left.flatMap(({ live }) => (live.state === 'unreadable' ? [unreachable(live.reason)] : [])),
  ];
  const own = selected.map(({ cluster }) => ({ name: cluster.metadata.name, secret: secretNameOf(cluster) }));
  const isRecorded = ({ name }: Registered) => recorded.some((one) => one.name === name);
  const made = own.filter((one, i) => keepsRecord(steps[i]!, isRecorded(one)));
  const records = left.map(({ live: _, ...one }) => one);
  const complaint = complaintIn(steps);
  // What is about to be created is recorded first: after a crash it is still known, and removed.
  if (!made.every(isRecorded))
    return {
      status: status(condition('Registering', 'Clusters are being registered'), [...made, ...records]),
      again: true,
    };
  const failure = context.lastFailure?.at === context.now ? context.lastFailure : undefined;
  if (failure) return { status: status(failed(target, failure)), requeueAfter: retryInterval };
  const unread = records.filter((_, i) => left[i]!.live.state === 'unreadable');
  const isNew = steps.some((step) => step.do === 'apply' && step.isNew);
  const interval = complaint ? retryInterval : checkInterval;
  return {
    actions: [
      ...steps.flatMap((step) => (step.do === 'apply' ? step.actions : [])),
      ...removals(observed, access.kubeconfig),
    ],
    status: status(complaint ?? condition('Registered', ''), [...made, ...unread]),
    ...((complaint || made.length > 0) && { requeueAfter: isNew ? confirmInterval : interval }),
  };
};

/** Keeps the Secrets of the selected clusters in the target. A target that does not answer holds nothing. Pure. */
import type { Action, ConditionDraft, Context, Plan } from '../../../machinery/api/reconcile.ts';
import { listOf } from '../../common/list-of.ts';
import { callWorkload } from '../../ports/index.ts';
import type { Observed, Selected } from './observe.ts';
import type { GitOpsTarget, GitOpsTargetStatus } from './schema.ts';
import { isCurrent, isForeign, namespaceIn, secretNameOf } from './secrets.ts';

export const fieldManager = 'capstan-gitops';
export const ready = 'Ready';
/** Seconds after which a target is asked again that did not answer, and a cluster without a kubeconfig. */
const retryInterval = 300;
/** Seconds until Secrets are compared again that another client may have changed. */
const checkInterval = 3600;
/** Milliseconds for which the deletion of a GitOpsTarget waits for a target that does not answer. */
const timeout = 15 * 60_000;

type Registered = NonNullable<GitOpsTargetStatus['clusters']>[number];

const removal = ({ spec }: GitOpsTarget, kubeconfig: string, { name, secret }: Registered): Action => ({
  ...callWorkload('delete', {
    kubeconfig,
    apiVersion: 'v1',
    kind: 'Secret',
    namespace: namespaceIn(spec!),
    name: secret,
  }),
  group: `unregister ${name}`,
});

const remove = ({ target, access }: Observed, { now, lastFailure }: Context): Plan<GitOpsTargetStatus> => {
  if (access === 'unread') return {};
  const left = target.status?.clusters ?? [];
  const since = Date.parse(target.metadata.deletionTimestamp ?? '') || now;
  const isGivenUp = lastFailure !== undefined && now - since >= timeout;
  if ('fault' in access || left.length === 0 || isGivenUp) return { finished: true };
  return { actions: left.map((one) => removal(target, access.kubeconfig, one)), finished: true };
};

const condition = (reason: string, message: string): ConditionDraft => ({
  type: ready,
  status: reason === 'Registered' ? 'True' : 'False',
  reason,
  message,
});

type Step =
  | { do: 'nothing' }
  | { do: 'apply'; actions: Action[] }
  | { do: 'complain'; reason: string; message: string };

const stepOf = ({ cluster, wanted, live }: Selected, kubeconfig: string): Step => {
  const { name } = cluster.metadata;
  if (wanted === 'waits')
    return { do: 'complain', reason: 'WaitingForClusters', message: `Cluster ${name} has no control plane yet` };
  if ('fault' in wanted)
    return { do: 'complain', reason: 'KubeconfigInvalid', message: `Cluster ${name}: ${wanted.fault}` };
  if (live.state === 'unreadable') return { do: 'complain', reason: 'TargetUnreachable', message: live.reason };
  if (live.state === 'found' && isForeign(live.value)) {
    const message = `Secret ${wanted.metadata.namespace}/${wanted.metadata.name} of another client has the name for Cluster ${name}`;
    return { do: 'complain', reason: 'NameTaken', message };
  }
  if (live.state === 'found' && isCurrent(live.value, wanted)) return { do: 'nothing' };
  const apply = callWorkload('applyServerSide', { kubeconfig, object: wanted as never, fieldManager });
  return { do: 'apply', actions: [{ ...apply, group: `register ${name}` }] };
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

export const reconcile = (observed: Observed, context: Context): Plan<GitOpsTargetStatus> => {
  const { target, access, selected } = observed;
  if (target.metadata.deletionTimestamp) return remove(observed, context);
  if (access === 'unread' || !selected || selected.some(({ live }) => live.state === 'unread')) return {};
  const recorded = target.status?.clusters ?? [];
  const status = (is: ConditionDraft, clusters = recorded): GitOpsTargetStatus =>
    ({ clusters, conditions: [is] }) as GitOpsTargetStatus;
  if ('fault' in access) return { status: status(condition('TargetUnknown', access.fault)) };
  const steps = selected.map((one) => stepOf(one, access.kubeconfig));
  const own = selected.map(({ cluster }) => ({ name: cluster.metadata.name, secret: secretNameOf(cluster) }));
  const made = own.filter((_, i) => steps[i]!.do !== 'complain' || recorded.some((one) => one.name === own[i]!.name));
  const left = recorded.filter(({ name }) => !own.some((one) => one.name === name));
  const isNew = ({ name }: Registered) => !recorded.some((one) => one.name === name);
  const complaint = complaintIn(steps);
  // What is about to be created is recorded first: after a crash it is still known, and removed.
  if (made.some(isNew))
    return {
      status: status(condition('Registering', 'Clusters are being registered'), [...made, ...left]),
      again: true,
    };
  const failure = context.lastFailure?.at === context.now ? context.lastFailure.message : undefined;
  if (failure !== undefined)
    return { status: status(condition('TargetUnreachable', failure)), requeueAfter: retryInterval };
  const actions = [
    ...steps.flatMap((step) => (step.do === 'apply' ? step.actions : [])),
    ...left.map((one) => removal(target, access.kubeconfig, one)),
  ];
  return {
    actions,
    status: status(complaint ?? condition('Registered', ''), made),
    ...((complaint || made.length > 0) && { requeueAfter: complaint ? retryInterval : checkInterval }),
  };
};

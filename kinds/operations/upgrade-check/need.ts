/** What is to be checked of a cluster, and when. Pure; times in milliseconds. */
import { type KubernetesVersion, parseVersion } from '../../common/kubernetes-version.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { wasAvailable } from '../../core/contract/target.ts';
import { isOperationOf } from '../cluster-operation/owner.ts';
import type { ClusterOperation } from '../cluster-operation/schema.ts';
import { isPaused } from '../shared/scope.ts';
import { isUpgrade } from '../upgrade/is-upgrade.ts';
import { checkedSteps, type UpgradeCheck, type UpgradeCheckStatus } from './schema.ts';

export type CheckedStep = (typeof checkedSteps)[number];

export type Need =
  /** An upgrade waits at this step. */
  | { for: 'operation'; operation: ClusterOperation; step: CheckedStep; since: number }
  /** A user asks whether an upgrade to this version would succeed. */
  | { for: 'request'; target: KubernetesVersion; request: string }
  /** The next minor version. */
  | { for: 'day' };

/** On an UpgradeCheck: a version such as v1.36.2, and any text after it, so that it can be repeated. */
export const checkAnnotation = 'capstan.dev/check-upgrade';

/** Undefined if none is open; one that names no version is none. */
const requestOf = (check: UpgradeCheck | undefined): Need | undefined => {
  const request = check?.metadata.annotations?.[checkAnnotation];
  const target = request === undefined ? undefined : parseVersion(request.split(' ')[0]!);
  const isOpen = request !== undefined && request !== check?.status?.request;
  return target && isOpen ? { for: 'request', target, request } : undefined;
};

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** The cluster settles after an upgrade. */
const settling = 10 * minute;

const ended: readonly (string | undefined)[] = ['Succeeded', 'Held', 'TornDown', 'RolledBack', 'Cancelled'];

/** `operation`: the one that the Cluster names. */
export const needOf = (
  cluster: Cluster,
  operation: ClusterOperation | undefined,
  check?: UpgradeCheck,
): Need | undefined => {
  if (isDeleting(cluster) || isPaused(cluster) || !wasAvailable(cluster)) return undefined;
  if (!operation || !isOperationOf(operation, cluster) || ended.includes(operation.status?.phase))
    return requestOf(check) ?? { for: 'day' };
  if (!isUpgrade(operation)) return undefined;
  const { deciding, steps } = operation.status ?? {};
  if (deciding !== undefined) return { for: 'operation', operation, step: 'Decide', since: Date.parse(deciding) };
  const step = steps?.find(({ verdict }) => verdict === 'Running');
  const name = checkedSteps.find((one) => one === step?.name);
  return name && { for: 'operation', operation, step: name, since: Date.parse(step?.started ?? '') };
};

/** Whether the check answers the step of the operation. */
export const isAnswer = (
  status: UpgradeCheckStatus | undefined,
  { operation, step, since }: { operation: string; step: CheckedStep; since: number },
): boolean => status?.operation === operation && status.step === step && Date.parse(status.lastRefresh ?? '') >= since;

const availableSince = ({ status }: Cluster): number | undefined =>
  Date.parse(status?.conditions?.find(({ type }) => type === 'Available')?.lastTransitionTime ?? '') || undefined;

const isGood = ({ result }: UpgradeCheckStatus): boolean => result === 'Passing' || result === 'Warning';

/** Between two looks at a step: short at first, then a tenth of the time since it began. */
const pollOf = (since: number, now: number, least: number): number =>
  Math.min(minute, Math.max(least, (now - since) / 10));

/** When the next check is due; undefined if none is. A check without a status was created by a user. */
export const dueAt = (
  need: Need,
  cluster: Cluster,
  check: Pick<UpgradeCheck, 'status'> | undefined,
  now: number,
): number | undefined => {
  const status = check?.status;
  const last = Date.parse(status?.lastRefresh ?? '') || 0;
  if (need.for === 'request') return now;
  if (need.for === 'day') {
    const since = availableSince(cluster) ?? now;
    if (!check) return since + day;
    // Machines become Ready with their Cluster.
    if (!status) return Math.max(now, since + minute);
    if (status.operation !== undefined) return last + settling;
    return last + (isGood(status) ? day : hour);
  }
  const { operation, step, since } = need;
  if (!status || !isAnswer(status, { operation: operation.metadata.name, step, since })) return now;
  if (isGood(status)) return undefined;
  return last + pollOf(since, last, step === 'AddOns' ? 5000 : 20_000);
};

/** Whether AWS itself keeps a cluster from going on. */
import type { KubeObject } from '../../machinery/api/object.ts';
import type { Reader } from '../../machinery/api/reconcile.ts';
import { conditionsOf } from '../core/contract/cluster.ts';
import type { FormerCluster } from '../core/contract/infrastructure.ts';
import { asking } from './aws-cluster/ask.ts';
import { isPassing } from './aws-cluster/step.ts';

/** Milliseconds. A call that fails for longer has another cause, although AWS names none. */
const longestOutage = 12 * 3_600_000;

/** A call that AWS did not answer or throttled, as conditions report it: action, code, message. */
const reportedBy = (objects: readonly KubeObject[], now: number): string | undefined =>
  objects
    .flatMap(conditionsOf)
    .filter(({ lastTransitionTime }) => now - Date.parse(lastTransitionTime ?? '') < longestOutage)
    .flatMap(({ status, message }) => (status !== 'True' && message && isPassing(message) ? [message] : []))
    .toSorted()[0];

export const observeOutage = (
  { region }: FormerCluster,
  objects: readonly KubeObject[],
  read: Reader,
  now: number,
): string | undefined => {
  if (!region) return undefined;
  const cloud = asking(read, region);
  cloud.ask('DescribeAvailabilityZones', {});
  const reason = cloud.unreadable();
  return reason !== undefined && isPassing(reason) ? reason : reportedBy(objects, now);
};

/** Whether AWS as a whole keeps a cluster from going on, not one call of it. */
import type { KubeObject } from '../../machinery/api/object.ts';
import type { Reader } from '../../machinery/api/reconcile.ts';
import { conditionsOf } from '../core/contract/cluster.ts';
import type { FormerCluster } from '../core/contract/infrastructure.ts';
import { isThrottled } from '../ports/cloud-limits.ts';
import { asking } from './engine/ask.ts';
import { codeOf, isPassing } from './engine/step.ts';

/** Milliseconds. Calls that are throttled for longer have another cause, although AWS names none. */
const longestThrottling = 12 * 3_600_000;

/** A throttled call, as conditions report it: action, code, message. Throttling judges the account, never the call. */
const throttledCall = (objects: readonly KubeObject[], now: number): string | undefined =>
  objects
    .flatMap(conditionsOf)
    .filter(({ lastTransitionTime }) => now - Date.parse(lastTransitionTime ?? '') < longestThrottling)
    .flatMap(({ status, message }) => (status !== 'True' && message && isThrottled(codeOf(message)) ? [message] : []))
    .toSorted()[0];

/**
 * A describe call that needs no resource answers while AWS serves the account. If it answers,
 * another call that fails with an internal error is a failure of that call, and its deadline goes on.
 */
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
  return reason !== undefined && isPassing(reason) ? reason : throttledCall(objects, now);
};

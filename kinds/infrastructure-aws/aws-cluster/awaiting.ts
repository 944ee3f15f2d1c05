/**
 * When the controller has requested everything, only AWS operations in progress are left, or
 * nothing. For some minutes, and while the object does not change, a pass then reads only those
 * operations. A full describe finds their results and reports readiness.
 */

import { isTrue } from '../../../machinery/api/conditions.ts';
import { isObject } from '../../../machinery/api/object.ts';
import type { Reader } from '../../../machinery/api/reconcile.ts';
import { filledAnnotation } from '../../common/filled.ts';
import { pendingAnnotation } from '../../core/contract/infrastructure.ts';
import { appliedOwnTagsAnnotation, appliedTagsAnnotation } from '../engine/additional-tags.ts';
import { asking } from '../engine/ask.ts';
import { expectedOf, isExpected, waitFor } from '../engine/expected-durations.ts';
import type { Part } from '../engine/scope.ts';
import { awaitingAnnotation, type Pending, pendingOf } from '../engine/step.ts';
import { clusterUidTag, digest, type Owner } from '../engine/tags.ts';
import type { ApiPorts } from '../network/api-ports.ts';
import { types } from '../network/resources/index.ts';

import type { AWSCluster } from './schema.ts';

interface Awaiting {
  /** What the full describe was made for: see `subjectOf`. */
  subject: string;
  /** Keys of the operations in progress; empty when nothing is left to do. */
  keys: string[];
  /** Milliseconds since the epoch. After this time the controller describes everything again. */
  until: number;
}

/** Whether the operation follows another one in progress, and has no read of its own. */
const isFollowing = (key: string): boolean => expectedOf(key, types)?.isUnderway === undefined;

/** Keys of the operations in progress, when nothing else is left to do or to wait for. */
export const awaitedOf = (parts: readonly Part[]): string[] | undefined => {
  const left = parts.filter(({ settled }) => !settled);
  const keys = left.flatMap(({ underway }) => underway);
  const isAll = left.every(({ steps, underway }) => steps.length === 0 && underway.length > 0);
  const isReadable = keys.length === 0 || keys.some((key) => !isFollowing(key));
  return isAll && isReadable && keys.every((key) => expectedOf(key, types) !== undefined) ? keys : undefined;
};

const own = new Set([
  awaitingAnnotation,
  pendingAnnotation,
  filledAnnotation,
  appliedTagsAnnotation,
  appliedOwnTagsAnnotation,
  clusterUidTag,
]);
const byName = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);
const ordered = (_: string, value: unknown) =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(byName)) : value;

/**
 * A digest of everything that determines the desired state, and of the annotations that users
 * change to trigger a reconcile.
 */
export const subjectOf = ({ metadata, spec }: Pick<AWSCluster, 'metadata' | 'spec'>, owner: Owner, apiPort: number) => {
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([name]) => !own.has(name));
  const all = [metadata.uid, metadata.labels ?? {}, Object.fromEntries(annotations), spec ?? {}, owner, apiPort];
  return digest(16, JSON.stringify(all, ordered));
};

const awaitingOf = ({ metadata }: AWSCluster): Awaiting | undefined => {
  try {
    const noted = JSON.parse(metadata.annotations?.[awaitingAnnotation] ?? 'null') as Awaiting | null;
    return typeof noted?.until === 'number' && Array.isArray(noted.keys) ? noted : undefined;
  } catch {
    return undefined;
  }
};

const lasts = 5 * 60_000;

/**
 * The annotation that records the result of a full describe, written together with other changes;
 * undefined when the present one still holds. `certain`: seconds until the observations are
 * certain. `isWriting`: the pass writes the object in any case.
 */
export const awaitingNote = (
  awsCluster: AWSCluster,
  subject: string,
  keys: string[] | undefined,
  { now, certain, isWriting }: { now: number; certain: number | undefined; isWriting: boolean },
): string | null | undefined => {
  const noted = awsCluster.metadata.annotations?.[awaitingAnnotation];
  if (!keys) return isWriting && noted !== undefined ? null : undefined;
  if (keys.length === 0) {
    if (!isWriting) return undefined;
    const until = Math.min(now + lasts, certain === undefined ? Number.POSITIVE_INFINITY : now + certain * 1000);
    return JSON.stringify({ subject, keys, until });
  }
  const before = awaitingOf(awsCluster);
  const isSame = before?.subject === subject && before.keys.join() === keys.join() && before.until > now;
  return isSame ? undefined : JSON.stringify({ subject, keys, until: now + lasts });
};

/** Seconds until the next read of the operations in progress. */
export const nextCheck = (keys: readonly string[], pending: Pending, now: number, speed: number): number | undefined =>
  keys.length === 0
    ? undefined
    : Math.min(...keys.map((key) => waitFor(expectedOf(key, types), pending[key]?.since ?? now, now, speed)));

interface Question {
  owner: Owner;
  region: string;
  apiPorts: ApiPorts;
  now: number;
  speed: number;
}

/** The operations that are still in progress; undefined when everything must be described. */
export const observeAwaited = (
  awsCluster: AWSCluster,
  { owner, region, apiPorts, now, speed }: Question,
  read: Reader,
): { state: 'awaited'; keys: string[] } | { state: 'unread' } | { state: 'unreadable'; reason: string } | undefined => {
  const noted = awaitingOf(awsCluster);
  if (!noted || noted.until <= now || noted.subject !== subjectOf(awsCluster, owner, apiPorts.listener))
    return undefined;
  const { status } = awsCluster;
  const { keys } = noted;
  if (keys.length === 0)
    return status?.ready && isTrue(status.conditions, 'Ready') ? { state: 'awaited', keys } : undefined;
  const cloud = asking(read, region);
  const pending = pendingOf(awsCluster.metadata.annotations);
  const loadBalancerArn = status?.networkStatus?.apiServerElb?.arn ?? '';
  const about = { owner, spec: awsCluster.spec ?? {}, apiPorts, loadBalancerArn };
  const isUnderway = (key: string): boolean =>
    !isExpected(expectedOf(key, types), pending[key]?.since ?? 0, now, speed) ||
    (expectedOf(key, types)?.isUnderway?.(cloud, key, about) ?? isFollowing(key));
  const left = keys.map(isUnderway);
  if (cloud.unread()) return { state: 'unread' };
  const reason = cloud.unreadable();
  if (reason) return { state: 'unreadable', reason };
  return left.every((isLeft) => isLeft) ? { state: 'awaited', keys } : undefined;
};

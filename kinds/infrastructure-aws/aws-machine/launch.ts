/**
 * Launching exactly once. An attempt is written down before the call, whole, and repeated exactly, so that its token names
 * one instance whatever happens in between; another request is another attempt, made only when the last one is known to
 * have come to nothing.
 */
import { createHash } from 'node:crypto';
import { equal } from '../../../machinery/api/merge.ts';
import type { Failure } from '../../../machinery/api/reconcile.ts';
import { type LaunchRecord, launchOf as launchIn } from '../../core/contract/launch.ts';
import type { Instance } from '../../ports/cloud.ts';
import { isThrottled } from '../../ports/cloud-limits.ts';
import { isDefinite } from '../aws-cluster/step.ts';
import type { LaunchRequest } from './request.ts';

export interface Launch extends LaunchRecord {
  /** Where and for whom, so that the instance can be found and removed when nothing else is left to say so. */
  region: string;
  clusterUid: string;
  clusterName: string;
  attempt: number;
  /** What the tokens of all attempts are made from, so that each is known again. */
  series: string;
  token: string;
  zone: string;
  subnet: string;
  type: string;
  image: string;
  /** SHA-256 of the bootstrap data. */
  userDataHash: string;
  /** Milliseconds since the epoch: when the attempt was written down, and when it was last called. */
  since: number;
  tried: number;
  /** Subnets that earlier attempts found full. */
  exhausted: string[];
  request: LaunchRequest;
  /** Secrets of the attempt before, which a crash may have left. */
  former?: { prefix: string; count: number };
}

export const launchOf = (metadata: Parameters<typeof launchIn>[0]): Launch | undefined => launchIn<Launch>(metadata);

export const tokenOf = (series: string, attempt: number): string =>
  createHash('sha256').update(`${series} ${attempt}`).digest('hex').slice(0, 32);

/** Whether one of the attempts so far carried this token. */
export const hasAttempted = ({ series, attempt }: Launch, token: string | undefined): boolean => {
  for (let n = attempt; n > 0; n--) if (tokenOf(series, n) === token) return true;
  return false;
};

export const hashOf = (data: Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** A launch that was called this recently may have an instance that no describe call shows yet. */
const visibleWithin = 60_000;
const repeatAfter = 5_000;
export const mayBeHidden = (launch: Launch, now: number): boolean => now - launch.tried < visibleWithin;

/**
 * The call of the last launch did not fail, and its instance should be in sight by now. A person may have removed the tags
 * that it is found by: only its client token shows that it is there.
 */
export const isOverdue = (
  launch: Launch,
  instances: readonly Instance[],
  failure: Failure | undefined,
  now: number,
): boolean =>
  !launch.cameToNothing &&
  now - launch.tried >= repeatAfter &&
  !(failure?.operation === 'RunInstances' && failure.at >= launch.tried) &&
  !instances.some(({ ClientToken }) => ClientToken === launch.token);

/** The call of the last launch may have been made, and what it made is not in sight, alive or ended. */
export const mayHideInstance = (launch: Launch, instances: readonly Instance[], now: number): boolean =>
  mayBeHidden(launch, now) && !instances.some(({ ClientToken }) => ClientToken === launch.token);

export type Decision =
  | { do: 'first' }
  /** The same again: harmless, for the token names what it made. */
  | { do: 'repeat' }
  | { do: 'next'; exhausted: string[] }
  | { do: 'wait' };

// EC2 names nothing it made in these, and says that it made nothing.
const spent = /^Idempotent(ParameterMismatch|InstanceTerminated|Parameter.*)$/;
const noCapacity =
  /InsufficientInstanceCapacity|InsufficientCapacity|^Unsupported$|InsufficientFreeAddressesInSubnet|InsufficientHostCapacity/;

// These say nothing about whether an earlier call with the same token had its effect.
const saysNothing = (code: string): boolean =>
  isThrottled(code) ||
  /AccessDenied|Unauthorized|AuthFailure|Expired|OptInRequired|Signature|UnknownEndpoint/.test(code);

/** The call was refused for its frequency alone, or for who made it: nothing new is to be known before it is made again. */
export const isToRepeat = (launch: Launch, instances: readonly Instance[], failure: Failure | undefined): boolean =>
  failure?.operation === 'RunInstances' &&
  failure.at >= launch.tried &&
  saysNothing(failure.code) &&
  !instances.some(({ ClientToken }) => ClientToken === launch.token);

/** The launch before this one was refused by EC2 itself, so what had to be there before the call is there. */
export const wasRefused = ({ tried }: Launch, failure: Failure | undefined): boolean =>
  failure?.operation === 'RunInstances' && failure.at >= tried && isDefinite(failure);

/**
 * What to do while no live instance of the machine was found. `wanted`: what would be asked for now, if that is known;
 * `ended`: terminated instances that were the machine's.
 */
export const decideLaunch = (
  launch: Launch | undefined,
  wanted: { request: LaunchRequest; userDataHash: string } | undefined,
  ended: readonly Instance[],
  failure: Failure | undefined,
  now: number,
): Decision => {
  if (!launch) return wanted ? { do: 'first' } : { do: 'wait' };
  // It ran and went before anybody saw it run: its token is used up.
  const over = ended.some(({ ClientToken }) => ClientToken === launch.token);
  const next = (exhausted: string[]): Decision => (wanted ? { do: 'next', exhausted } : { do: 'wait' });
  if (over) return next(launch.exhausted);
  const failed = failure !== undefined && failure.at >= launch.tried;
  if (!failed) return now - launch.tried >= repeatAfter ? { do: 'repeat' } : { do: 'wait' };
  const { operation, code } = failure;
  if (operation !== 'RunInstances' || !isDefinite(failure) || saysNothing(code)) return { do: 'repeat' };
  // The token stands for something else, or for something that is over, and no describe call shows a live one by tag:
  // given the time such calls lag, nothing is behind it.
  if (spent.test(code)) return now - launch.since < visibleWithin ? { do: 'wait' } : next(launch.exhausted);
  if (noCapacity.test(code)) return next([...new Set([...launch.exhausted, launch.subnet])]);
  const same = wanted && equal(launch.request, wanted.request) && launch.userDataHash === wanted.userDataHash;
  return same ? { do: 'repeat' } : next(launch.exhausted);
};

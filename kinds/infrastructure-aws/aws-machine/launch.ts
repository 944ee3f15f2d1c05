/**
 * Launches an instance exactly once. The controller records each attempt completely before the call
 * and repeats it identically, so that its client token names one instance whatever fails in
 * between. A different request is a new attempt, made only when the last one is known to have
 * created nothing.
 */
import { createHash } from 'node:crypto';
import { equal } from '../../../machinery/api/merge.ts';
import type { Failure } from '../../../machinery/api/reconcile.ts';
import { type LaunchRecord, launchOf as launchIn } from '../../core/contract/launch.ts';
import type { Instance } from '../../ports/cloud/index.ts';
import { isSpentToken, saysNothingOfToken } from '../engine/client-token.ts';
import { isDefinite } from '../engine/step.ts';
import type { Batch } from './batch.ts';
import type { LaunchRequest } from './request.ts';

export interface Launch extends LaunchRecord {
  /**
   * Region and cluster of the launch, so that the instance can be found and terminated when no
   * other object names them.
   */
  region: string;
  clusterUid: string;
  clusterName: string;
  attempt: number;
  /** In the tokens of all attempts, so that the controller recognises each of them. */
  series: string;
  token: string;
  zone: string;
  subnet: string;
  type: string;
  image: string;
  /** SHA-256 of the bootstrap data. */
  userDataHash: string;
  /** Milliseconds since the epoch: when the attempt was recorded, and when it was last called. */
  since: number;
  tried: number;
  /** The outcome of each call of the attempt before the last one is known: EC2 refused it. */
  refused?: true;
  /** Subnets without capacity in earlier attempts in the same market. */
  exhausted: string[];
  /** The attempt is on demand, because the spot market had no capacity in any subnet. */
  fallback?: Fallback;
  request: LaunchRequest;
  /** Secrets of the previous attempt, which a crash may have left. */
  former?: { prefix: string; count: number };
  /** The call for several machines that was the first attempt. */
  batch?: Batch;
}

/** Why and when a launch left the spot market. */
export type Fallback = { code: string; at: number };

export const launchOf = (metadata: Parameters<typeof launchIn>[0]): Launch | undefined => launchIn<Launch>(metadata);

/** Of a call for a group; earlier versions derived the tokens of all attempts so. */
export const tokenOf = (series: string, attempt: number): string =>
  createHash('sha256').update(`${series} ${attempt}`).digest('hex').slice(0, 32);

const partOf = (series: string): string => createHash('sha256').update(series).digest('hex').slice(0, 16);
/**
 * The token of one attempt. It is drawn, because a restore takes back how many there were, and EC2
 * binds a token to the first request that it had.
 */
export const drawnToken = (series: string, drawn: string): string => `${partOf(series)}${drawn.slice(0, 16)}`;

/** Whether one of the attempts used this token. */
export const hasAttempted = ({ series, attempt, batch }: Launch, token: string | undefined): boolean => {
  if (token === undefined) return false;
  if (token === batch?.token || token.startsWith(partOf(series))) return true;
  for (let n = attempt; n > 0; n--) if (tokenOf(series, n) === token) return true;
  return false;
};

export const hashOf = (data: Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** After a call this recent, describe calls may not show the instance yet. */
const visibleWithin = 60_000;
const repeatAfter = 5_000;
export const mayBeHidden = (launch: Launch, now: number): boolean => now - launch.tried < visibleWithin;

/**
 * The last launch call did not fail, and its instance should be visible by now. A user may have
 * removed the tags that the controller finds it by; then only the client token identifies it.
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

/**
 * The last launch call may have succeeded, and its instance is not visible, running or terminated.
 */
export const mayHideInstance = (
  launch: Launch,
  instances: readonly Instance[],
  failure: Failure | undefined,
  now: number,
): boolean =>
  mayBeHidden(launch, now) &&
  !isRefused(launch, failure) &&
  !instances.some(({ ClientToken }) => ClientToken === launch.token);

export type Decision =
  | { do: 'first' }
  /** Repeat the identical call: it is safe, because the token names its instance. */
  | { do: 'repeat' }
  /** `shortage`: the code of a market without capacity; `everywhere`: in no subnet. */
  | { do: 'next'; exhausted: string[]; shortage?: string; everywhere?: true }
  | { do: 'wait' };

// Each zone has its own spot price.
const noCapacity =
  /InsufficientInstanceCapacity|InsufficientCapacity|^Unsupported$|InsufficientFreeAddressesInSubnet|InsufficientHostCapacity|ReservationCapacityExceeded|SpotMaxPriceTooLow/;

const reservationFull = 'ReservationCapacityExceeded';
const namesReservation = ({ CapacityReservationSpecification: wanted }: LaunchRequest): boolean =>
  wanted?.CapacityReservationTarget !== undefined;

// The quota of the spot market counts the whole region.
const beyondSpotQuota = /^MaxSpotInstanceCountExceeded$/;

/**
 * The call was refused by throttling or authorization alone, so it can be repeated without new
 * reads.
 */
export const isToRepeat = (launch: Launch, instances: readonly Instance[], failure: Failure | undefined): boolean =>
  failure?.operation === 'RunInstances' &&
  failure.at >= launch.tried &&
  saysNothingOfToken(failure.code) &&
  !instances.some(({ ClientToken }) => ClientToken === launch.token);

/** EC2 itself refused the last launch, so the secrets that go before the call exist. */
export const wasRefused = ({ tried }: Launch, failure: Failure | undefined): boolean =>
  failure?.operation === 'RunInstances' && failure.at >= tried && isDefinite(failure);

/**
 * EC2 has refused every call with the token, so that no instance of it can become visible. Most
 * codes say so of the earlier calls, too: EC2 looks for the token before it checks the request.
 */
export const isRefused = (launch: Launch, failure: Failure | undefined): boolean =>
  wasRefused(launch, failure) &&
  !isSpentToken(failure?.code ?? '') &&
  (launch.refused === true || launch.since === launch.tried || !saysNothingOfToken(failure?.code ?? ''));

/** The identical call once more. */
export const repeated = (launch: Launch, failure: Failure | undefined, tried: number): Launch => {
  const { refused: _, ...attempt } = launch;
  return { ...attempt, tried, ...(isRefused(launch, failure) && { refused: true as const }) };
};

/**
 * What to do while no live instance of the machine was found. `wanted`: the request for a launch
 * now, if known; `ended`: the machine's terminated instances.
 */
export const decideLaunch = (
  launch: Launch | undefined,
  wanted: { request: LaunchRequest; userDataHash: string; fallsBack?: boolean } | undefined,
  ended: readonly Instance[],
  failure: Failure | undefined,
  now: number,
): Decision => {
  if (!launch) return wanted ? { do: 'first' } : { do: 'wait' };
  // The instance ran and ended before a describe call showed it: its token is used up.
  const over = ended.some(({ ClientToken }) => ClientToken === launch.token);
  const next = (exhausted: string[], why: { shortage?: string; everywhere?: true } = {}): Decision =>
    wanted ? { do: 'next', exhausted, ...why } : { do: 'wait' };
  if (over) return next(launch.exhausted);
  const failed = failure !== undefined && failure.at >= launch.tried;
  if (!failed) return now - launch.tried >= repeatAfter ? { do: 'repeat' } : { do: 'wait' };
  const { operation, code } = failure;
  if (operation !== 'RunInstances' || !isDefinite(failure) || saysNothingOfToken(code)) return { do: 'repeat' };
  // The token belongs to a different request or to a terminated instance. Describe calls show no
  // live instance by tag, and after their lag that proves that there is none.
  if (isSpentToken(code)) return now - launch.since < visibleWithin ? { do: 'wait' } : next(launch.exhausted);
  // A named reservation is in one zone.
  if (code === reservationFull && namesReservation(launch.request)) return { do: 'repeat' };
  if (noCapacity.test(code)) return next([...new Set([...launch.exhausted, launch.subnet])], { shortage: code });
  if (beyondSpotQuota.test(code) && wanted?.fallsBack)
    return next(launch.exhausted, { shortage: code, everywhere: true });
  const same = wanted && equal(launch.request, wanted.request) && launch.userDataHash === wanted.userDataHash;
  return same ? { do: 'repeat' } : next(launch.exhausted);
};

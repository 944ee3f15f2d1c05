/**
 * One launch call for machines that were created together. The group's first machine makes the call
 * once all others have joined: each has recorded the same request, the call's token and its position,
 * and created its secrets. EC2 launches all instances or none, and numbers them, so that token and
 * position name each machine's instance.
 *
 * The record of the first machine decides, by writes at its observed version: `called` before the
 * call, or never once a machine cancelled. Until then no machine that joined launches alone.
 */

import { equal } from '../../../machinery/api/merge.ts';
import type { Action, Plan, Read } from '../../../machinery/api/reconcile.ts';
import { found } from '../../../machinery/api/reconcile.ts';
import { launchAnnotation } from '../../core/contract/launch.ts';
import { type Together, togetherOf } from '../../core/contract/together.ts';
import type { Instance } from '../../ports/cloud/index.ts';
import { visibleWithin } from '../engine/step.ts';
import { asksForAddress } from './fixed-address.ts';
import { instanceIdOf } from './instance-id.ts';
import { type Launch, launchOf, tokenOf } from './launch.ts';
import type { Observed } from './observe.ts';
import type { AWSMachine } from './schema.ts';

export interface Batch extends Together {
  firstUid: string;
  token: string;
  /** SHA-256 of the user data, which is the same for all. */
  userData: string;
  /** Of the first machine: `nothing` means that the call launched no instance, or never came. */
  state?: 'gathering' | 'called' | 'nothing';
  /** When the first machine was seen to be gone, in milliseconds since the epoch. */
  gone?: number;
}

/** The token of the call for which the machine's secrets exist. Reserved for controllers. */
export const readyAnnotation = 'capstan.dev/launch-ready';
/** On the first machine: the id of the group whose call must never come. Reserved for controllers. */
export const cancelledAnnotation = 'capstan.dev/launch-cancelled';

/** Milliseconds for which the first machine waits for the others, and they for it. */
const gatherWithin = 10_000;
const decideWithin = 15_000;

/** The current attempt is the call for the group. */
export const isCombined = (launch: Launch | undefined): launch is Launch & { batch: Batch } =>
  launch?.batch !== undefined && launch.batch.token === launch.token;

const isFirst = ({ index }: Together): boolean => index === 0;

/** The first machine has not called yet. */
export const isGathering = (launch: Launch | undefined): boolean =>
  isCombined(launch) && launch.batch.state === 'gathering';

/** The machine's own instance of the call; others of the call lack its uid, too. */
export const isOwnOf =
  (launch: Launch | undefined) =>
  ({ ClientToken, AmiLaunchIndex }: Instance): boolean =>
    isCombined(launch) && ClientToken === launch.token && AmiLaunchIndex === launch.batch.index;

/** The group that the machine may join, by its spec. */
export const groupOf = (awsMachine: AWSMachine, controlPlane: boolean): Together | undefined => {
  const { cloudInit, networkInterfaces } = awsMachine.spec ?? {};
  const isSingle =
    controlPlane || cloudInit?.insecureSkipSecretsManager || networkInterfaces?.length || asksForAddress(awsMachine);
  return isSingle ? undefined : togetherOf(awsMachine);
};

export const batchOf = (group: Together, firstUid: string, userDataFor: (token: string) => string): Batch => {
  // The uid excludes another group whose objects are copies of this one's.
  const token = tokenOf(`${group.id} ${firstUid}`, 1);
  return {
    ...group,
    firstUid,
    token,
    userData: userDataFor(token),
    ...(isFirst(group) && { state: 'gathering' as const }),
  };
};

const isCancelled = ({ metadata }: AWSMachine, { id }: Together): boolean =>
  metadata.annotations?.[cancelledAnnotation] === id;

/**
 * `open`: the call may come. `called`: it was made, or will be. `over`: the machine has no instance
 * of it and never will. `lost`: the first machine is gone, which is to be recorded.
 */
export type Standing = 'open' | 'called' | 'over' | 'lost';

/** Of a machine that joined and sees no instance of its own. */
export const standingOf = ({ batch }: { batch: Batch }, first: Read<AWSMachine>, now: number): Standing => {
  const machine = found(first);
  if (!machine || machine.metadata.uid !== batch.firstUid) {
    // An instance of its call is visible within this time.
    if (batch.gone === undefined) return 'lost';
    return now - batch.gone < visibleWithin ? 'called' : 'over';
  }
  const launch = launchOf(machine.metadata);
  if (!launch) return isCancelled(machine, batch) ? 'over' : 'open';
  const { state } = launch.batch?.token === batch.token ? launch.batch : { state: 'nothing' };
  if (state === 'gathering') return isCancelled(machine, batch) ? 'over' : 'open';
  if (state !== 'called') return 'over';
  // The call launched all instances, so this machine's own came and went.
  const called = isCombined(launch) ? launch.tried : launch.since;
  const hasLaunched = instanceIdOf(machine) !== undefined || !isCombined(launch);
  return hasLaunched && now - called >= visibleWithin ? 'over' : 'called';
};

/** Whether the machine may join: the first one has not decided yet. */
export const mayJoin = (group: Together, awsMachine: AWSMachine, first: Read<AWSMachine>): boolean => {
  if (isFirst(group)) return !isCancelled(awsMachine, group);
  const machine = found(first);
  if (!machine || machine.metadata.deletionTimestamp || isCancelled(machine, group)) return false;
  const launch = launchOf(machine.metadata);
  if (!launch) return instanceIdOf(machine) === undefined;
  return launch.batch?.id === group.id && isGathering(launch);
};

/** The first machine's uid; undefined while it does not exist. */
export const firstUidOf = (group: Together, awsMachine: AWSMachine, first: Read<AWSMachine>): string | undefined =>
  isFirst(group) ? awsMachine.metadata.uid : found(first)?.metadata.uid;

export const isReady = ({ metadata }: AWSMachine, { token }: Batch): boolean =>
  metadata.annotations?.[readyAnnotation] === token;

/** Whether all machines of the group have joined with the request of the first one. */
export const areAllReady = (
  { batch, request }: Launch & { batch: Batch },
  machines: readonly AWSMachine[],
): boolean => {
  const positions = new Set<number>();
  for (const machine of machines) {
    const { metadata } = machine;
    const launch = launchOf(metadata);
    if (!isCombined(launch) || launch.token !== batch.token || isFirst(launch.batch)) continue;
    const isSame = launch.batch.userData === batch.userData && equal(launch.request, request);
    if (isSame && !launch.cameToNothing && !metadata.deletionTimestamp && isReady(machine, batch))
      positions.add(launch.batch.index);
  }
  return positions.size === batch.count - 1;
};

export type Decision =
  | { do: 'wait' }
  /** Create the secrets. */
  | { do: 'prepare' }
  | { do: 'call' }
  | { do: 'cancel' }
  | { do: 'lost' }
  /** Launch alone. */
  | { do: 'next' };

/** What to do while the call was not made by this machine, and it has no live instance. */
export const decideBatch = (
  launch: Launch & { batch: Batch },
  { awsMachine, first, group, instances }: Pick<Observed, 'awsMachine' | 'first' | 'group' | 'instances'>,
  now: number,
): Decision => {
  const { batch, since } = launch;
  if (instances.some(isOwnOf(launch))) return { do: 'next' };
  if (isFirst(batch)) {
    if (isCancelled(awsMachine, batch) || batch.state === 'nothing') return { do: 'next' };
    const isOwnReady = isReady(awsMachine, batch);
    if (isOwnReady && areAllReady(launch, found(group) ?? [])) return { do: 'call' };
    if (now - since >= gatherWithin) return { do: 'next' };
    return isOwnReady ? { do: 'wait' } : { do: 'prepare' };
  }
  const standing = launch.cameToNothing ? 'over' : standingOf(launch, first, now);
  switch (standing) {
    case 'over':
      return { do: 'next' };
    case 'lost':
      return { do: 'lost' };
    case 'called':
      return { do: 'wait' };
    case 'open':
      if (now - since >= decideWithin) return { do: 'cancel' };
      return isReady(awsMachine, batch) ? { do: 'wait' } : { do: 'prepare' };
    default:
      return standing satisfies never;
  }
};

/** After this action, and a read that shows no call, the call never comes. */
export const cancel = ({ id, first, firstUid }: Batch, { metadata }: AWSMachine): Action => ({
  do: 'patch',
  kind: 'AWSMachine',
  namespace: metadata.namespace ?? '',
  name: first,
  uid: firstUid,
  patch: { metadata: { annotations: { [cancelledAnnotation]: id } } },
});

/** Records that the machine's secrets exist; runs after the actions that create them. */
export const becomeReady = ({ token }: Batch, { metadata }: AWSMachine): Action => ({
  do: 'patch',
  kind: 'AWSMachine',
  namespace: metadata.namespace ?? '',
  name: metadata.name,
  uid: metadata.uid ?? '',
  patch: { metadata: { annotations: { [readyAnnotation]: token } } },
});

/** The record of the attempt after the call, from which the others see whether it launched them. */
export const afterCall = (batch: Batch | undefined, siblings: boolean): Batch | undefined =>
  batch && isFirst(batch) ? { ...batch, state: siblings && batch.state === 'called' ? 'called' : 'nothing' } : batch;

/** A machine that joined follows the first one: the call came when it was last tried. */
export const following = (launch: Launch | undefined, first: AWSMachine | undefined): Launch | undefined => {
  if (!isCombined(launch) || isFirst(launch.batch) || first?.metadata.uid !== launch.batch.firstUid) return launch;
  const call = launchOf(first.metadata);
  const isCall = isCombined(call) && call.token === launch.token && call.batch.state === 'called';
  return isCall && call.tried > launch.tried ? { ...launch, tried: call.tried } : launch;
};

/**
 * What must precede the end of a machine that joined and sees no instance of its own. Undefined when
 * its last launch is like any other's.
 */
export const leaveBatch = (
  { awsMachine, launch, first, instances, siblings }: Observed,
  now: number,
): Plan | undefined => {
  if (!isCombined(launch) || launch.cameToNothing || instances.some(isOwnOf(launch))) return undefined;
  const { batch } = launch;
  const note = (changed: Launch): Plan => ({
    intent: { metadata: { annotations: { [launchAnnotation]: JSON.stringify(changed) } } },
    again: true,
  });
  const nothing = { ...launch, cameToNothing: true as const };
  if (isFirst(batch))
    return batch.state === 'gathering' ? note({ ...nothing, batch: afterCall(batch, siblings)! }) : undefined;
  const standing = standingOf(launch, first, now);
  switch (standing) {
    case 'open':
      return { actions: [cancel(batch, awsMachine)], requeueAfter: 1 };
    case 'lost':
      return note({ ...launch, batch: { ...batch, gone: now } });
    case 'called':
      return { requeueAfter: 2 };
    case 'over':
      return note(nothing);
    default:
      return standing satisfies never;
  }
};

/**
 * Effects of an instance's state changes: guests start and stop, events are sent, addresses are
 * released.
 */

import type { InstanceStateName } from '../../kinds/ports/cloud/index.ts';
import { followClassicInstance, forgetClassicInstance } from './classic-health.ts';
import { sendEvent } from './events.ts';
import { guestInstance, type InstanceRecord, instanceState, nextChange } from './instance.ts';
import { type AccountState, scaled } from './state.ts';
import { forgetTarget } from './target-group.ts';
import { followTarget } from './target-health.ts';

const send = (account: AccountState, instance: InstanceRecord, state: InstanceStateName): void => {
  if (instance.stopped?.isUntold) return;
  const { region, id: instanceId } = instance;
  sendEvent(account, `${instanceId}/${state}`, () => account.onInstanceChange({ region, instanceId, state }));
};

/** Once in a lifetime, as recorded in `announced`. */
const releaseParts = (account: AccountState, instance: InstanceRecord): void => {
  for (const { subnetId, privateIp } of instance.interfaces) account.subnetAddresses.release(subnetId, privateIp);
};

/** Each market has a quota of its own. */
const quotaKey = ({ region, market }: Pick<InstanceRecord, 'region' | 'market'>): string =>
  market ? `${region}/${market}` : region;
export const vcpusInUse = ({ vcpusInUse: used }: AccountState, of: Pick<InstanceRecord, 'region' | 'market'>): number =>
  used.get(quotaKey(of)) ?? 0;

export const countVcpus = (account: AccountState, instance: InstanceRecord, sign: 1 | -1): void => {
  account.vcpusInUse.set(quotaKey(instance), vcpusInUse(account, instance) + sign * instance.vcpus);
};

/** The effects of each state outside of the record. All of them are idempotent. */
const carryOut = (account: AccountState, instance: InstanceRecord, state: InstanceStateName): void => {
  switch (state) {
    case 'running':
      account.guests.boot(guestInstance(instance));
      followTarget(account, instance.id);
      followClassicInstance(account, instance.id);
      return;
    case 'terminated':
      account.guests.halt(instance.id, true);
      forgetTarget(account, instance.id);
      forgetClassicInstance(account, instance.id);
      return;
    case 'shutting-down':
    case 'stopping':
    case 'stopped':
      account.guests.halt(instance.id);
      return;
    case 'pending':
      return;
  }
};

/** The token outlives the instance: the launch can never be repeated. */
const forget = (account: AccountState, instance: InstanceRecord): void => {
  account.launchTokens.put(tokenKey(instance), { parameters: instance.parameters, spent: true });
  account.instances.delete(instance.id);
  account.guests.forget(instance.id);
};

export const tokenKey = ({
  region,
  tokenZone,
  token,
}: Pick<InstanceRecord, 'region' | 'tokenZone' | 'token'>): string => [region, tokenZone, token].join('/');

/**
 * Brings everything that depends on the instance up to its recorded state, and sets a timer for its
 * next change.
 */
export const followInstance = (account: AccountState, instance: InstanceRecord, restarted = false): void => {
  const now = account.clock.now();
  const state = instanceState(instance, now);
  const changed = state !== instance.announced;
  if (changed || restarted) carryOut(account, instance, state);
  if (changed) {
    if (state === 'terminated') {
      releaseParts(account, instance);
      countVcpus(account, instance, -1);
    }
    instance.announced = state;
    account.instances.put(instance);
    send(account, instance, state);
    account.afterInstanceChange(instance.id);
  }
  const { delays } = account.behaviour;
  if (state === 'terminated')
    account.timers.at(instance.id, (instance.ended?.done ?? now) + scaled(account, delays.remembered), () =>
      forget(account, instance),
    );
  else {
    const next = nextChange(instance, now);
    if (next !== undefined) account.timers.at(instance.id, next, () => followInstance(account, instance));
  }
};

/** Starts the termination of an instance. */
export const endInstance = (
  account: AccountState,
  instance: InstanceRecord,
  reason: { code: string; message: string },
): void => {
  const now = account.clock.now();
  if (instance.ended && now >= instance.ended.requested) return;
  instance.ended = {
    ...reason,
    requested: now,
    done: now + scaled(account, account.behaviour.delays.instanceTerminated),
    transition: `User initiated (${new Date(now).toISOString().slice(0, 19).replace('T', ' ')} GMT)`,
  };
  account.instances.put(instance);
  followInstance(account, instance);
};

/** The instance keeps its disks and loses its running state. */
export const stopInstance = (account: AccountState, instance: InstanceRecord, isUntold: boolean): void => {
  const now = account.clock.now();
  const done = now + scaled(account, account.behaviour.delays.instanceStopped);
  instance.stopped = { requested: now, done, isUntold };
  account.instances.put(instance);
  followInstance(account, instance);
};

export const startInstance = (account: AccountState, instance: InstanceRecord): void => {
  const now = account.clock.now();
  const runs = now + scaled(account, account.behaviour.delays.instanceRunning);
  instance.stopped = { ...instance.stopped!, started: now, runs };
  account.instances.put(instance);
  followInstance(account, instance);
};

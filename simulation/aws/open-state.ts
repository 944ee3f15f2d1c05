/** Opens the account's records. */
import type { Clock, Random } from '../../machinery/ports.ts';
import type { Guests, Network, Storage } from '../ports.ts';
import type { Behaviour } from './behaviour.ts';
import { type Collection, type CollectionOf, openCollection, type Stored } from './collection.ts';
import { type Collections, collections } from './collections.ts';
import { createFaults } from './faults.ts';
import type { AccountState, AlarmChange, GroupChange, InstanceChange } from './state.ts';
import { type Directory, openDirectory } from './sts.ts';
import { createSubnetAddresses } from './subnet-addresses.ts';
import { createTimers } from './timers.ts';

export interface StateOptions {
  clock: Clock;
  random: Random;
  storage: Storage;
  network: Network;
  guests: Guests;
  speed: number;
  behaviour: Behaviour;
  onInstanceChange: (event: InstanceChange) => void;
  onAlarmChange: (event: AlarmChange) => void;
  onGroupChange: (event: GroupChange) => void;
  /** Of another account; drawn by default. */
  accountId?: string | undefined;
  /** Its own by default. */
  directory?: Directory | undefined;
}

export const openState = (options: StateOptions): AccountState => {
  const { storage, random, clock } = options;
  const identity = storage.records<{ accountId: string }>('account');
  if (!identity.get('account'))
    identity.put('account', {
      accountId: options.accountId ?? Array.from({ length: 12 }, () => Math.floor(random.next() * 10)).join(''),
    });

  let seq = 0;
  const open = <T extends Stored>({ name, indexes }: CollectionOf<T>): Collection<T> => {
    const collection = openCollection(storage.records<T>(name), indexes);
    for (const record of collection.all()) seq = Math.max(seq, record.seq);
    return collection;
  };
  const opened = Object.fromEntries(
    Object.entries(collections).map(([name, of]) => [name, open(of as CollectionOf<Stored>)]),
  ) as unknown as Collections;
  return {
    ...options,
    accountId: identity.get('account')!.accountId,
    afterInstanceChange: () => {},
    afterNotice: () => {},
    timers: createTimers(clock),
    faults: createFaults(storage.records('faults')),
    subnetAddresses: createSubnetAddresses(),
    directory: options.directory ?? openDirectory(storage),
    removed: storage.records('removed'),
    added: storage.records('added'),
    vcpusInUse: new Map(),
    nextSeq: () => ++seq,
    ...opened,
    launchTokens: storage.records('launch-tokens'),
    alarms: storage.records('alarms'),
  };
};

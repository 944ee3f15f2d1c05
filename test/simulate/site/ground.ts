/** The account and the clusters in it, with listeners for each request. */

import { memoryNotifier } from '../../../adapters/memory/notifier.ts';
import type { CloudAction } from '../../../kinds/ports/cloud/index.ts';
import type { Transport } from '../../../kinds/ports/transport.ts';
import { guestPki } from '../../../local/guest-pki.ts';
import type { Clock } from '../../../machinery/ports.ts';
import type { InstanceChange } from '../../../runtime/wake.ts';
import { type Account, type Behaviour, createAccount, wellBehaved } from '../../../simulation/aws/index.ts';
import type { GuestServices, Storage } from '../../../simulation/ports.ts';
import { createGuests, guestTransport, type SimulatedGuests } from '../../../simulation/workload/index.ts';
import { dice } from '../dice.ts';
import type { Faults } from '../faults/index.ts';
import type { Story } from '../story.ts';

/** A request of Capstan to the account or to a cluster. */
export type Asked =
  | { port: 'cloud'; action: CloudAction; input: unknown }
  | { port: 'cluster'; method: string; url: string }
  | { port: 'etcd'; path: string; body: unknown };

export interface GroundOptions {
  seed: number;
  clock: Clock;
  faults: Faults;
  story: Story;
  storage: Storage;
  /** Disables all random behaviour of the account. */
  isPlain: boolean;
  onInstanceChange: (change: InstanceChange) => void;
  download: NonNullable<GuestServices['download']>;
  post: NonNullable<GuestServices['post']>;
  /** Called for each request, before it takes effect. */
  onAsked: (asked: Asked) => void;
}

export interface Ground {
  readonly account: Account;
  readonly guests: SimulatedGuests;
  /** The consistency lag of the account without faults. */
  readonly behaviour: Pick<Behaviour, 'inconsistency' | 'staleReads'>;
  /** A transport whose requests are not reported. */
  readonly transport: Transport;
  readonly heard: { account: Account; transport: Transport };
}

const behaviourFor = (seed: number, isPlain: boolean) => {
  const draw = dice(seed, 'behaviour');
  if (isPlain) return { ...wellBehaved, inconsistency: 0, staleReads: 0, throttling: true };
  const isStale = draw.chance(0.5);
  return {
    inconsistency: isStale ? draw.between(500, 5000) : 0,
    staleReads: draw.between(0.1, 0.6),
    shortPages: draw.chance(0.5) ? 0.2 : 0,
    throttling: true,
    // The site decides about lost events.
    lostEvents: 0,
    duplicatedEvents: 0,
  };
};

/** Virtual ports, at none of which a process really listens. */
const createNetwork = (isTaken: (port: number) => boolean) => {
  let last = 30_000;
  const reserve = (): number => {
    last += 1;
    // Listeners of the initial state keep their ports.
    return isTaken(last) ? reserve() : last;
  };
  return { listen: () => {}, close: () => {}, reserve };
};

export const createGround = (options: GroundOptions): Ground => {
  const { seed, clock, faults, story, storage, isPlain, onInstanceChange, onAsked, download, post } = options;
  const network = createNetwork((port) => guests.listener('127.0.0.1', port) !== undefined);
  const guests: SimulatedGuests = createGuests({
    clock,
    random: dice(seed, 'guests'),
    storage,
    network,
    services: () => services,
    pki: guestPki,
    notifier: () => memoryNotifier(clock),
    log: { info: () => {}, error: (message, keys) => story.tell('guest error', message, keys) },
  });
  const behaviour = behaviourFor(seed, isPlain);
  const account = createAccount({
    clock,
    random: dice(seed, 'account'),
    storage,
    network,
    guests,
    behaviour: { ...behaviour, placementGroups: ['together'] },
    onInstanceChange,
  });
  const services: GuestServices = {
    ...account,
    download,
    post,
    readSecret: (instanceId, name) =>
      faults.strikes('machine.denied', instanceId) ? undefined : account.readSecret(instanceId, name),
  };
  const transport = guestTransport(guests);
  const heard = {
    account: {
      ...account,
      call: (region, action, input) => {
        onAsked({ port: 'cloud', action, input });
        return account.call(region, action, input);
      },
    } satisfies Account,
    transport: {
      ...transport,
      fetch: (connection, request) => {
        onAsked({ port: 'cluster', method: request.method, url: request.url });
        return transport.fetch(connection, request);
      },
      etcd: (etcd, path, body) => {
        onAsked({ port: 'etcd', path, body });
        return transport.etcd(etcd, path, body);
      },
    } satisfies Transport,
  };
  return { account, guests, behaviour, transport, heard };
};

/** The simulated AWS account, with the clusters in its instances. */
import { memoryNotifier } from '../adapters/memory/notifier.ts';
import type { Clock, Log, Random } from '../machinery/ports.ts';
import { type Account, type AccountOptions, type BehaviourOptions, createAccount } from '../simulation/aws/index.ts';
import type { GuestServices, Network, Storage } from '../simulation/ports.ts';
import { createGuests } from '../simulation/workload/index.ts';
import { guestPki } from './guest-pki.ts';

export interface SimulatedAccountOptions {
  clock: Clock;
  random: Random;
  account: Storage;
  network: Network;
  log: Log;
  speed?: number;
  requireCni?: boolean;
  behaviour?: BehaviourOptions;
  /** What a link to a file of the installation leads to. */
  download?: GuestServices['download'];
  /** The webhook of the installation. */
  post?: GuestServices['post'];
}

/** The account and its instances depend on each other. */
export const simulateAccount = (
  options: SimulatedAccountOptions,
  events: Pick<AccountOptions, 'onInstanceChange' | 'onAlarmChange' | 'onGroupChange'>,
) => {
  const { clock, random, account: storage, network, log, speed = 1, requireCni = false, behaviour } = options;
  const guests = createGuests({
    clock,
    random,
    storage,
    network,
    services: () => services,
    speed,
    requireCni,
    pki: guestPki,
    notifier: () => memoryNotifier(clock),
    log,
  });
  const account: Account = createAccount({
    clock,
    random,
    storage,
    network,
    guests,
    speed,
    ...(behaviour && { behaviour }),
    ...events,
  });
  const { download, post } = options;
  const services: GuestServices = { ...account, ...(download && { download }), ...(post && { post }) };
  return { account, guests };
};

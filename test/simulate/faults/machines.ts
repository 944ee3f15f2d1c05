/** Machines that run, but lose their network, restart, or do not work. */
import { type Clock, sleep } from '../../../machinery/ports.ts';
import type { Account } from '../../../simulation/aws/index.ts';
import type { SimulatedGuests } from '../../../simulation/workload/index.ts';
import type { Faults } from './index.ts';

const second = 1000;
const minute = 60 * second;
/** The machine loses its network for at most this long. */
const longestSilence = 50 * minute;

type Guest = ReturnType<SimulatedGuests['guests']>[number];

export interface MachinesOptions {
  clock: Clock;
  faults: Faults;
  guests: SimulatedGuests;
  account: Pick<Account, 'list'>;
  tell: (what: string, instanceId: string) => void;
}

const ailing = ['machine.silent', 'machine.restarted', 'node.unready', 'node.stuck'] as const;

/** A lasting fault ends early when faults are disabled. */
export const badMachines = ({ clock, faults, guests, account, tell }: MachinesOptions): void => {
  const lasting = async (ms: number) => {
    const until = clock.now() + ms;
    while (clock.now() < until && !faults.isCalm) await sleep(clock, Math.min(minute, until - clock.now()));
  };
  const runs = (id: string) => account.list().some((one) => one.id === id && one.state === 'running');
  /**
   * Whether etcd keeps its quorum without the machine. Otherwise the fault would destroy the
   * cluster, which no controller can repair.
   */
  const isExpendable = ({ instance, kubelet }: Guest): boolean => {
    const cluster = kubelet && guests.clusters.get(kubelet.cluster);
    const members = cluster?.record.etcd.members ?? [];
    if (!members.some(({ instanceId }) => instanceId === instance.instanceId)) return true;
    const others = members.filter(({ instanceId }) => instanceId !== instance.instanceId);
    return others.length >= 2 && others.every(({ instanceId }) => guests.clusters.isRunning(instanceId));
  };
  const silence = async (guest: Guest, ms: number) => {
    const { instance } = guest;
    guests.halt(instance.instanceId);
    await lasting(ms);
    // The machine may have been terminated or replaced meanwhile.
    if (runs(instance.instanceId) && guests.guests().includes(guest)) guests.boot(instance);
  };
  const strike: Record<(typeof ailing)[number], (guest: Guest) => Promise<void>> = {
    'machine.silent': (guest) => silence(guest, faults.dice('machine.silent').spread(10 * second, longestSilence)),
    'machine.restarted': (guest) => silence(guest, faults.dice('machine.restarted').spread(5 * second, minute)),
    'node.unready': async ({ instance: { instanceId } }) => {
      const draw = faults.dice('node.unready');
      for (let times = draw.whole(1, 6); times > 0; times--) {
        guests.ail(instanceId, 'NotReady');
        await lasting(draw.spread(2 * second, 10 * minute));
        guests.ail(instanceId, undefined);
        await lasting(draw.spread(2 * second, 3 * minute));
      }
    },
    'node.stuck': async ({ instance: { instanceId } }) => {
      guests.ail(instanceId, 'Stuck');
      await lasting(faults.dice('node.stuck').spread(10 * second, longestSilence));
      guests.ail(instanceId, undefined);
    },
  };
  const run = async (name: (typeof ailing)[number]) => {
    while (!faults.isCalm) {
      await sleep(clock, faults.dice(name).spread(20 * second, 5 * minute));
      const there = guests
        .guests()
        .filter((guest) => guest.haltedAt === undefined && !guest.ailment && isExpendable(guest));
      if (there.length === 0 || !faults.strikes(name)) continue;
      const guest = faults.dice(name).pick(there);
      tell(name, guest.instance.instanceId);
      await strike[name](guest);
    }
  };
  for (const name of ailing) if (faults.rate(name) > 0) void run(name);
};

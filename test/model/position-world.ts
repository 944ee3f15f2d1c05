/** Processes that act on one account; each call to the objects' table and to the mark is a separate step. */
import { openPosition, type Sharing } from '../../adapters/installation/index.ts';
import { holds } from '../../adapters/memory/condition.ts';
import { written } from '../../adapters/memory/partitions.ts';
import type { Mark } from '../../kinds/ports/installation.ts';
import { type Item, Refused, type Table } from '../../machinery/ports.ts';
import { type Step, Violation, type World } from './explore.ts';
import { parkedClock } from './parked-clock.ts';

export interface Scenario {
  /** How often each process acts. */
  acts: readonly number[];
  crashes?: number;
  /** Processes that sleep, while time passes, longer than any lease of the position. */
  stalls?: number;
  /** The initial position; absent when the installation has never acted. */
  begins?: { stored: number; marked: number };
  quantum?: number;
  /** Writes ignore their conditions. */
  isUnconditional?: boolean;
  /** The account remembers only the last mark. */
  isForgetful?: boolean;
}

interface Process {
  name: string;
  pending?: { label: string; what: string; take: () => void };
  history: string;
  /** How many acts remain. */
  todo: number;
  /** The stored position when it started to act. */
  before: number;
}

const lease = 60_000;
const start = 1_000_000;
const mostProcesses = 30;

export const positionWorld = (scenario: Scenario): World => {
  const { acts, crashes = 0, stalls = 0, begins, quantum = 0, isUnconditional = false, isForgetful = false } = scenario;
  const budget = { crashes, stalls };
  const clock = parkedClock(start, () => {});
  let item: Item | undefined = begins && { pk: 'position', sk: 'installation', n: begins.stored, regions: ['r'] };
  let mark: Mark | undefined = begins && { position: begins.marked, regions: ['r'] };
  /** The highest mark ever written; the last one when only that is remembered. */
  let furthest = mark;
  let processes: Process[] = [];
  let acted = 0;
  let spawned = 0;
  let violation: string | undefined;
  const storedNow = () => (item?.n as number | undefined) ?? 0;

  const gate = <T>(process: Process, what: string, detail: string, effect: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      const take = () => {
        delete process.pending;
        try {
          const value = effect();
          process.history += `|${what} ${JSON.stringify(value)}`;
          resolve(value);
        } catch (error) {
          process.history += `|${what} refused`;
          reject(error);
        }
      };
      process.pending = { label: `${process.name} ${what} ${detail}`, what, take };
    });

  const tableOf = (process: Process): Table => ({
    get: () => gate(process, 'reads', 'objects', () => item && structuredClone(item)),
    query: () => Promise.reject(new Error('the protocol needs one item')),
    transact: () => Promise.reject(new Error('the protocol needs no transactions')),
    write: (write) =>
      gate(process, 'writes', `objects ${JSON.stringify({ ...write, when: undefined })}`, () => {
        if (!isUnconditional && write.when && !holds(write.when, item)) throw new Refused(item);
        item = written(write, item);
        return item && structuredClone(item);
      }),
  });

  const spawn = (todo: number) => {
    const name = `p${spawned++}`;
    const process: Process = { name, todo, history: '', before: storedNow() };
    processes.push(process);
    const sharing: Sharing = {
      clock: clock.of(name),
      random: { uuid: () => name },
      quantum,
      lease,
    };
    const position = openPosition({
      installation: 'here',
      table: tableOf(process),
      marker: {
        read: () => gate(process, 'reads', 'the mark', () => mark && structuredClone(mark)),
        furthest: () => gate(process, 'reads', 'the furthest mark', () => furthest && structuredClone(furthest)),
        write: (next) =>
          gate(process, 'marks', JSON.stringify(next), () => {
            mark = next;
            if (isForgetful || next.position > (furthest?.position ?? 0)) furthest = next;
          }),
      },
      isEmpty: async () => false,
      regionsHeld: async () => [],
      sharing,
      log: { info: () => {}, error: () => {} },
      onChange: (freeze) => {
        if (freeze) violation ??= `${name} froze: ${freeze.reason}`;
      },
    });
    const act = async () => {
      for (; process.todo > 0; process.todo--) {
        process.before = storedNow();
        await position.before('r');
        await gate(process, 'acts', '', () => {
          acted++;
          if (quantum === 0 && (furthest?.position ?? 0) <= process.before)
            violation ??= 'a copy of the objects from before an act would not look old';
        });
      }
    };
    const end = () => {
      processes = processes.filter((other) => other !== process);
    };
    act().then(end, (error: Error) => {
      end();
      if (error.name !== 'PositionBusy') violation ??= String(error);
      // The caller retries.
      else if (spawned < mostProcesses) spawn(process.todo);
      else violation ??= 'a process never acts';
    });
  };

  const crash = (process: Process) => {
    budget.crashes--;
    clock.forget(process.name);
    processes = processes.filter((other) => other !== process);
    spawn(process.todo);
  };

  for (const times of acts) spawn(times);

  const steps = (): Step[] => {
    const isWaiting = processes.every(({ pending }) => !pending);
    const next = clock.next();
    const isHeld = typeof item?.until === 'number' && item.until > clock.now();
    return [
      ...processes.flatMap((p) => (p.pending ? [{ label: p.pending.label, take: p.pending.take }] : [])),
      ...processes.flatMap((p) =>
        budget.crashes > 0 && p.pending ? [{ label: `crash ${p.name}`, take: () => crash(p) }] : [],
      ),
      ...(isWaiting && next !== undefined ? [{ label: `time +${next}`, take: () => clock.pass(next) }] : []),
      ...(budget.stalls > 0 && isHeld
        ? [
            {
              label: 'everybody stalls',
              take: () => {
                budget.stalls--;
                clock.pass(lease);
              },
            },
          ]
        : []),
    ];
  };

  return {
    steps,
    fingerprint: () =>
      JSON.stringify([
        clock.fingerprint(),
        item,
        mark,
        furthest,
        processes.map(({ history, todo, before }) => [history, todo, before]),
        budget,
        acted,
      ]),
    check: () => {
      if (violation) throw new Violation(violation);
      const ahead = storedNow() - (furthest?.position ?? 0);
      if (ahead < 0 || ahead > 1) throw new Violation(`the mark is ${ahead} behind`);
    },
    checkEnd: async () => {
      if (acted < acts.reduce((sum, times) => sum + times)) throw new Violation('a process never acts');
    },
  };
};

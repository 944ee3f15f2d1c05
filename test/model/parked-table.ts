/**
 * The table for the explorer: every call of every process waits here for its turn. A transaction takes several steps
 * when its items become visible one by one, when its response is lost, or when it is sent twice.
 */
import { memoryTable } from '../../adapters/memory/table.ts';
import { createVeil } from '../../adapters/memory/veil.ts';
import { type Clock, type Item, type ItemKey, OutcomeUnknown, type Table, type Write } from '../../machinery/ports.ts';
import type { Step } from './explore.ts';

/** A fault that may happen once per history, to one transaction of one process. */
export type Fault =
  /** The response is lost; the transaction is applied later, or never. */
  | 'outcome unknown'
  /** A second copy is sent, and is applied after the response to the first, or never. */
  | 'late copy'
  /** It is applied, its token expires, and it is applied again: the response is that of the second time. */
  | 'sent twice';

export interface ParkedTableOptions {
  clock: Clock;
  /** Processes that may stop after a call and receive its response after the next long jump; each once. */
  freeze: string[];
  /** Processes whose transactions become visible one item at a time. */
  split: string[];
  showsTransactionsWhole: boolean;
  fault?: { process: string; kinds: Fault[] };
  onItem: (item: Item | ItemKey, process: string) => void;
  /** Called with each response before the process receives it. */
  onAnswer: (process: string, answer: string) => void;
}

interface Parked {
  process: string;
  /** Sent already: it is applied whether or not the process lives. */
  isSent: boolean;
  steps: Step[];
}

const nameOf = ({ pk, sk }: ItemKey) => `${pk} ${sk}`;
/** Without bodies, which follow from the rest. */
const summary = (value: unknown): string =>
  JSON.stringify(value, (name, part) =>
    name === 'body' || name === 'owners' || name === 'labels' ? undefined : part,
  ) ?? '';

const describe = (write: Exclude<Write, { check: ItemKey }>): string => {
  if ('put' in write) return write.put.event === 'SEAL' ? `seals ${write.put.sk}` : `puts ${nameOf(write.put)}`;
  if ('delete' in write) return `deletes ${nameOf(write.delete)}`;
  return write.add ? 'takes a ticket' : `sets ${summary(write.set)}`;
};

export const parkedTable = ({
  clock,
  split,
  showsTransactionsWhole,
  freeze,
  fault,
  onItem,
  onAnswer,
}: ParkedTableOptions) => {
  const shadow = new Map<string, Item>();
  const parked = new Set<Parked>();
  const crashed = new Set<string>();
  const frozen = new Set<string>();
  const thawing = new Map<string, () => void>();
  const canFreeze = (process: string) => freeze.includes(process) && !frozen.has(process);
  const veil = createVeil();
  let acting = '';
  let transactions = 0;
  let faultLeft = fault !== undefined;
  let tokens = 0;

  const table = memoryTable({
    clock,
    persist: ({ put, deleted }) => {
      for (const key of deleted) {
        shadow.delete(nameOf(key));
        onItem({ pk: key.pk, sk: key.sk }, acting);
      }
      for (const item of put) {
        shadow.set(nameOf(item), item);
        onItem(item, acting);
      }
    },
  });

  const park = (process: string, steps: Step[], isSent = false) => {
    if (crashed.has(process) && !isSent) return;
    const parking: Parked = { process, isSent, steps: [] };
    parking.steps = steps.map(({ label, take }) => ({
      label: `${process} ${label}`,
      take: () => {
        parked.delete(parking);
        acting = process;
        take();
      },
    }));
    parked.add(parking);
  };

  const answering =
    (process: string, resolve: (value: never) => void, reject: (error: unknown) => void) =>
    (outcome: Promise<unknown>): Promise<void> =>
      outcome.then(
        (value) => {
          onAnswer(process, summary(value));
          if (!crashed.has(process)) resolve(value as never);
        },
        (error: Error) => {
          onAnswer(process, `${error.name} ${summary(error)}`);
          if (!crashed.has(process)) reject(error);
        },
      );

  /** Applies the call now; the process receives its response when it thaws. */
  const freezing = (
    process: string,
    label: string,
    take: () => Promise<unknown>,
    answer: (o: Promise<unknown>) => void,
  ) => ({
    label: `${label} and freezes`,
    take: () => {
      frozen.add(process);
      const outcome = take();
      const heldBy = `${process}, frozen,`;
      outcome.then(
        (value) => onAnswer(heldBy, summary(value)),
        (error: Error) => onAnswer(heldBy, `${error.name} ${summary(error)}`),
      );
      thawing.set(process, () => answer(outcome));
    },
  });

  const call = <T>(process: string, label: string, perform: () => Promise<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const answer = answering(process, resolve as never, reject);
      park(process, [
        { label, take: () => void answer(perform()) },
        ...(canFreeze(process) ? [freezing(process, label, perform, answer)] : []),
      ]);
    });

  /** Applies it, and hides all but `shown` from queries until `reveal`. */
  const begin = async (token: string, writes: Write[], shown: (key: ItemKey) => boolean) => {
    const keys = writes.flatMap((write) => ('put' in write ? [{ pk: write.put.pk, sk: write.put.sk }] : []));
    const before = keys.map((key) => shadow.get(nameOf(key)));
    await table.transact(token, writes);
    const number = String(transactions++);
    keys.forEach((key, index) => {
      if (!shown(key)) veil.hide(number, key, before[index]);
    });
    const reveal = () => {
      for (const key of keys) veil.reveal(number, key);
    };
    return { reveal };
  };

  const transact = (process: string, token: string, writes: Write[]): Promise<void> =>
    new Promise<void>((resolve, reject) => {
      const answer = answering(process, resolve as never, reject);
      const isSlot = ({ pk }: ItemKey) => pk.startsWith('l#');
      const splitStep = (label: string, shown: (key: ItemKey) => boolean): Step => ({
        label: `transacts, ${label} first`,
        take: () =>
          void begin(token, writes, shown).then(
            ({ reveal }) =>
              park(
                process,
                [
                  {
                    label: 'sees its transaction through',
                    take: () => {
                      reveal();
                      void answer(Promise.resolve());
                    },
                  },
                ],
                true,
              ),
            (error: unknown) => answer(Promise.reject(error)),
          ),
      });
      const sendDelayed = (label: string) =>
        park(
          process,
          [
            { label, take: () => void table.transact(token, writes).catch(() => undefined) },
            { label: `${label}: never`, take: () => undefined },
          ],
          true,
        );
      const faulty: Record<Fault, () => void> = {
        'outcome unknown': () => {
          void answer(Promise.reject(new OutcomeUnknown()));
          sendDelayed('transaction arrives late');
        },
        'late copy': () => {
          void answer(table.transact(token, writes));
          sendDelayed('copy arrives late');
        },
        'sent twice': () => {
          const first = table.transact(token, writes).catch(() => undefined);
          void first.then(() => answer(table.transact(`again-${tokens++}`, writes)));
        },
      };
      park(process, [
        ...(canFreeze(process) ? [freezing(process, 'transacts', () => table.transact(token, writes), answer)] : []),
        ...(split.includes(process)
          ? [splitStep('its object', (key) => !isSlot(key)), splitStep('its slot', isSlot)]
          : [{ label: 'transacts', take: () => void answer(table.transact(token, writes)) }]),
        ...(faultLeft && fault?.process === process ? fault.kinds : []).map((kind) => ({
          label: `transacts, ${kind}`,
          take: () => {
            faultLeft = false;
            faulty[kind]();
          },
        })),
      ]);
    });

  return {
    of: (process: string): Table => ({
      showsTransactionsWhole,
      get: (key, options) => call(process, `gets ${nameOf(key)}`, () => table.get(key, options)),
      query: (query) => call(process, `queries ${query.pk}`, () => veil.query(table, query)),
      write: (write) => call(process, describe(write), () => table.write(write)),
      transact: (token, writes) => transact(process, token, writes),
    }),
    steps: (): Step[] =>
      [...parked].flatMap(({ process, steps }) => {
        if (!faultLeft)
          return steps.filter(({ label }) => !fault?.kinds.some((kind) => label === `${process} transacts, ${kind}`));
        return steps;
      }),
    isBusy: () => parked.size > 0,
    hasParked: (process: string) => [...parked].some((parking) => parking.process === process && !parking.isSent),
    /** Stops the process; its pending calls are applied or not, as before. */
    crash: (process: string) => {
      crashed.add(process);
      for (const parking of parked) if (parking.process === process && !parking.isSent) parked.delete(parking);
    },
    isFrozen: () => thawing.size > 0,
    thawSteps: (): Step[] =>
      [...thawing].map(([process, answer]) => ({
        label: `${process} thaws`,
        take: () => {
          thawing.delete(process);
          answer();
        },
      })),
    /** Ends partial visibility after a short time. */
    showAll: () => veil.showAll(),
    shadow,
    fingerprint: () =>
      [
        ...[...shadow.values()].map(summary).sort(),
        ...veil.hidden(),
        ...[...parked].flatMap(({ steps }) => steps.map(({ label }) => label)).sort(),
        faultLeft,
        ...frozen,
        ...thawing.keys(),
      ].join('\n'),
  };
};

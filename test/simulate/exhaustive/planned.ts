/** Injects one fault once, at one of its occasions. */
import { dice } from '../dice.ts';
import { type FaultName, type Faults, faultNames, noneFired } from '../faults/index.ts';
import { type Sweep, type SweepName, sweepNames, sweeps } from './sweeps.ts';

export interface Strike {
  sweep: SweepName;
  /** The index of the occasion within the sweep. */
  occasion: number;
}

export interface PlannedFaults extends Faults {
  /** Where each sweep could have struck, in order. */
  readonly occasions: Readonly<Record<SweepName, readonly string[]>>;
}

/** A table asks for the rate of these instead of drawing them here. */
const asked: readonly FaultName[] = ['table.split', 'table.unknown'];

const byFault = new Map(
  faultNames.map((name) => [name, sweepNames.filter((sweep) => sweeps[sweep].fault === name)] as const),
);

/** Without `planned` no fault strikes. */
export const planFault = (seed: number, planned?: Strike): PlannedFaults => {
  const { still }: Partial<Sweep> = planned ? sweeps[planned.sweep] : {};
  const streams = new Map<FaultName, ReturnType<typeof dice>>();
  const fired = noneFired();
  const occasions = Object.fromEntries(sweepNames.map((name) => [name, []])) as unknown as Record<SweepName, string[]>;
  let isOver = false;
  const strikes = (name: FaultName, where = ''): boolean => {
    if (isOver) return false;
    let isNow = false;
    for (const sweep of byFault.get(name)!) {
      const { at }: Sweep = sweeps[sweep];
      if (at && !at.test(where)) continue;
      const number = occasions[sweep].push(where) - 1;
      if (planned?.sweep === sweep && planned.occasion === number) isNow = true;
    }
    if (isNow) fired[name] += 1;
    return isNow;
  };
  return {
    strikes,
    rate: (name) => (asked.includes(name) && strikes(name) ? 1 : 0),
    dice: (name) => {
      const stream = streams.get(name) ?? dice(seed, `fault ${name}`);
      streams.set(name, stream);
      return still === undefined ? stream : { ...stream, spread: () => still };
    },
    struck: () => {},
    calm: () => {
      isOver = true;
    },
    get isCalm() {
      return isOver;
    },
    end: () => {},
    isOver: true,
    fired,
    occasions,
  };
};

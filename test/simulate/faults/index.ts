/** The faults of one run: which there are, how likely, and how often each struck. */
import { type Dice, dice } from '../dice.ts';
import { catalogue, type FaultName, faultNames } from './catalogue.ts';

export * from './catalogue.ts';

export interface Faults {
  /** Whether it happens now; `at` says to what. */
  strikes(name: FaultName, at?: string): boolean;
  /** Its chance now: 0 when it is off. */
  rate(name: FaultName): number;
  /** For what it does when it strikes. */
  dice(name: FaultName): Dice;
  /** It happened where chance was asked elsewhere. */
  struck(name: FaultName): void;
  /** No fault happens from now on. */
  calm(): void;
  readonly isCalm: boolean;
  /** Everybody is done: what still stands still goes on. */
  end(): void;
  readonly isOver: boolean;
  readonly fired: Readonly<Record<FaultName, number>>;
}

export interface FaultsOptions {
  seed: number;
  /** These and no others. */
  only?: readonly FaultName[] | undefined;
  onStrike?: (name: FaultName) => void;
}

export const noneFired = () => Object.fromEntries(faultNames.map((name) => [name, 0])) as Record<FaultName, number>;

/** Of one kind in one run, lest it be about nothing else. */
const most = 300;

/**
 * Each run has some of the faults: what happens together is not always the same. One in ten has none at all.
 */
export const createFaults = ({ seed, only, onStrike }: FaultsOptions): Faults => {
  const draw = dice(seed, 'faults');
  const isQuiet = draw.chance(0.1);
  const wildness = draw.next();
  const drawn = faultNames.map((name) => {
    const [low, high] = catalogue[name].rate;
    const own = draw.next();
    const isOn = draw.chance(0.45) && !isQuiet;
    return [
      name,
      isOn && (!only || only.includes(name)) ? low * (high / low) ** (own * (0.4 + 0.6 * wildness)) : 0,
    ] as const;
  });
  const streams = new Map(faultNames.map((name) => [name, dice(seed, `fault ${name}`)]));
  /** Those that may still strike, and how likely: they are asked for at every step of everybody. */
  const possible = new Map(drawn.filter(([, chance]) => chance > 0));
  const fired = noneFired();
  let isCalm = false;
  let isOver = false;
  const struck = (name: FaultName) => {
    fired[name] += 1;
    if (fired[name] >= most) possible.delete(name);
    onStrike?.(name);
  };
  return {
    strikes: (name) => {
      const chance = possible.get(name);
      if (chance === undefined || !streams.get(name)!.chance(chance)) return false;
      struck(name);
      return true;
    },
    rate: (name) => possible.get(name) ?? 0,
    dice: (name) => streams.get(name)!,
    struck,
    calm: () => {
      isCalm = true;
      possible.clear();
    },
    get isCalm() {
      return isCalm;
    },
    end: () => {
      isOver = true;
    },
    get isOver() {
      return isOver;
    },
    fired,
  };
};

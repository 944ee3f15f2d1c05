/** The faults of one run: which may strike, how likely, and how often each struck. */
import { type Dice, dice } from '../dice.ts';
import { catalogue, type FaultName, faultNames } from './catalogue.ts';

export * from './catalogue.ts';

export interface Faults {
  /** Draws whether the fault strikes now; `at` names the call. */
  strikes(name: FaultName, at?: string): boolean;
  /** The probability now: 0 when the fault is off. */
  rate(name: FaultName): number;
  /** The draws for the details of a fault that strikes. */
  dice(name: FaultName): Dice;
  /** Records a fault that another component drew. */
  struck(name: FaultName): void;
  /** Disables all faults from now on. */
  calm(): void;
  readonly isCalm: boolean;
  /** Ends the run: frozen workers resume. */
  end(): void;
  readonly isOver: boolean;
  readonly fired: Readonly<Record<FaultName, number>>;
}

export interface FaultsOptions {
  seed: number;
  /** Only these faults may strike. */
  only?: readonly FaultName[] | undefined;
  onStrike?: (name: FaultName) => void;
}

export const noneFired = () => Object.fromEntries(faultNames.map((name) => [name, 0])) as Record<FaultName, number>;

/** The limit for one fault in one run, so that it does not dominate the run. */
const most = 300;

/**
 * Each run enables some of the faults, so that their combinations vary. One run in ten has no
 * faults.
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
  /**
   * The faults that may still strike, with their probabilities. Every call looks here, so it holds
   * only those.
   */
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

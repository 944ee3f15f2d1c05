/**
 * An event source mapping or a schedule: a request takes effect after a while, and reads show it a
 * little later.
 */
import type { Switch } from '../../../adapters/aws/timers/awake.ts';
import type { Clock } from '../../../machinery/ports.ts';
import type { Dice } from '../dice.ts';

export interface SiteSwitch extends Switch {
  readonly isOn: boolean;
  /** Called when it becomes enabled. */
  onEnable(listen: () => void): void;
}

const slowest = 60_000;
const visibleAfter = 5_000;

export const createSwitch = (clock: Clock, dice: Dice): SiteSwitch => {
  let wanted = true;
  let seen = true;
  let isOn = true;
  const listeners: (() => void)[] = [];
  const set = (next: boolean) => {
    if (next === wanted) return;
    wanted = next;
    clock.after(dice.next() * visibleAfter, () => {
      seen = wanted;
    });
    clock.after(dice.spread(500, slowest), () => {
      if (isOn === wanted) return;
      isOn = wanted;
      if (isOn) for (const listen of listeners) listen();
    });
  };
  return {
    get isOn() {
      return isOn;
    },
    onEnable: (listen) => void listeners.push(listen),
    enable: async () => set(true),
    disable: async () => set(false),
    keep: async (enabled) => {
      if (seen !== enabled) set(enabled);
    },
  };
};

/** Combines several switches into one. */
export const together = (...switches: Switch[]): Switch => ({
  enable: async () => {
    for (const one of switches) await one.enable();
  },
  disable: async () => {
    for (const one of switches) await one.disable();
  },
  keep: async (enabled) => {
    for (const one of switches) await one.keep(enabled);
  },
});

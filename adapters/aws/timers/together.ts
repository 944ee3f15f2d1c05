import type { Switch } from './awake.ts';

/** Several as one: switched on in this order, and off in the opposite one. */
export const together = (...switches: readonly Switch[]): Switch => {
  const inTurn = async (all: readonly Switch[], run: (one: Switch) => Promise<void>) => {
    for (const one of all) await run(one);
  };
  const off = switches.toReversed();
  return {
    enable: () => inTurn(switches, (one) => one.enable()),
    disable: () => inTurn(off, (one) => one.disable()),
    keep: (enabled) => inTurn(enabled ? switches : off, (one) => one.keep(enabled)),
  };
};

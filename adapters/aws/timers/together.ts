import type { Switch } from './awake.ts';

/** Combines switches: enables them in order, disables them in reverse order. */
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

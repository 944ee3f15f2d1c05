import type { Switch } from '../adapters/aws/timers/awake.ts';
import type { Switches } from './runtime/switches.ts';

export const silent: Switch = { enable: async () => {}, disable: async () => {}, keep: async () => {} };

/** Records the switches in order. */
export const recordedSwitches = (switched: string[]): Switches => {
  const switchOf = (what: string): Switch => ({
    enable: async () => void switched.push(`${what} on`),
    disable: async () => void switched.push(`${what} off`),
    keep: async (isOn) => void switched.push(`${what} kept ${isOn ? 'on' : 'off'}`),
  });
  return { mappings: switchOf('mappings'), schedules: switchOf('schedules'), slow: switchOf('slow') };
};

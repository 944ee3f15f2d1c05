/** Each rule of a protocol switched off. */
import { awakeRules } from '../../../adapters/aws/timers/awake.ts';
import { workRules } from '../../../machinery/controller/work.ts';
import { rules as storeRules } from '../../../machinery/store/rules.ts';
import type { Mutant } from '../mutant.ts';

const switchedOff = (
  area: string,
  file: string,
  [name, rules]: [string, object],
  suites: readonly string[],
): Mutant[] =>
  Object.entries(rules)
    .filter(([, value]) => value === true)
    .map(([rule]) => ({
      name: `${area} without the rule ${rule}`,
      file,
      in: name,
      replace: `${rule}: true`,
      by: `${rule}: false`,
      suites,
    }));

export const ruleMutants: readonly Mutant[] = [
  ...switchedOff('the store', 'machinery/store/rules.ts', ['rules', storeRules], ['test/model/store']),
  ...switchedOff(
    'the work items',
    'machinery/controller/work.ts',
    ['workRules', workRules],
    ['machinery/controller', 'test/model/work'],
  ),
  ...switchedOff('sleep', 'adapters/aws/timers/awake.ts', ['awakeRules', awakeRules], ['test/model/awake']),
];

/** Each rule of a protocol switched off. */
import { awakeRules } from '../../../adapters/aws/timers/awake.ts';
import { workRules } from '../../../machinery/controller/work.ts';
import { rules as storeRules } from '../../../machinery/store/rules.ts';
import type { Mutant } from '../mutant.ts';

const switchedOff = (area: string, file: string, rules: object, suites: readonly string[]): Mutant[] =>
  Object.entries(rules)
    .filter(([, value]) => value === true)
    .map(([rule]) => ({
      name: `${area} without the rule ${rule}`,
      file,
      find: `  ${rule}: true,`,
      replace: `  ${rule}: false,`,
      suites,
    }));

export const ruleMutants: readonly Mutant[] = [
  ...switchedOff('the store', 'machinery/store/rules.ts', storeRules, ['test/model/store']),
  ...switchedOff('the work items', 'machinery/controller/work.ts', workRules, [
    'machinery/controller',
    'test/model/work',
  ]),
  ...switchedOff('sleep', 'adapters/aws/timers/awake.ts', awakeRules, ['test/model/awake']),
];

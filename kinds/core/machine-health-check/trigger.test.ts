import { expect, it } from 'vitest';
import type { MachineHealthCheck } from './schema.ts';
import { triggerOf } from './trigger.ts';

type TriggerIf = NonNullable<NonNullable<NonNullable<MachineHealthCheck['spec']>['remediation']>['triggerIf']>;
const check = (triggerIf?: TriggerIf) => ({ spec: { remediation: { triggerIf } } }) as MachineHealthCheck;
const exceeds = (total: number, unhealthy: number, most: number | string) =>
  `Remediation is not allowed, the number of not started or unhealthy machines exceeds maxUnhealthy (total: ${total}, unhealthy: ${unhealthy}, maxUnhealthy: ${most})`;

it.each([
  { rule: 'no limit by default', expected: 3, healthy: 0, unhealthy: 3, left: 0 },
  { rule: 'no targets', expected: 0, healthy: 0, unhealthy: 0, left: 0 },
  { rule: 'a count', triggerIf: { unhealthyLessThanOrEqualTo: 2 }, expected: 5, healthy: 4, unhealthy: 1, left: 1 },
  {
    rule: 'a count that is exceeded',
    triggerIf: { unhealthyLessThanOrEqualTo: 0 },
    expected: 5,
    healthy: 4,
    unhealthy: 1,
    message: exceeds(5, 1, 0),
  },
  {
    rule: 'a percentage, rounded down',
    triggerIf: { unhealthyLessThanOrEqualTo: '40%' },
    expected: 4,
    healthy: 3,
    unhealthy: 1,
    left: 0,
  },
  {
    rule: 'starting Machines, which count as unhealthy',
    triggerIf: { unhealthyLessThanOrEqualTo: '40%' },
    expected: 4,
    healthy: 2,
    unhealthy: 1,
    message: exceeds(4, 1, '40%'),
  },
  { rule: 'a range', triggerIf: { unhealthyInRange: '[1-3]' }, expected: 5, healthy: 3, unhealthy: 2, left: 1 },
  {
    rule: 'a range that is not reached',
    triggerIf: { unhealthyInRange: '[2-3]' },
    expected: 5,
    healthy: 4,
    unhealthy: 1,
    message:
      'Remediation is not allowed, the number of not started or unhealthy machines does not fall within the range (total: 5, unhealthy: 1, unhealthyRange: [2-3])',
  },
])('limits remediation by $rule', ({ triggerIf, expected, healthy, unhealthy, left = 0, message = '' }) =>
  expect(triggerOf(check(triggerIf), { expected, healthy, unhealthy })).toEqual({
    isAllowed: message === '',
    remediationsAllowed: left,
    message,
  }));

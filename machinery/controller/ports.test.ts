import { expect, it } from 'vitest';
import { failureOf } from './ports.ts';

it.each([
  { rule: 'the port of the failed call', error: new Error('no'), port: 'workload' },
  {
    rule: 'the port whose precondition failed',
    error: Object.assign(new Error('no'), { refusedBy: 'installation' }),
    port: 'installation',
  },
])('a failure names $rule', ({ error, port }) =>
  expect(failureOf('workload', 'delete', error, 7)).toEqual({
    port,
    operation: 'delete',
    code: 'Error',
    message: 'no',
    at: 7,
  }));

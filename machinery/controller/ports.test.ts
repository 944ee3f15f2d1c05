import { expect, it } from 'vitest';
import { failureOf } from './ports.ts';

it.each([
  { rule: 'the port that was called', error: new Error('no'), port: 'workload' },
  {
    rule: 'what kept it from being called',
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

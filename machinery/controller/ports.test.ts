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

it('a failure says that what failed belongs to a user', () =>
  expect(failureOf('workload', 'get', Object.assign(new Error('no'), { isExternal: true }), 7).isExternal).toBe(true));

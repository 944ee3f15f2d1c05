import { expect, it } from 'vitest';
import { entryOf } from './log.ts';

it.each([
  { rule: 'prints strings as they are', keys: { Machine: 'default/a b' }, shows: 'Machine=default/a b' },
  { rule: 'prints other values as JSON', keys: { from: 2, to: [3] }, shows: 'from=2 to=[3]' },
  { rule: 'includes the message of an error', keys: { error: new TypeError('no such thing') }, shows: 'no such thing' },
  { rule: 'includes the stack of an error', keys: { error: new Error('x') }, shows: 'log.test.ts' },
])('an entry $rule', ({ keys, shows }) => expect(entryOf('error', 'It failed', keys)).toContain(shows));

import { expect, it } from 'vitest';
import { entryOf } from './log.ts';

it.each([
  { rule: 'shows texts as they are', keys: { Machine: 'default/a b' }, shows: 'Machine=default/a b' },
  { rule: 'shows other values as JSON', keys: { from: 2, to: [3] }, shows: 'from=2 to=[3]' },
  { rule: 'never hides what an error says', keys: { error: new TypeError('no such thing') }, shows: 'no such thing' },
  { rule: 'shows where an error came from', keys: { error: new Error('x') }, shows: 'log.test.ts' },
])('an entry $rule', ({ keys, shows }) => expect(entryOf('error', 'It failed', keys)).toContain(shows));

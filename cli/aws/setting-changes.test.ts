import { expect, it } from 'vitest';
import { renderSettings } from './setting-changes.ts';

it('names each setting that changes, with both values', () => {
  const before = { administrators: 'a', viewers: 'b', tracing: 'true' };
  expect(renderSettings(before, { administrators: 'a,c', tracing: 'true', watches: '4' })).toEqual([
    'Settings',
    '  ~ administrators: a → a,c',
    '  ~ viewers: b → its default',
    '  ~ watches: its default → 4',
    '',
  ]);
});

it('says nothing of settings that stay', () => {
  expect(renderSettings({ administrators: 'a' }, { administrators: 'a' })).toEqual([]);
});

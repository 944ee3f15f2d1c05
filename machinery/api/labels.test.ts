import { describe, expect, it } from 'vitest';
import { formatLabelSelector, labelMatcher, parseLabelSelector } from './labels.ts';

describe('parseLabelSelector', () => {
  const labels = { app: 'a', tier: 'web', n: '5', empty: '' };
  it.each([
    ['', true],
    ['app=a', true],
    ['app==a,tier!=db', true],
    ['app in (a,b),!missing', true],
    ['app notin (a)', false],
    ['missing notin (a)', true],
    ['missing!=a', true],
    ['missing', false],
    ['tier', true],
    ['empty=', true],
    ['empty in (,x)', true],
    ['n>4,n<6', true],
    ['n>5', false],
    ['__proto__', false],
  ])('%s', (selector, matches) => {
    if (selector === '__proto__') expect(() => parseLabelSelector(selector)).toThrow(/name part/);
    else expect(parseLabelSelector(selector)(labels)).toBe(matches);
  });

  it.each(['a b', '=', 'a in b', 'a in (b', ',', 'a,', 'a=x y', '!', 'a>x', '_a=b', 'a=-'])('refuses %j', (selector) =>
    expect(() => parseLabelSelector(selector)).toThrow());
});

describe('labelMatcher', () => {
  it.each([
    { rule: 'matches nothing without a selector', selector: undefined, matches: false },
    { rule: 'matches everything with an empty selector', selector: {}, matches: true },
    { rule: 'requires every label', selector: { matchLabels: { a: '1', b: '2' } }, matches: false },
    {
      rule: 'supports set expressions',
      selector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['1'] }] },
      matches: true,
    },
    {
      rule: 'supports DoesNotExist',
      selector: { matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] },
      matches: false,
    },
  ])('$rule', ({ selector, matches }) => expect(labelMatcher(selector)({ a: '1' })).toBe(matches));

  it('prints an equivalent selector string', () => {
    const selector = {
      matchLabels: { a: '1' },
      matchExpressions: [{ key: 'b', operator: 'NotIn', values: ['y', 'x'] }],
    };
    expect(formatLabelSelector(selector)).toBe('a=1,b notin (x,y)');
    expect(parseLabelSelector(formatLabelSelector(selector))({ a: '1', b: 'z' })).toBe(true);
  });
});

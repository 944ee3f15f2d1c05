import { describe, expect, it } from 'vitest';
import { type Context, changedIn, deployedIn, mergedContext } from './context.ts';

const metadata = (more: object) => JSON.stringify({ Metadata: more });

describe('the context of a deployment', () => {
  it.each<{ rule: string; deployed: Context; given: Context; is: Context }>([
    { rule: 'keeps what is deployed', deployed: { a: '1' }, given: {}, is: { a: '1' } },
    { rule: 'takes what is given', deployed: { a: '1', b: '2' }, given: { a: '3' }, is: { a: '3', b: '2' } },
    {
      rule: 'returns to the default for an empty value',
      deployed: { a: '1', b: '2' },
      given: { a: '' },
      is: { b: '2' },
    },
  ])('$rule', ({ deployed, given, is }) => expect(mergedContext(deployed, given)).toEqual(is));

  it('names what differs', () => {
    expect(changedIn({ a: '1', b: '2', c: '3' }, { b: '2', c: '4', d: '5' })).toEqual(['a', 'c', 'd']);
  });

  it.each([
    { of: 'no template', template: undefined },
    { of: 'YAML', template: 'Resources: {}' },
    { of: 'another product', template: metadata({ 'capstan.dev/context': ['a'], 'capstan.dev/named': 'a' }) },
  ])('is empty in $of', ({ template }) => expect(deployedIn(template)).toEqual({ context: {}, named: [] }));

  it('is read from the template that recorded it', () => {
    const recorded = { 'capstan.dev/context': { sts: 'true' }, 'capstan.dev/named': ['sts'] };
    expect(deployedIn(metadata(recorded))).toMatchObject({ context: { sts: 'true' }, named: ['sts'] });
  });

  it.each([
    { rule: 'keeps the key of an installation that is older than keys of several regions', recorded: {}, is: 'false' },
    { rule: 'keeps a recorded key', recorded: { multiRegionKey: 'true' }, is: 'true' },
  ])('$rule', ({ recorded, is }) =>
    expect(deployedIn(metadata({ 'capstan.dev/context': recorded })).context.multiRegionKey).toBe(is));
});

import { describe, expect, it } from 'vitest';
import { openWorld, refusal } from './account.fixture.ts';
import { globMatches } from './filters.ts';

describe('wildcards', () => {
  it.each([
    { pattern: 'capa-ami-ubuntu-24.04-?1.35.0-*', text: 'capa-ami-ubuntu-24.04-v1.35.0-1700000000', matches: true },
    { pattern: 'capa-ami-ubuntu-24.04-?1.35.0-*', text: 'capa-ami-ubuntu-24.04-1.35.0-1700000000', matches: true },
    { pattern: 'capa-ami-ubuntu-24.04-?1.35.0-*', text: 'capa-ami-ubuntu-24.04-v1.35.01-17', matches: false },
    { pattern: '*', text: '', matches: true },
    { pattern: 'a*b*c', text: 'aXbXbXc', matches: true },
    { pattern: 'a*b*c', text: 'aXcXb', matches: false },
    { pattern: 'a?', text: 'abc', matches: false },
    { pattern: 'a.c', text: 'abc', matches: false },
    { pattern: 'a\\*', text: 'a*', matches: true },
    { pattern: 'a\\*', text: 'ab', matches: false },
    { pattern: '*a*a*a*a*a*a*a*a*a*a*b', text: 'a'.repeat(5000), matches: false },
  ])('$pattern', ({ pattern, text, matches }) => {
    expect(globMatches(pattern, text)).toBe(matches);
  });
});

it('refuses an unknown filter', async () => {
  const world = openWorld();
  const ask = (Name: string) => refusal(world.call('DescribeVpcs', { Filters: [{ Name, Values: ['x'] }] }));
  expect(await ask('vpcid')).toBe('InvalidParameterValue');
  expect(await ask('constructor')).toBe('InvalidParameterValue');
});

it.each([
  { rule: 'a page of fewer than five', input: { MaxResults: 4 }, code: 'InvalidParameterValue' },
  { rule: 'a page of more than a thousand', input: { MaxResults: 1001 }, code: 'InvalidParameterValue' },
  {
    rule: 'a page of resources selected by ID',
    input: { MaxResults: 5, InstanceIds: ['i-00000000'] },
    code: 'InvalidParameterCombination',
  },
  { rule: 'an unknown page token', input: { NextToken: 'x' }, code: 'InvalidNextToken' },
  { rule: 'an ID of another type', input: { InstanceIds: ['vpc-00000000'] }, code: 'InvalidInstanceID.Malformed' },
  { rule: 'an ID that is too short', input: { InstanceIds: ['i-1'] }, code: 'InvalidInstanceID.Malformed' },
  { rule: 'an empty ID', input: { InstanceIds: [''] }, code: 'MissingParameter' },
])('refuses $rule', async ({ input, code }) => {
  expect(await refusal(openWorld().call('DescribeInstances', input))).toBe(code);
});

import { describe, expect, it } from 'vitest';
import { additionalTags, appliedNote, appliedTags, appliedTagsAnnotation, tagSteps } from './additional-tags.ts';
import { tagList } from './tags.ts';

const noted = (text: string) => ({ [appliedTagsAnnotation]: text });
const pending = { 'vpc/tags': { since: 1, tried: 1 } };

describe('what is noted of tags that were put on', () => {
  it.each([
    { rule: 'is a map', text: '{"team":"a"}', applied: { team: 'a' } },
    { rule: 'is nothing that is no text', text: '{"team":"a","n":1}', applied: { team: 'a' } },
    { rule: 'is not known where somebody wrote something else', text: 'team=a', applied: undefined },
    { rule: 'is not known of a list', text: '["team"]', applied: undefined },
  ])('$rule', ({ text, applied }) => expect(appliedTags(noted(text))).toEqual(applied));
  it('is not known without a note', () => expect(appliedTags(undefined)).toBeUndefined());
});

type Tags = Record<string, string>;

describe('of tags that are asked for', () => {
  it.each<{ rule: string; asked: Tags; applied: Tags; surplus: string[] }>([
    {
      rule: 'those that were there before are surplus',
      asked: { a: '1' },
      applied: { a: '1', b: '2' },
      surplus: ['b'],
    },
    { rule: 'one with another value is none', asked: { a: '2' }, applied: { a: '1' }, surplus: [] },
    {
      rule: 'what things are found and proven by is never a user’s',
      asked: { Name: 'x', 'capstan.dev/installation': 'x', a: '1' },
      applied: {
        'kubernetes.io/cluster/demo': 'owned',
        'kubernetes.io/role/elb': '1',
        'capstan.dev/cluster-uid': 'u',
        'sigs.k8s.io/cluster-api-provider-aws/role': 'node',
        'sigs.k8s.io/cluster-api-provider-aws/cluster/demo': 'owned',
        MachineName: 'default/one',
      },
      surplus: [],
    },
  ])('$rule', ({ asked, applied, surplus }) =>
    expect(additionalTags(asked, applied, 'demo')).toEqual({
      wanted: Object.fromEntries(Object.entries(asked).filter(([key]) => key === 'a')),
      surplus,
    }));
});

describe('the note', () => {
  const steps = [{ key: 'vpc/surplus-tags', actions: () => [] }];
  it.each<{
    rule: string;
    applied: Tags;
    wanted: Tags;
    surplus: string[];
    says: Tags | undefined;
    steps?: typeof steps;
    pending?: typeof pending;
  }>([
    { rule: 'says what is wanted', applied: {}, wanted: { a: '1' }, surplus: [], says: { a: '1' } },
    { rule: 'is left as it is', applied: { a: '1' }, wanted: { a: '1' }, surplus: [], says: undefined },
    { rule: 'is not made for nothing', applied: {}, wanted: {}, surplus: [], says: undefined },
    { rule: 'forgets what nothing carries', applied: { b: '2' }, wanted: {}, surplus: ['b'], says: {} },
    { rule: 'keeps what something carries', steps, applied: { b: '2' }, wanted: {}, surplus: ['b'], says: undefined },
    {
      rule: 'keeps what something may carry that does not show it yet',
      pending,
      applied: { b: '2' },
      wanted: { a: '1' },
      surplus: ['b'],
      says: { a: '1', b: '2' },
    },
  ])('$rule', ({ applied, wanted, surplus, says, steps: left = [], pending: announced = {} }) => {
    const note = appliedNote(applied, { wanted, surplus }, left, announced);
    expect(note).toEqual(says === undefined ? {} : noted(JSON.stringify(says)));
  });
});

it.each<{ rule: string; there: Tags; does: unknown[] }>([
  { rule: 'nothing is done where all is as it should be', there: { a: '1', x: '9' }, does: [] },
  { rule: 'what is missing is put on', there: {}, does: [['one/tags', { a: '1' }]] },
  { rule: 'another value is put right', there: { a: '2' }, does: [['one/tags', { a: '1' }]] },
  {
    rule: 'what is surplus is taken off, whatever its value is by now',
    there: { a: '1', b: 'changed' },
    does: [['one/surplus-tags', ['b']]],
  },
])('$rule', ({ there, does }) => {
  const steps = tagSteps(
    { key: 'one', there: tagList(there), wanted: { a: '1' }, surplus: ['b'] },
    (tags) => ({ put: Object.fromEntries(tags.map(({ Key, Value }) => [Key, Value])) }) as never,
    (keys) => ({ take: keys }) as never,
  );
  const done = steps.map(({ key, actions }) => {
    const [{ put, take }] = actions(0) as unknown as [{ put?: Tags; take?: string[] }];
    return [key, put ?? take];
  });
  expect(done).toEqual(does);
});

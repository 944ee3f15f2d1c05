import { describe, expect, it } from 'vitest';
import {
  appliedTags,
  appliedTagsAnnotation,
  differenceOf,
  type Tagger,
  tagPlan,
  tagSteps,
  untilForgotten,
} from './additional-tags.ts';
import type { Pending } from './step.ts';
import { tagList, tagMap } from './tags.ts';

type Tags = Record<string, string>;
const noted = (text: string) => ({ [appliedTagsAnnotation]: text });

describe('the record of applied tags', () => {
  it.each([
    { rule: 'is a map', text: '{"team":"a"}', applied: { team: 'a' } },
    { rule: 'skips values that are not strings', text: '{"team":"a","n":1}', applied: { team: 'a' } },
    { rule: 'is unknown when a user wrote something else', text: 'team=a', applied: undefined },
    { rule: 'is unknown for a list', text: '["team"]', applied: undefined },
  ])('$rule', ({ text, applied }) => expect(appliedTags(noted(text))).toEqual(applied));
  it('is unknown without an annotation', () => expect(appliedTags(undefined)).toBeUndefined());
});

describe('of the requested tags', () => {
  it.each<{ rule: string; asked: Tags; applied: Tags; surplus: string[] }>([
    {
      rule: 'tags that were applied before are surplus',
      asked: { a: '1' },
      applied: { a: '1', b: '2' },
      surplus: ['b'],
    },
    { rule: 'a tag with another value is not surplus', asked: { a: '2' }, applied: { a: '1' }, surplus: [] },
    {
      rule: 'identity and ownership tags are never the user’s',
      asked: { Name: 'x', 'capstan.dev/installation': 'x', 'Capstan.dev/Purpose': 'bastion', MachineName: 'x', a: '1' },
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
    expect(differenceOf(asked, applied, 'demo')).toEqual({
      wanted: Object.fromEntries(Object.entries(asked).filter(([key]) => key === 'a')),
      surplus,
    }));
});

describe('the record', () => {
  const now = 10_000_000;
  const planned = (applied: Tags, wanted: Tags, surplus: string[], { age = 0, carried = false } = {}) => {
    const shown = [tagList({ other: '1' }), tagList(carried ? { b: 'changed' } : {})];
    const plan = (before: Pending) => tagPlan(applied, { wanted, surplus }, { steps: [], shown }, before, now);
    const [key = ''] = plan({}).underway;
    const { note, underway } = plan(age > 0 ? { [key]: { since: now - age * 1000, tried: now - age * 1000 } } : {});
    return { says: note[appliedTagsAnnotation], underway: underway.length };
  };
  it('drops the time since which a tag was surplus when it is requested again', () => {
    const before = { 'surplus-tags/1': { since: 1, tried: 1 }, 'vpc/surplus-tags/1': { since: 1, tried: 1 } };
    const again = tagPlan({ a: '1' }, { wanted: { a: '1' }, surplus: [] }, { steps: [], shown: [] }, before, now);
    expect(again).toMatchObject({ forget: ['surplus-tags/1'], note: {} });
  });
  it.each<{
    rule: string;
    applied: Tags;
    wanted: Tags;
    surplus: string[];
    more?: { age?: number; carried?: boolean };
    says: string | undefined;
    underway: number;
  }>([
    {
      rule: 'contains the requested tags',
      applied: {},
      wanted: { a: '1' },
      surplus: [],
      says: '{"a":"1"}',
      underway: 0,
    },
    {
      rule: 'is unchanged when it is correct',
      applied: { a: '1' },
      wanted: { a: '1' },
      surplus: [],
      says: undefined,
      underway: 0,
    },
    { rule: 'is not created without tags', applied: {}, wanted: {}, surplus: [], says: undefined, underway: 0 },
    {
      rule: 'keeps a tag that may have been applied a moment ago',
      applied: { b: '2' },
      wanted: { a: '1' },
      surplus: ['b'],
      says: '{"a":"1","b":"2"}',
      underway: 1,
    },
    {
      rule: 'keeps it while a pass with a stale record may still apply it',
      applied: { b: '2' },
      wanted: {},
      surplus: ['b'],
      more: { age: 179 },
      says: undefined,
      underway: 1,
    },
    {
      rule: 'drops it when no resource carries it afterwards',
      applied: { b: '2' },
      wanted: {},
      surplus: ['b'],
      more: { age: 180 },
      says: '{}',
      underway: 0,
    },
    {
      rule: 'keeps it while a resource carries it',
      applied: { b: '2' },
      wanted: {},
      surplus: ['b'],
      more: { age: 9000, carried: true },
      says: undefined,
      underway: 1,
    },
  ])('$rule', ({ applied, wanted, surplus, more, says, underway }) =>
    expect(planned(applied, wanted, surplus, more)).toEqual({ says, underway }));
  it('requeues for the time when it can be dropped', () => {
    expect(untilForgotten(now - 60_000, now)).toBe(120);
    expect(untilForgotten(now - 180_000, now)).toBeUndefined();
  });
});

describe('resources with additional tags', () => {
  const tagger = (several: boolean): Tagger => ({
    several,
    put: (ids, tags) => ({ ids, put: tagMap(tags) }) as never,
    take: (ids, keys) => ({ ids, take: keys }) as never,
  });
  const now = 10_000_000;
  const stepsFor = (several: boolean, things: Record<string, Tags>, before: Pending = {}) =>
    tagSteps(
      Object.entries(things).map(([id, there]) => ({
        sort: 'subnet',
        ids: [id],
        there: tagList(there),
        wanted: { a: '1' },
        surplus: ['b'],
      })),
      tagger(several),
      before,
      now,
    );
  const done = (...of: Parameters<typeof stepsFor>) => stepsFor(...of).flatMap(({ actions }) => actions(0));
  const idsIn = (action: unknown) => (action as { ids: string[] }).ids.join();
  const byId = (a: unknown, b: unknown) => (idsIn(a) < idsIn(b) ? -1 : 1);
  it('are tagged one by one once one of them may be the reason of a failure', () => {
    const things = { one: {}, two: {} };
    const [{ key = '' } = {}] = stepsFor(true, things);
    const announced = (seconds: number) => ({ [key]: { since: now - seconds * 1000, tried: now - 1000 } });
    expect(done(true, things, announced(59))).toHaveLength(1);
    expect(done(true, things, announced(60)).sort(byId)).toMatchObject([{ ids: ['one'] }, { ids: ['two'] }]);
    const apart = stepsFor(true, things, announced(60)).find(({ actions }) => idsIn(actions(0)[0]) === 'one');
    expect(stepsFor(true, { one: {} }, { [apart!.key]: { since: now, tried: now } })).toMatchObject([
      { key: apart!.key },
    ]);
  });
  it.each<{ rule: string; things: Record<string, Tags>; several?: false; does: unknown[] }>([
    { rule: 'are unchanged when they are correct', things: { one: { a: '1', x: '9' } }, does: [] },
    { rule: 'get missing tags', things: { one: {} }, does: [{ ids: ['one'], put: { a: '1' } }] },
    { rule: 'get the right value', things: { one: { a: '2' } }, does: [{ ids: ['one'], put: { a: '1' } }] },
    {
      rule: 'lose surplus tags, whatever their value is by now',
      things: { one: { a: '1', b: 'changed' } },
      does: [{ ids: ['one'], take: ['b'] }],
    },
    {
      rule: 'are tagged in one call when they lack the same tags',
      things: { one: {}, two: { a: '1' }, three: {} },
      does: [{ ids: ['one', 'three'], put: { a: '1' } }],
    },
    {
      rule: 'are tagged one by one where the service accepts one',
      several: false,
      things: { one: {}, two: {} },
      does: [
        { ids: ['one'], put: { a: '1' } },
        { ids: ['two'], put: { a: '1' } },
      ],
    },
  ])('$rule', ({ things, several = true, does }) => {
    const steps = stepsFor(several, things);
    expect(done(several, things).sort(byId)).toEqual(does);
    expect(new Set(steps.map(({ key }) => key)).size).toBe(steps.length);
    expect(steps.every(({ optional }) => optional)).toBe(true);
  });
});

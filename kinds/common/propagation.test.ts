import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../machinery/api/object.ts';
import { type Flowing, flowInto, flowing, flowOn } from './propagation.ts';

interface Situation {
  rule: string;
  into: KubeObject;
  from: Flowing;
  change: object | undefined;
}

const note = 'capstan.dev/from-template';
const template = { labels: { team: 'a' }, annotations: { owner: 'x' } };
const object = (labels: Record<string, string>, annotations: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: 'made', labels, annotations },
});
const made = object(flowing(template).labels, flowing(template).annotations);

describe('what flows from a template into what it made', () => {
  it.each<Situation>([
    { rule: 'is there from the beginning', into: made, from: template, change: undefined },
    {
      rule: 'is more when the template says more',
      into: made,
      from: { labels: { team: 'a', tier: 'b' }, annotations: { owner: 'x', to: 'y' } },
      change: { labels: { tier: 'b' }, annotations: { to: 'y', [note]: 'team,tier;owner,to' } },
    },
    {
      rule: 'takes another value under the same key',
      into: made,
      from: { labels: { team: 'b' }, annotations: { owner: 'y' } },
      change: { labels: { team: 'b' }, annotations: { owner: 'y' } },
    },
    {
      rule: 'is restored when another client changed it',
      into: object({ team: 'mine' }, made.metadata.annotations),
      from: template,
      change: { labels: { team: 'a' } },
    },
    {
      rule: 'goes when the template loses it',
      into: made,
      from: { labels: {}, annotations: {} },
      change: { labels: { team: null }, annotations: { owner: null, [note]: ';' } },
    },
    {
      rule: 'leaves the keys of other clients',
      into: object({ team: 'a', mine: 'z' }, { ...made.metadata.annotations, mine: 'z' }),
      from: template,
      change: undefined,
    },
    {
      rule: 'is taken for new where nothing flowed before',
      into: object({ mine: 'z' }, {}),
      from: template,
      change: { labels: { team: 'a' }, annotations: { owner: 'x', [note]: 'team;owner' } },
    },
  ])('$rule', ({ into, from, change }) => expect(flowInto(into, from)).toEqual(change));
});

describe('what flows on from an object', () => {
  it('is what flowed into it, with the values that it has', () => {
    const more = object({ team: 'b', mine: 'z' }, { ...made.metadata.annotations, mine: 'z' });
    expect(flowOn(more)).toEqual({ labels: { team: 'b' }, annotations: { owner: 'x' } });
  });
  it('is nothing where nothing flowed', () => expect(flowOn(object({ team: 'a' }, {}))).toBeUndefined());
  it('is nothing while some of it is missing, which must not be taken off others', () => {
    expect(flowOn(object({}, made.metadata.annotations))).toBeUndefined();
    const { owner: _, ...annotations } = made.metadata.annotations!;
    expect(flowOn(object({ team: 'a' }, annotations))).toBeUndefined();
  });
});

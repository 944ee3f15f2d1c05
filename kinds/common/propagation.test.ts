import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../machinery/api/object.ts';
import { type Flowing, flowInto, flowing, flowOn } from './propagation.ts';

interface Given {
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

describe('metadata that propagates from a template', () => {
  it.each<Given>([
    { rule: 'is present from the beginning', into: made, from: template, change: undefined },
    {
      rule: 'grows with the template',
      into: made,
      from: { labels: { team: 'a', tier: 'b' }, annotations: { owner: 'x', to: 'y' } },
      change: { labels: { tier: 'b' }, annotations: { to: 'y', [note]: 'team,tier;owner,to' } },
    },
    {
      rule: 'updates the value of an existing key',
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
      rule: 'is removed when the template loses it',
      into: made,
      from: { labels: {}, annotations: {} },
      change: { labels: { team: null }, annotations: { owner: null, [note]: ';' } },
    },
    {
      rule: 'keeps the keys of other clients',
      into: object({ team: 'a', mine: 'z' }, { ...made.metadata.annotations, mine: 'z' }),
      from: template,
      change: undefined,
    },
    {
      rule: 'is treated as new when nothing was propagated before',
      into: object({ mine: 'z' }, {}),
      from: template,
      change: { labels: { team: 'a' }, annotations: { owner: 'x', [note]: 'team;owner' } },
    },
  ])('$rule', ({ into, from, change }) => expect(flowInto(into, from)).toEqual(change));
});

describe('metadata that propagates further', () => {
  it('is what was propagated to the object, with its current values', () => {
    const more = object({ team: 'b', mine: 'z' }, { ...made.metadata.annotations, mine: 'z' });
    expect(flowOn(more)).toEqual({ labels: { team: 'b' }, annotations: { owner: 'x' } });
  });
  it('is empty when nothing was propagated', () => expect(flowOn(object({ team: 'a' }, {}))).toBeUndefined());
  it('is empty while a part is missing, so that it is not removed from dependents', () => {
    expect(flowOn(object({}, made.metadata.annotations))).toBeUndefined();
    const { owner: _, ...annotations } = made.metadata.annotations!;
    expect(flowOn(object({ team: 'a' }, annotations))).toBeUndefined();
  });
});

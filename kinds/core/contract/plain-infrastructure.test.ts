import { describe, expect, it } from 'vitest';
import type { Cluster } from '../cluster/schema.ts';
import { infrastructureOf } from './plain-infrastructure.ts';

const provider = { group: 'infrastructure.cluster.x-k8s.io', kind: 'ToyCluster', followsTargets: true };
const found = (infrastructureRef?: object) =>
  infrastructureOf({ spec: { infrastructureRef } } as unknown as Cluster, [provider]);

describe('the provider of an infrastructure', () => {
  it.each([
    { rule: 'is that of its group and kind', named: { apiGroup: provider.group }, follows: true },
    {
      rule: 'is unknown for a kind of the same name in another group',
      named: { apiGroup: 'a.example' },
      follows: false,
    },
    { rule: 'is unknown for a reference without a group', named: {}, follows: false },
  ])('$rule', ({ named, follows }) =>
    expect(found({ kind: 'ToyCluster', name: 'a', ...named })).toMatchObject({
      kind: 'ToyCluster',
      followsTargets: follows,
    }));

  it('is unknown without a reference', () => expect(found()).toMatchObject({ followsTargets: false }));
});

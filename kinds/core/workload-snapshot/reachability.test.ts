import { expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { reachabilityOf } from './reachability.ts';

const seen = (spec: object | undefined, uid = 'one') =>
  ({
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'WorkloadSnapshot',
    metadata: { name: 'c', ownerReferences: [{ apiVersion: 'v1', kind: 'Cluster', name: 'c', uid }] },
    ...(spec && { spec }),
  }) as KubeObject;

it.each<{ rule: string; other: KubeObject; isSame: boolean }>([
  { rule: 'nothing that happens in it', other: seen({ reachable: true, nodes: [{ name: 'a' }] }), isSame: true },
  { rule: 'that it no longer answers', other: seen({ reachable: false }), isSame: false },
  { rule: 'that nothing is known of it', other: seen(undefined), isSame: false },
  { rule: 'that it is another Cluster’s', other: seen({ reachable: true }, 'two'), isSame: false },
])('distinguishes a cluster that answers $rule: $isSame', ({ other, isSame }) => {
  if (isSame) expect(reachabilityOf(other)).toEqual(reachabilityOf(seen({ reachable: true })));
  else expect(reachabilityOf(other)).not.toEqual(reachabilityOf(seen({ reachable: true })));
});

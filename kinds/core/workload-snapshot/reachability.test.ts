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
  { rule: 'a change inside the cluster', other: seen({ reachable: true, nodes: [{ name: 'a' }] }), isSame: true },
  { rule: 'a cluster that no longer answers', other: seen({ reachable: false }), isSame: false },
  { rule: 'a cluster without any result', other: seen(undefined), isSame: false },
  { rule: 'a result of another Cluster', other: seen({ reachable: true }, 'two'), isSame: false },
])('distinguishes from a reachable cluster: $rule (same: $isSame)', ({ other, isSame }) => {
  if (isSame) expect(reachabilityOf(other)).toEqual(reachabilityOf(seen({ reachable: true })));
  else expect(reachabilityOf(other)).not.toEqual(reachabilityOf(seen({ reachable: true })));
});

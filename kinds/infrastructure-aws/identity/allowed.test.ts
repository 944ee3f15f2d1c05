import { expect, it } from 'vitest';
import type { AWSClusterControllerIdentity } from '../aws-cluster-controller-identity/schema.ts';
import { allowsNamespace } from './allowed.ts';

type Allowed = NonNullable<AWSClusterControllerIdentity['spec']>['allowedNamespaces'];
const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team', labels: { tier: 'gold' } } };
const cases: { rule: string; allowed: Allowed | undefined; allows: boolean }[] = [
  { rule: 'an absent field allows no namespace', allowed: undefined, allows: false },
  { rule: 'an empty object allows every namespace', allowed: {}, allows: true },
  { rule: 'an empty list allows every namespace', allowed: { list: [] }, allows: true },
  { rule: 'a list allows the namespaces that it names', allowed: { list: ['team'] }, allows: true },
  { rule: 'a list allows no other namespace', allowed: { list: ['other'] }, allows: false },
  { rule: 'an empty selector allows no namespace', allowed: { selector: {} }, allows: false },
  {
    rule: 'a selector allows the namespaces that it matches',
    allowed: { selector: { matchLabels: { tier: 'gold' } } },
    allows: true,
  },
  {
    rule: 'a selector allows no other namespace',
    allowed: { selector: { matchLabels: { tier: 'tin' } } },
    allows: false,
  },
  {
    rule: 'a selector supports expressions',
    allowed: { selector: { matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['gold'] }] } },
    allows: false,
  },
  {
    rule: 'a match of either the list or the selector is sufficient',
    allowed: { list: ['other'], selector: { matchExpressions: [{ key: 'tier', operator: 'Exists' }] } },
    allows: true,
  },
];
it.each(cases)('$rule', ({ allowed, allows }) => {
  const identity: AWSClusterControllerIdentity = {
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
    kind: 'AWSClusterControllerIdentity',
    metadata: { name: 'default' },
    spec: allowed === undefined ? {} : { allowedNamespaces: allowed },
  };
  expect(allowsNamespace(identity, namespace)).toBe(allows);
});

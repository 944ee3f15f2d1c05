/** Rules for ClusterResourceSets and their bindings (core/webhooks/admission of Cluster API 1.14). */
import type { UpstreamRule } from './rule.ts';

export const addonRules: UpstreamRule[] = [
  {
    kind: 'ClusterResourceSet',
    refuses: 'a selector that is none',
    with: { spec: { clusterSelector: { matchLabels: { of: 'no value!' } } } },
    says: 'spec.clusterSelector: Invalid value',
  },
  {
    kind: 'ClusterResourceSet',
    refuses: 'an empty selector',
    with: { spec: { clusterSelector: { matchLabels: null } } },
    says: 'selector must not be empty',
  },
  {
    kind: 'ClusterResourceSet',
    refuses: 'another strategy',
    stored: {},
    with: { spec: { strategy: 'Reconcile' } },
    says: 'spec.strategy: Invalid value: "Reconcile": field is immutable',
  },
  {
    kind: 'ClusterResourceSet',
    refuses: 'another selector',
    stored: {},
    with: { spec: { clusterSelector: { matchLabels: { of: 'others' } } } },
    says: 'field is immutable',
  },
  {
    kind: 'ClusterResourceSetBinding',
    refuses: 'another cluster',
    stored: {},
    with: { spec: { clusterName: 'other' } },
    says: 'spec.clusterName: Invalid value: "other": field is immutable',
  },
];

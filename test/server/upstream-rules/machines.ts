/** Rules for Machines and sets of them (core/webhooks/admission of Cluster API 1.14). */
import { annotation, autoscaler, long, rollingUpdate, taint } from './parts.ts';
import type { AcceptedHere, UpstreamRule } from './rule.ts';

const template = (spec: object, metadata?: object) => ({
  spec: { template: { spec, ...(metadata && { metadata }) } },
});
const skip = 'machineset.cluster.x-k8s.io/skip-preflight-checks';

/** Keys that only Kubernetes and Cluster API set. */
const taints = (kind: string, at: string, patch: (of: object) => object, worker: boolean): UpstreamRule[] =>
  [
    { key: 'node.cluster.x-k8s.io/uninitialized', detail: 'taint key is not allowed' },
    { key: 'node.cluster.x-k8s.io/outdated-revision', detail: 'taint key is not allowed' },
    { key: 'node.kubernetes.io/not-ready', detail: 'taint key must not have the prefix node.kubernetes.io/' },
    {
      key: 'node.cloudprovider.kubernetes.io/uninitialized',
      detail: 'taint key must not have the prefix node.cloudprovider.kubernetes.io/',
    },
    { key: 'node-role.kubernetes.io/master', detail: 'taint is deprecated since 1.24' },
    { key: `example.com/${long}`, detail: 'name part must' },
    ...(worker
      ? [{ key: 'node-role.kubernetes.io/control-plane', detail: 'taint is not allowed for worker Machines' }]
      : []),
  ].map(({ key, detail }) => ({
    kind,
    refuses: `the taint ${key.slice(0, 50)}`,
    with: patch(taint(key)),
    says: `${at}[0].key: Invalid value: "${key}": ${detail}`,
  }));

const machine: UpstreamRule[] = [
  {
    kind: 'Machine',
    refuses: 'no bootstrap',
    with: { spec: { bootstrap: { dataSecretName: null } } },
    says: 'spec.bootstrap',
  },
  {
    kind: 'Machine',
    refuses: 'another cluster',
    stored: {},
    with: { spec: { clusterName: 'other' } },
    says: 'spec.clusterName: Forbidden: field is immutable',
  },
  {
    kind: 'Machine',
    refuses: 'a version that is none',
    with: { spec: { version: 'v1.35' } },
    says: 'spec.version: Invalid value: "v1.35": must be a valid semantic version',
  },
  ...taints('Machine', 'spec.taints', (of) => ({ spec: of }), true),
];

/** Rules that MachineSets and MachineDeployments share. */
const ofSets = (kind: string): UpstreamRule[] => [
  { kind, refuses: 'no bootstrap', with: template({ bootstrap: { dataSecretName: null } }), says: 'spec.bootstrap' },
  {
    kind,
    refuses: 'a selector that is none',
    with: { spec: { selector: { matchLabels: { of: 'no value!' } } } },
    says: 'spec.selector: Invalid value',
  },
  {
    kind,
    refuses: 'an operator that is none',
    with: { spec: { selector: { matchExpressions: [{ key: 'a', operator: 'Like' }] } } },
    says: '"Like" is not a valid label selector operator',
  },
  {
    kind,
    refuses: 'a selector that does not match its template',
    with: { spec: { selector: { matchLabels: { of: 'others' } } } },
    says: 'spec.template.metadata.labels:',
  },
  {
    kind,
    refuses: 'to skip a preflight check that there is not',
    with: annotation(skip, 'All, Weather'),
    says: 'skipped preflight check(s) must be among: [All',
  },
  {
    kind,
    refuses: 'to skip nothing between commas',
    with: annotation(skip, 'All,'),
    says: 'skipped preflight check(s) must be among: [All',
  },
  {
    kind,
    refuses: 'another cluster',
    stored: {},
    with: { spec: { clusterName: 'other', template: { spec: { clusterName: 'other' } } } },
    says: 'spec.clusterName: Forbidden: field is immutable',
  },
  {
    kind,
    refuses: 'Machines of another cluster than its own',
    with: { spec: { clusterName: 'other' } },
    says: 'spec.clusterName and spec.template.spec.clusterName must be set to the same value',
  },
  {
    kind,
    refuses: 'a version that is none',
    with: template({ version: 'v1' }),
    says: 'must be a valid semantic version',
  },
  {
    kind,
    refuses: 'names that would not differ',
    with: { spec: { machineNaming: { template: 'same' } } },
    says: '{{ .random }} is missing',
  },
  {
    kind,
    refuses: 'a naming template of unknown variables',
    with: { spec: { machineNaming: { template: '{{ .zone.name }}-{{ .random }}' } } },
    says: 'spec.machineNaming.template: Invalid value',
  },
  {
    kind,
    refuses: 'a naming template that makes no names',
    with: { spec: { machineNaming: { template: 'A-{{ .random }}' } } },
    says: 'generated names would not be valid Kubernetes object names',
  },
  {
    kind,
    refuses: 'labels that are none',
    with: template({}, { labels: { 'a b': '' } }),
    says: 'spec.template.metadata.labels: Invalid value: "a b"',
  },
  {
    kind,
    refuses: 'values of labels that are none',
    with: template({}, { labels: { a: long } }),
    says: 'must be no more than 63 characters',
  },
  {
    kind,
    refuses: 'annotations that are none',
    with: template({}, { annotations: { 'a b': '' } }),
    says: 'spec.template.metadata.annotations: Invalid value: "a b"',
  },
  {
    kind,
    refuses: 'bounds of the autoscaler that are no numbers',
    with: { metadata: { annotations: { [`${autoscaler}-min-size`]: 'few', [`${autoscaler}-max-size`]: '3' } } },
    says: 'could not parse the value of the',
  },
  ...taints(kind, 'spec.template.spec.taints', (of) => template(of), true),
];

const machineDeployment: UpstreamRule[] = [
  { refuses: 'a name that is no label value', with: { metadata: { name: long } }, says: 'must be a valid label value' },
  {
    refuses: 'unavailability that is neither a number nor a percentage',
    with: { spec: rollingUpdate({ maxUnavailable: 'some' }) },
    says: 'rollingUpdate.maxUnavailable: Invalid value: "some": must be either an int or a percentage',
  },
  {
    refuses: 'a surge that is neither a number nor a percentage',
    with: { spec: rollingUpdate({ maxSurge: '5' }) },
    says: 'rollingUpdate.maxSurge: Invalid value: "5": must be either an int or a percentage',
  },
  {
    refuses: 'a rollout that can move nothing',
    with: { spec: rollingUpdate({ maxSurge: 0, maxUnavailable: 0 }) },
    says: 'maxUnavailable and maxSurge cannot both be 0',
  },
  {
    refuses: 'remediation of neither a number nor a percentage',
    with: { spec: { remediation: { maxInFlight: 'few' } } },
    says: 'spec.remediation.maxInFlight: Invalid value: "few"',
  },
].map((rule) => ({ kind: 'MachineDeployment', ...rule }));

const machinePool: UpstreamRule[] = [
  { refuses: 'no bootstrap', with: template({ bootstrap: { dataSecretName: null } }), says: 'spec.bootstrap' },
  {
    refuses: 'another cluster',
    stored: {},
    with: { spec: { clusterName: 'other', template: { spec: { clusterName: 'other' } } } },
    says: 'spec.clusterName: Forbidden: field is immutable',
  },
  {
    refuses: 'machines of another cluster than its own',
    with: { spec: { clusterName: 'other' } },
    says: 'spec.clusterName and spec.template.spec.clusterName must be set to the same value',
  },
  { refuses: 'a version that is none', with: template({ version: 'v1' }), says: 'must be a valid semantic version' },
  {
    refuses: 'labels of its Nodes that are none',
    with: template({}, { labels: { a: '-' } }),
    says: 'spec.template.metadata.labels',
  },
].map((rule) => ({ kind: 'MachinePool', ...rule }));

export const capiMachineRules: UpstreamRule[] = [
  ...machine,
  ...ofSets('MachineSet'),
  ...ofSets('MachineDeployment'),
  ...machineDeployment,
  ...machinePool,
];

export const capiMachineAccepted: AcceptedHere[] = [
  {
    kind: 'MachineDeployment',
    refuses: 'taints unless the MachineTaintPropagation feature is enabled',
    with: template(taint('example.com/gpu')),
    why: 'taints are propagated without a feature gate',
  },
  {
    kind: 'Machine',
    refuses: 'no bootstrap, but not of a Machine of a MachinePool',
    with: {
      metadata: { labels: { 'cluster.x-k8s.io/pool-name': 'p' } },
      spec: { bootstrap: { dataSecretName: null, configRef: null } },
    },
    why: 'upstream makes the same exception',
  },
];

/**
 * Rules for Clusters and their topologies (core/webhooks/admission/cluster.go of Cluster API 1.14).
 * Those that read the ClusterClass, too, stand in test/system/topology.test.ts.
 */
import { annotation, autoscaler, long, rollingUpdate, taint } from './parts.ts';
import type { AcceptedHere, UpstreamRule } from './rule.ts';

const topology = (more: object = {}) => ({
  spec: { topology: { classRef: { name: 'c' }, version: 'v1.35.0', ...more } },
});
const deployment = (more: object) =>
  topology({ workers: { machineDeployments: [{ class: 'c', name: 'md', ...more }] } });

const cluster: UpstreamRule[] = [
  {
    kind: 'Cluster',
    refuses: 'a name that is no label value',
    with: { metadata: { name: long } },
    says: 'metadata.name: Invalid value: "aaaa',
  },
  {
    kind: 'Cluster',
    refuses: 'neither infrastructure, control plane nor topology',
    with: { spec: { infrastructureRef: null, controlPlaneRef: null, paused: true } },
    says: 'spec: Forbidden: one of spec.controlPlaneRef, spec.infrastructureRef or spec.topology must be set',
  },
  {
    kind: 'Cluster',
    refuses: 'to lose its infrastructure',
    stored: {},
    with: { spec: { infrastructureRef: null } },
    says: 'spec.infrastructureRef: Forbidden: cannot be removed',
  },
  {
    kind: 'Cluster',
    refuses: 'to lose its control plane',
    stored: {},
    with: { spec: { controlPlaneRef: null } },
    says: 'spec.controlPlaneRef: Forbidden: cannot be removed',
  },
  ...(['pods', 'services'] as const).flatMap((range) =>
    ['10.0.0.0/33', '10.0/16', '010.0.0.0/8', 'fe80::1%eth0/64'].map((block) => ({
      kind: 'Cluster',
      refuses: `${range} in ${block}`,
      with: { spec: { clusterNetwork: { [range]: { cidrBlocks: [block] } } } },
      says: `spec.clusterNetwork.${range}.cidrBlocks[0]: Invalid value: "${block}": invalid CIDR address`,
    })),
  ),
];

const managed: UpstreamRule[] = [
  { refuses: 'no class', with: topology({ classRef: {} }), says: 'spec.topology.classRef.name: Required value' },
  { refuses: 'a version that is none', with: topology({ version: 'v1.35' }), says: 'must be a valid semantic version' },
  {
    refuses: 'labels of the control plane that are none',
    with: topology({ controlPlane: { metadata: { labels: { 'a b': '' } } } }),
    says: 'spec.topology.controlPlane.metadata.labels: Invalid value: "a b"',
  },
  {
    refuses: 'annotations of a MachineDeployment that are none',
    with: deployment({ metadata: { annotations: { 'a b': '' } } }),
    says: 'machineDeployments[0].metadata.annotations: Invalid value: "a b"',
  },
  {
    refuses: 'labels of a MachinePool that are none',
    with: topology({ workers: { machinePools: [{ class: 'c', name: 'mp', metadata: { labels: { a: '-' } } }] } }),
    says: 'machinePools[0].metadata.labels: Invalid value: "-"',
  },
  {
    refuses: 'a surge that is neither a number nor a percentage',
    with: deployment(rollingUpdate({ maxSurge: 'many' })),
    says: 'rollingUpdate.maxSurge: Invalid value: "many": must be either an int or a percentage',
  },
  {
    refuses: 'a rollout that can move nothing',
    with: deployment(rollingUpdate({ maxSurge: 0, maxUnavailable: 0 })),
    says: 'maxUnavailable and maxSurge cannot both be 0',
  },
  {
    refuses: 'reserved taints of the control plane',
    with: topology({ controlPlane: taint('node.kubernetes.io/not-ready') }),
    says: 'spec.topology.controlPlane.taints[0].key: Invalid value',
  },
  {
    refuses: 'reserved taints of a MachineDeployment',
    with: deployment(taint('node.cluster.x-k8s.io/uninitialized')),
    says: 'machineDeployments[0].taints[0].key: Invalid value',
  },
  {
    refuses: 'an upgrade concurrency that is no number',
    with: { ...topology(), ...annotation('topology.cluster.x-k8s.io/upgrade-concurrency', 'all') },
    says: 'could not parse the value of the annotation',
  },
  {
    refuses: 'an upgrade concurrency below 1',
    with: { ...topology(), ...annotation('topology.cluster.x-k8s.io/upgrade-concurrency', '0') },
    says: 'value cannot be less than 1',
  },
  {
    refuses: 'replicas beside annotations of the autoscaler',
    with: deployment({ replicas: 2, metadata: { annotations: { [`${autoscaler}-min-size`]: '1' } } }),
    says: 'machineDeployments[0].replicas: Invalid value: 2: cannot be set',
  },
  {
    refuses: 'to lose its topology',
    stored: topology(),
    with: { spec: { topology: null } },
    says: 'spec.topology: Forbidden: cannot be removed from an existing Cluster',
  },
  {
    refuses: 'a topology on a Cluster that was made without',
    stored: {},
    with: topology(),
    says: 'spec.topology.class: Forbidden: classRef cannot be set on an existing Cluster',
  },
  {
    refuses: 'an older version',
    stored: topology(),
    with: topology({ version: 'v1.34.9' }),
    says: 'version cannot be decreased from "v1.35.0" to "v1.34.9"',
  },
].map((rule) => ({ kind: 'Cluster', ...rule }));

export const clusterRules: UpstreamRule[] = [...cluster, ...managed];

export const clusterAccepted: AcceptedHere[] = [
  {
    kind: 'Cluster',
    refuses: 'a topology unless the ClusterTopology feature is enabled',
    with: topology(),
    why: 'topologies need no feature gate here',
  },
];

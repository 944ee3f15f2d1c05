import { describe, expect, it } from 'vitest';
import type { TemplateView } from '../../core/contract/machine-provider.ts';
import type { MachineDeployment } from '../../core/machine-deployment/index.ts';
import { amount, GiB, node } from '../plan/plan.fixture.ts';
import { type Measured, type TemplateSource, templateOf, zonesOf } from './template.ts';

type Of = { annotations?: Record<string, string>; labels?: Record<string, string>; spec?: object };
const deployment = ({ annotations = {}, labels = {}, spec = {} }: Of = {}): MachineDeployment =>
  ({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachineDeployment',
    metadata: { name: 'workers', namespace: 'default', annotations },
    spec: { clusterName: 'c', selector: {}, template: { metadata: { labels }, spec } },
  }) as unknown as MachineDeployment;
const view = (reported: Partial<TemplateView> = {}): TemplateView => ({
  declared: undefined,
  type: 'm5.large',
  ...reported,
});
const known = {
  capacity: { cpu: '2', memory: '8192Mi' },
  nodeInfo: { architecture: 'arm64', operatingSystem: 'linux' },
};
const source = (more: Partial<TemplateSource> = {}): TemplateSource => ({
  deployment: deployment(),
  view: view(known),
  nodes: [],
  remembered: undefined,
  ...more,
});
const capacity = (name: string, value: string) => ({ [`capacity.cluster-autoscaler.kubernetes.io/${name}`]: value });

describe('a pool without nodes', () => {
  it('has the capacity of its infrastructure template, less what the system takes', () => {
    const { allocatable, labels } = templateOf(source())!;
    expect(allocatable.cpu).toBe(2000);
    expect(allocatable.pods).toBe(110);
    expect(allocatable.memory).toBe(Math.floor(8 * GiB * 0.925) - 100 * 2 ** 20);
    expect(labels).toEqual({
      'kubernetes.io/arch': 'arm64',
      'beta.kubernetes.io/arch': 'arm64',
      'kubernetes.io/os': 'linux',
      'beta.kubernetes.io/os': 'linux',
      'node.kubernetes.io/instance-type': 'm5.large',
      'beta.kubernetes.io/instance-type': 'm5.large',
    });
  });
  it('has the capacity, labels and taints of its annotations rather than those of its template', () => {
    const annotations = {
      ...capacity('memory', '4Gi'),
      ...capacity('gpu-count', '2'),
      ...capacity('gpu-type', 'amd.com/gpu'),
      ...capacity('maxPods', '20'),
      ...capacity('labels', 'tier=batch,zone=a'),
      ...capacity('taints', 'dedicated=batch:NoSchedule'),
    };
    const taints = [
      { key: 'dedicated', value: 'other', effect: 'NoSchedule', propagation: 'Always' },
      { key: 'dedicated', effect: 'NoExecute', propagation: 'Always' },
    ];
    const template = templateOf(source({ deployment: deployment({ annotations, spec: { taints } }) }))!;
    expect(template.capacity).toEqual({ cpu: 2000, memory: 4 * GiB, 'amd.com/gpu': 2, pods: 20 });
    expect(template.labels).toMatchObject({ tier: 'batch', zone: 'a' });
    expect(template.taints).toEqual([
      { key: 'dedicated', effect: 'NoExecute' },
      { key: 'dedicated', value: 'batch', effect: 'NoSchedule' },
    ]);
  });
  it('has what its bootstrap template tells the kubelet, less what that reserves', () => {
    const args = { 'node-labels': 'tier=a,disk=ssd', 'max-pods': '20', 'kube-reserved': 'cpu=200m,memory=1Gi' };
    const nodeRegistration = {
      taints: [
        { key: 'team', value: 'x', effect: 'NoSchedule' },
        { key: 'node.cluster.x-k8s.io/uninitialized', effect: 'NoSchedule' },
      ],
      kubeletExtraArgs: Object.entries(args).map(([name, value]) => ({ name, value })),
    };
    const spec = { template: { spec: { joinConfiguration: { nodeRegistration } } } };
    const bootstrap = { apiVersion: 'x/v1', kind: 'KubeadmConfigTemplate', metadata: { name: 't' }, spec };
    const annotations = capacity('labels', 'tier=b');
    const template = templateOf(source({ bootstrap, deployment: deployment({ annotations }) }))!;
    expect(template.allocatable).toEqual({
      cpu: 1800,
      memory: Math.floor(8 * GiB * 0.925) - GiB - 100 * 2 ** 20,
      pods: 20,
    });
    expect(template.labels).toMatchObject({ tier: 'b', disk: 'ssd' });
    expect(template.taints).toEqual([{ key: 'team', value: 'x', effect: 'NoSchedule' }]);
  });
  it('has the labels of its Machines that Nodes receive', () => {
    const labels = { 'node-role.kubernetes.io/batch': '', 'node.cluster.x-k8s.io/tier': 'b', team: 'x' };
    const template = templateOf(source({ deployment: deployment({ labels }) }))!;
    expect(template.labels).toMatchObject({ 'node-role.kubernetes.io/batch': '', 'node.cluster.x-k8s.io/tier': 'b' });
    expect(template.labels).not.toHaveProperty('team');
  });
  it('has the region of its cluster, and the label of its market', () => {
    const spot = view({ ...known, market: 'spot' });
    expect(templateOf(source({ region: 'us-east-1', view: spot }))!.labels).toMatchObject({
      'topology.kubernetes.io/region': 'us-east-1',
      'failure-domain.beta.kubernetes.io/region': 'us-east-1',
      'cluster.x-k8s.io/interruptible': '',
    });
  });
  it('has the amounts that its nodes reported before, and the devices that are declared', () => {
    const remembered: Measured = {
      capacity: amount(2, 7, { pods: 29, 'ephemeral-storage': 10 }),
      allocatable: { ...amount(2, 6, { pods: 29, 'ephemeral-storage': 9 }), cpu: 1900 },
    };
    const gpus = view({ capacity: { ...known.capacity, 'nvidia.com/gpu': '1' } });
    expect(templateOf(source({ remembered, view: gpus }))).toMatchObject({
      capacity: { ...remembered.capacity, 'nvidia.com/gpu': 1 },
      allocatable: { ...remembered.allocatable, 'nvidia.com/gpu': 1 },
    });
  });
  it.each([
    { rule: 'its infrastructure template is absent', view: undefined },
    { rule: 'its capacity is not reported yet', view: view() },
    { rule: 'its memory is unknown', view: view({ capacity: { cpu: '2' } }) },
  ])('is unknown while $rule', (given) => expect(templateOf(source(given))).toBeUndefined());
});

describe('a pool with nodes', () => {
  const changed = node('n', {
    labels: { 'topology.kubernetes.io/zone': 'az-a', disk: 'ssd' },
    taints: [{ key: 'maintenance', value: 'me', effect: 'NoSchedule' }],
  });
  it('makes nodes without the labels and taints that only its nodes have', () => {
    const template = templateOf(source({ nodes: [changed, node('other')] }))!;
    expect([template.labels, template.taints]).toEqual([templateOf(source())!.labels, []]);
  });
  const gpu = 'nvidia.com/gpu';
  const measured = (cpu: number, memory: number, more = {}) => node('n', { allocatable: amount(cpu, memory, more) });
  it.each([
    { rule: 'less than its type has', live: measured(1, 7), is: amount(1, 7) },
    { rule: 'no more than its type has', live: measured(9, 99), is: amount(2, 8) },
    {
      rule: 'amounts that nothing declares',
      live: measured(2, 8, { 'ephemeral-storage': 5 }),
      is: { 'ephemeral-storage': 5 },
    },
    {
      rule: 'not what an annotation states',
      live: measured(2, 3, { [gpu]: 0, pods: 5 }),
      annotations: { ...capacity('memory', '4Gi'), ...capacity('gpu-count', '2'), ...capacity('maxPods', '20') },
      is: { memory: 4 * GiB - 100 * 2 ** 20, [gpu]: 2, pods: 20 },
    },
    { rule: 'no devices', live: measured(2, 8, { 'example.com/fpga': 4 }), is: { 'example.com/fpga': undefined } },
    {
      rule: 'not fewer devices',
      live: measured(2, 8, { [gpu]: 0 }),
      view: view({ capacity: { ...known.capacity, [gpu]: '1' } }),
      is: { [gpu]: 1 },
    },
  ])('measures $rule', ({ live, annotations = {}, is, ...more }) => {
    const given = source({
      nodes: [{ ...live, capacity: live.allocatable }],
      deployment: deployment({ annotations }),
      ...more,
    });
    const { allocatable } = templateOf(given)!;
    for (const [name, value] of Object.entries(is)) expect(allocatable[name], name).toBe(value);
  });
  it('is measured where its type is unknown', () =>
    expect(templateOf(source({ view: undefined, nodes: [changed] }))!.allocatable).toEqual(changed.allocatable));
});

describe('the zones of new machines', () => {
  const placed = view({ zones: ['az-b', 'az-a'] });
  const live = node('n', { labels: { 'topology.kubernetes.io/zone': 'az-c' } });
  it.each<{ rule: string; given: Partial<TemplateSource>; zones?: string[] }>([
    {
      rule: 'are the failure domain of their pool',
      given: { deployment: deployment({ spec: { failureDomain: 'az-a' } }), view: placed },
      zones: ['az-a'],
    },
    {
      rule: 'are those that the provider tries, in its order',
      given: { view: placed },
      zones: ['az-b', 'az-a'],
    },
    { rule: 'are not those of nodes', given: { view: placed, nodes: [live] }, zones: ['az-b', 'az-a'] },
    { rule: 'are unknown while the provider reports none', given: { nodes: [live] } },
  ])('$rule', ({ given, zones }) => expect(zonesOf(source(given))).toEqual(zones));
});

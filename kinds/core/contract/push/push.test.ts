import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { pushReasonsOf } from '../../../bootstrap-kubeadm/kubeadm-config/push-reasons.ts';
import type { PlanWithPools } from '../../../common/autoscale/plan-entry.ts';
import { pushesWith, pushFiles } from './configuration.ts';
import { auditPolicy, isReported, type PushedEvent, type PushReason, pushRuleOf } from './rules.ts';

const nodeController = 'system:serviceaccount:kube-system:node-controller';
const jobController = 'system:serviceaccount:kube-system:job-controller';
const event = (change: Partial<PushedEvent>): PushedEvent => ({
  stage: 'ResponseComplete',
  verb: 'patch',
  requestURI: '/api/v1/nodes/a',
  user: { username: nodeController },
  objectRef: { resource: 'nodes' },
  responseStatus: { code: 200 },
  ...change,
});
const status = { resource: 'nodes', subresource: 'status' };
const pod = { resource: 'pods', subresource: 'status' };

describe('an event', () => {
  it.each<{ rule: string; event: PushedEvent; wakes?: string }>([
    { rule: 'of a taint of the node controller', event: event({}), wakes: 'workload-prober' },
    {
      rule: 'of a condition that the node controller sets',
      event: event({ verb: 'update', objectRef: status }),
      wakes: 'workload-prober',
    },
    {
      rule: 'of a controller manager without accounts of its own',
      event: event({ user: { username: 'system:kube-controller-manager' } }),
      wakes: 'workload-prober',
    },
    {
      rule: 'of a deleted Node',
      event: event({ verb: 'delete', user: { username: 'any' } }),
      wakes: 'workload-prober',
    },
    {
      rule: 'of an unschedulable Pod',
      event: event({ user: { username: 'system:kube-scheduler' }, objectRef: pod }),
      wakes: 'autoscaler',
    },
    { rule: 'of a heartbeat', event: event({ user: { username: 'system:node:a' }, objectRef: status }) },
    {
      rule: 'of a Pod that a kubelet reports',
      event: event({ user: { username: 'system:node:a' }, objectRef: pod }),
    },
    {
      rule: 'of a Pod that a kubelet deletes',
      event: event({
        verb: 'delete',
        user: { username: 'system:node:a', groups: ['system:nodes'] },
        objectRef: { resource: 'pods' },
      }),
      wakes: 'autoscaler',
    },
    {
      rule: 'of a Pod that ran to completion',
      event: event({ user: { username: jobController }, objectRef: { resource: 'pods' } }),
      wakes: 'autoscaler',
    },
    {
      rule: 'of a Pod whose deletion begins',
      event: event({ verb: 'delete', user: { username: 'any', groups: ['any'] }, objectRef: { resource: 'pods' } }),
    },
    {
      rule: 'of a user whose groups are malformed',
      event: event({ verb: 'delete', user: { groups: 'system:nodes' as never }, objectRef: { resource: 'pods' } }),
    },
    { rule: 'of a refused write', event: event({ responseStatus: { code: 409 } }) },
    { rule: 'of a request that goes on', event: event({ stage: 'RequestReceived' }) },
    {
      rule: 'of a resource of another group',
      event: event({ objectRef: { resource: 'nodes', apiGroup: 'example.com' } }),
    },
    { rule: 'of a read', event: event({ verb: 'get' }) },
    { rule: 'without anything', event: {} },
    {
      rule: 'of the prober itself',
      event: event({
        verb: 'get',
        requestURI: '/version?timeout=32s',
        user: { username: 'kubernetes-admin' },
        objectRef: undefined as never,
      }),
    },
  ])('$rule wakes $wakes', ({ event: given, wakes }) => expect(pushRuleOf(given)?.wakes).toBe(wakes));

  it('of the prober proves that events arrive', () => {
    const read = { verb: 'get', requestURI: '/version', user: { username: 'kubernetes-admin' } };
    expect(pushRuleOf({ ...event(read), objectRef: {} })?.rule).toBe('the prober reads the version');
  });
});

describe('the policy', () => {
  const resourcesOf = (reasons: Parameters<typeof auditPolicy>[0]) => JSON.stringify(auditPolicy(reasons).rules);
  it('passes Pods only for autoscaling', () => {
    expect(resourcesOf(['health-check'])).not.toContain('pods');
    expect(resourcesOf(['autoscaling'])).toContain('pods/status');
    expect(resourcesOf(['autoscaling'])).toContain('nodes/status');
  });
  it('passes metadata, and drops everything else', () => {
    const rules = auditPolicy(['health-check', 'autoscaling']).rules as { level: string }[];
    expect(rules.slice(0, -1).every(({ level }) => level === 'Metadata')).toBe(true);
    expect(rules.at(-1)).toEqual({ level: 'None' });
  });
  it('covers the conditions of the node controller', () =>
    expect(['Ready', 'DiskPressure', 'KernelDeadlock'].map(isReported)).toEqual([true, true, false]));
});

const check = (clusterName: string, deletionTimestamp?: string): KubeObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineHealthCheck',
  metadata: { name: 'check', namespace: 'n', ...(deletionTimestamp && { deletionTimestamp }) },
  spec: { clusterName },
});
const pool = (change: { annotations?: Record<string, string>; clusterName?: string; isGone?: boolean } = {}) => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineDeployment',
  metadata: {
    name: 'workers',
    namespace: 'n',
    annotations: change.annotations ?? { 'capstan.dev/autoscale-min': '0', 'capstan.dev/autoscale-max': '5' },
    ...(change.isGone && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
  },
  spec: { clusterName: change.clusterName ?? 'c' },
});
describe('a cluster reports', () => {
  const plan = (name: string): PlanWithPools => ({
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'ScalingPlan',
    metadata: { name: 'c', namespace: 'n' },
    spec: { clusterName: 'c', pools: [{ name, min: 0, max: 5 }] },
  });
  it.each<{
    rule: string;
    healthChecks?: KubeObject[];
    deployments?: KubeObject[];
    plan?: PlanWithPools;
    reasons: string[];
  }>([
    { rule: 'nothing by default', reasons: [] },
    { rule: 'where a MachineHealthCheck looks after it', healthChecks: [check('c')], reasons: ['health-check'] },
    { rule: 'nothing for the check of another cluster', healthChecks: [check('d')], reasons: [] },
    {
      rule: 'nothing for a check that is being deleted',
      healthChecks: [check('c', '2026-01-01T00:00:00Z')],
      reasons: [],
    },
    { rule: 'where a pool opted in', deployments: [pool({ annotations: {} }), pool()], reasons: ['autoscaling'] },
    {
      rule: 'where a ScalingPlan opted a pool in',
      deployments: [pool({ annotations: {} })],
      plan: plan('workers'),
      reasons: ['autoscaling'],
    },
    {
      rule: 'nothing for a pool that does not exist',
      deployments: [pool({ annotations: {} })],
      plan: plan('others'),
      reasons: [],
    },
    {
      rule: 'for both',
      healthChecks: [check('c')],
      deployments: [pool()],
      reasons: ['health-check', 'autoscaling'],
    },
    { rule: 'nothing for a MachineDeployment of a fixed size', deployments: [pool({ annotations: {} })], reasons: [] },
    {
      rule: "nothing for cluster-autoscaler's sizes alone",
      deployments: [
        pool({
          annotations: {
            'cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size': '0',
            'cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size': '5',
          },
        }),
      ],
      reasons: [],
    },
    { rule: 'nothing for the pool of another cluster', deployments: [pool({ clusterName: 'd' })], reasons: [] },
    { rule: 'nothing for a pool that is being deleted', deployments: [pool({ isGone: true })], reasons: [] },
  ])('$rule', ({ healthChecks = [], deployments = [], plan: of, reasons }) =>
    expect(pushReasonsOf('c', { healthChecks, deployments, plan: of })).toEqual(reasons));
});

describe('an API server', () => {
  const pushing = { settings: { url: 'https://c/capstan.dev/audit' }, namespace: 'n', cluster: 'c', token: 't' };
  const commandFor = (...reasons: PushReason[]) =>
    (JSON.parse(pushFiles(pushing, reasons)[2]!.content) as { value: unknown }[]).flatMap(({ value }) =>
      typeof value === 'string' ? [value] : [],
    );
  it.each([
    { rule: 'reports with its configuration', change: {}, pushes: true },
    { rule: 'does not with a former token', change: { token: 'other' }, pushes: false },
    { rule: 'does not with a former endpoint', change: { settings: { url: 'https://d' } }, pushes: false },
    {
      rule: 'does not with a former CA',
      change: { settings: { ...pushing.settings, certificateAuthority: 'x' } },
      pushes: false,
    },
  ])('$rule', ({ change, pushes }) =>
    expect(pushesWith(commandFor('health-check'), { ...pushing, ...change }, 'health-check')).toBe(pushes));
  it.each<{ rule: string; has: PushReason[]; needed: PushReason; pushes: boolean }>([
    { rule: 'reports Nodes to an autoscaled cluster', has: ['autoscaling'], needed: 'health-check', pushes: true },
    { rule: 'reports Pods', has: ['health-check', 'autoscaling'], needed: 'autoscaling', pushes: true },
    { rule: 'from before the first pool reports no Pods', has: ['health-check'], needed: 'autoscaling', pushes: false },
  ])('$rule', ({ has, needed, pushes }) => expect(pushesWith(commandFor(...has), pushing, needed)).toBe(pushes));
  it('without the flag does not', () => expect(pushesWith(['kube-apiserver'], pushing, 'health-check')).toBe(false));
});

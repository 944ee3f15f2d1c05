import { describe, expect, it } from 'vitest';
import type { WorkloadSnapshot } from '../../ports/workload.ts';
import {
  ago,
  type ControlPlaneState,
  controlPlaneOf,
  type MachineState,
  nodeNameOf,
  now,
} from './control-plane.fixture.ts';
import { type ControlPlaneMachineFacts, controlPlaneMachineConditions } from './machine-conditions.ts';

const factsOf = (
  state: ControlPlaneState,
  change: (snapshot: WorkloadSnapshot) => WorkloadSnapshot | undefined,
): ControlPlaneMachineFacts => {
  const { kcp, members, workload } = controlPlaneOf(state);
  const { machine, infraMachine, config } = members[0]!;
  return { machine, controlPlane: kcp, infraMachine, bootstrapConfig: config, snapshot: change(workload!), now };
};
const judge = (
  machine: Partial<MachineState>,
  change: (snapshot: WorkloadSnapshot) => WorkloadSnapshot | undefined = (snapshot) => snapshot,
  more: Partial<ControlPlaneState> = {},
) =>
  Object.fromEntries(
    controlPlaneMachineConditions(factsOf({ machines: [{ name: 'a', ...machine }], ...more }, change)).map(
      ({ type, status, reason, message }) => [type, [status, reason, message].filter(Boolean).join(' ')],
    ),
  );

const health = [
  'NodeKubeadmLabelsAndTaintsSet',
  'APIServerPodHealthy',
  'ControllerManagerPodHealthy',
  'SchedulerPodHealthy',
  'EtcdPodHealthy',
  'EtcdMemberHealthy',
];
const node = nodeNameOf('a');

describe('all conditions of a machine', () => {
  it('are True on a healthy machine', () =>
    expect(judge({})).toEqual({
      UpToDate: 'True UpToDate',
      NodeKubeadmLabelsAndTaintsSet: 'True Set',
      APIServerPodHealthy: 'True Running',
      ControllerManagerPodHealthy: 'True Running',
      SchedulerPodHealthy: 'True Running',
      EtcdPodHealthy: 'True Running',
      EtcdMemberHealthy: 'True Healthy',
    }));

  it.each<{
    rule: string;
    machine?: Partial<MachineState>;
    change?: (s: WorkloadSnapshot) => WorkloadSnapshot | undefined;
    more?: Partial<ControlPlaneState>;
    expected: string;
  }>([
    {
      rule: 'wait for the cluster to be initialised',
      more: { initialized: false },
      expected: 'Unknown InspectionFailed Waiting for Cluster control plane to be initialized',
    },
    {
      rule: 'wait for the first probe',
      change: () => undefined,
      expected: 'Unknown ConnectionDown Remote connection not established yet',
    },
    {
      rule: 'wait for the provider ID of the machine',
      machine: { node: false },
      expected: 'Unknown InspectionFailed Waiting for AWSMachine to report spec.providerID',
    },
    {
      rule: 'report a missing node',
      change: (s) => ({ ...s, nodes: [] }),
      expected: `Unknown InspectionFailed Node ${node} does not exist`,
    },
    {
      rule: 'become Unknown when the cluster has not answered for five minutes',
      change: (s) => ({ ...s, failures: 5, reachable: false, unreachableSince: ago(5) }),
      expected: 'Unknown ConnectionDown Remote connection down',
    },
    { rule: 'report a deletion', machine: { deleting: true }, expected: 'False Deleting Machine is deleting' },
  ])('$rule', ({ machine = {}, change, more, expected }) => {
    const { UpToDate: _, ...conditions } = judge(machine, change, more);
    expect(conditions).toEqual(Object.fromEntries(health.map((type) => [type, expected])));
  });

  it('keep their last state while the cluster has been silent for less', () =>
    expect(judge({}, (s) => ({ ...s, failures: 3, unreachableSince: ago(4) })).APIServerPodHealthy).toBe(
      'True Running',
    ));

  it('omit etcd when it is external', () => {
    const etcd = { external: { caFile: 'a', certFile: 'b', keyFile: 'c', endpoints: ['d'] } };
    const conditions = judge({}, undefined, { spec: { kubeadmConfigSpec: { clusterConfiguration: { etcd } } } });
    expect(Object.keys(conditions).filter((type) => type.startsWith('Etcd'))).toEqual([]);
  });
});

it.each([
  { covers: true, expected: 'True Running' },
  { covers: undefined, expected: 'True Running' },
  {
    covers: false,
    expected: 'False Failed The certificate of the API server is not valid for the control plane endpoint',
  },
])('an API server whose certificate covers the endpoint ($covers): $expected', ({ covers, expected }) => {
  const of = (snapshot: WorkloadSnapshot) => ({
    ...snapshot,
    controlPlanePods: snapshot.controlPlanePods.map((pod) =>
      pod.component === 'kube-apiserver' && covers !== undefined ? { ...pod, coversEndpoint: covers } : pod,
    ),
  });
  expect(judge({}, of).APIServerPodHealthy).toBe(expected);
});

describe('a static pod', () => {
  const withPod =
    (pod: Partial<WorkloadSnapshot['controlPlanePods'][number]> | undefined) => (s: WorkloadSnapshot) => ({
      ...s,
      controlPlanePods: s.controlPlanePods.flatMap((p) =>
        p.component !== 'kube-scheduler' ? [p] : pod ? [{ ...p, ...pod }] : [],
      ),
    });
  it.each<{ rule: string; pod?: Partial<WorkloadSnapshot['controlPlanePods'][number]>; expected: string }>([
    { rule: 'does not exist', expected: 'False DoesNotExist Pod does not exist' },
    {
      rule: 'is starting',
      pod: { phase: 'Pending', ready: false, reason: 'ContainerCreating' },
      expected: 'False Provisioning ContainerCreating',
    },
    {
      rule: 'is not ready',
      pod: { ready: false },
      expected: 'False Provisioning Waiting for startup or readiness probes',
    },
    {
      rule: 'is crash looping',
      pod: { ready: false, reason: 'CrashLoopBackOff', message: 'back-off 5m' },
      expected: 'False Failed CrashLoopBackOff, back-off 5m',
    },
    {
      rule: 'has ended',
      pod: { phase: 'Succeeded' },
      expected: 'False Failed All the containers have been terminated',
    },
    {
      rule: 'is unknown',
      pod: { phase: 'Unknown' },
      expected: 'Unknown InspectionFailed Pod is reporting Unknown status',
    },
    { rule: 'is being deleted', pod: { deleting: true }, expected: 'False Deleting Pod is deleting' },
  ])('$rule', ({ pod, expected }) => expect(judge({}, withPod(pod)).SchedulerPodHealthy).toBe(expected));

  const withNode = (change: Partial<WorkloadSnapshot['nodes'][number]>) => (s: WorkloadSnapshot) => ({
    ...s,
    nodes: s.nodes.map((n) => ({ ...n, ...change })),
  });
  it.each([
    {
      rule: 'is Unknown on an unreachable node',
      change: { taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }] },
      expected: `Unknown InspectionFailed Node ${node} is unreachable`,
    },
    {
      rule: 'is Unknown on a silent node',
      change: { conditions: [{ type: 'Ready', status: 'Unknown' }] },
      expected: 'Unknown InspectionFailed Node Ready condition is Unknown, Pod data might be stale',
    },
  ])('$rule', ({ change, expected }) => expect(judge({}, withNode(change)).APIServerPodHealthy).toBe(expected));

  it('needs no taint when its own configuration has none, whether it joined or initialised', () => {
    const facts = factsOf({ machines: [{ name: 'a' }] }, withNode({ taints: [] }));
    const own = { nodeRegistration: { taints: [] } };
    const waits = { timeouts: { controlPlaneComponentHealthCheckSeconds: 240 } };
    const configs = [
      { joinConfiguration: { ...own, controlPlane: {} } },
      { initConfiguration: own },
      { initConfiguration: own, joinConfiguration: waits },
    ];
    for (const spec of configs) {
      const all = controlPlaneMachineConditions({ ...facts, bootstrapConfig: { ...facts.bootstrapConfig!, spec } });
      expect(all.find(({ type }) => type === 'NodeKubeadmLabelsAndTaintsSet')).toMatchObject({ status: 'True' });
    }
  });

  it('runs on a node with the label and taint of kubeadm', () =>
    expect(judge({}, withNode({ labels: {}, taints: [] })).NodeKubeadmLabelsAndTaintsSet).toBe(
      'False NotSet * Label node-role.kubernetes.io/control-plane is missing\n* Taint node-role.kubernetes.io/control-plane:NoSchedule is missing',
    ));
});

describe('an etcd member', () => {
  const withEtcd =
    (change: (etcd: NonNullable<WorkloadSnapshot['etcd']>) => NonNullable<WorkloadSnapshot['etcd']> | undefined) =>
    (s: WorkloadSnapshot) => {
      const { etcd, ...rest } = s;
      const next = change(etcd!);
      return { ...rest, ...(next ? { etcd: next } : { etcdUnreadable: 'no node answers' }) };
    };
  it.each<{ rule: string; change: (s: WorkloadSnapshot) => WorkloadSnapshot; expected: string }>([
    {
      rule: 'cannot be listed',
      change: withEtcd(() => undefined),
      expected: 'Unknown InspectionFailed no node answers',
    },
    {
      rule: 'is missing',
      change: withEtcd((e) => ({ ...e, members: [] })),
      expected: `False NotHealthy Etcd doesn't have an etcd member for Node ${node}`,
    },
    {
      rule: 'has an alarm',
      change: withEtcd((e) => ({ ...e, alarms: [{ memberID: `id-${node}`, type: 'NOSPACE' }] })),
      expected: 'False NotHealthy Etcd reports alarms: NOSPACE',
    },
    {
      rule: 'ignores the alarms of other members',
      change: withEtcd((e) => ({ ...e, alarms: [{ memberID: 'other', type: 'NOSPACE' }] })),
      expected: 'True Healthy',
    },
    {
      rule: 'is a learner',
      change: withEtcd((e) => ({ ...e, members: e.members.map((m) => ({ ...m, isLearner: true })) })),
      expected: 'False NotHealthy Waiting for the etcd learner to become a voting member',
    },
  ])('$rule', ({ change, expected }) => expect(judge({}, change).EtcdMemberHealthy).toBe(expected));

  it('does not answer when its pod is not ready', () =>
    expect(judge({ healthy: false }).EtcdMemberHealthy).toBe(
      `Unknown InspectionFailed Failed to connect to the etcd Pod on the ${node} Node`,
    ));
});

describe('UpToDate', () => {
  it.each<{ rule: string; machine?: Partial<MachineState>; more?: Partial<ControlPlaneState>; expected: string }>([
    {
      rule: 'depends on the version',
      machine: { version: 'v1.34.0' },
      expected: 'False NotUpToDate * Version v1.34.0, v1.35.0 required',
    },
    {
      rule: 'depends on the template',
      machine: { template: 'other' },
      expected: 'False NotUpToDate * AWSMachine is not up-to-date',
    },
    {
      rule: 'depends on rollout.after',
      machine: { age: 60 },
      more: { spec: { rollout: { after: ago(30) } } },
      expected: 'False NotUpToDate * KubeadmControlPlane spec.rolloutAfter expired',
    },
    {
      rule: 'ignores a rollout.after in the future',
      machine: { age: 60 },
      more: { spec: { rollout: { after: ago(-30) } } },
      expected: 'True UpToDate',
    },
  ])('$rule', ({ machine = {}, more, expected }) => expect(judge(machine, undefined, more).UpToDate).toBe(expected));

  it('depends on the kubelet version', () => {
    const facts = factsOf({ machines: [{ name: 'a' }] }, (s) => s);
    const saying = (kubeletVersion: string) => {
      const nodeInfo = { kubeletVersion } as NonNullable<typeof facts.machine.status>['nodeInfo'];
      const machine = { ...facts.machine, status: { ...facts.machine.status, nodeInfo } };
      return controlPlaneMachineConditions({ ...facts, machine }).find(({ type }) => type === 'UpToDate');
    };
    expect(saying('v1.35.0')).toMatchObject({ status: 'True' });
    expect(saying('v1.34.1')).toMatchObject({
      status: 'False',
      reason: 'Updating',
      message: '* Node.status.nodeInfo.kubeletVersion v1.34.1, v1.35.0 required',
    });
  });

  it('depends on the expiry of certificates', () => {
    const facts = factsOf(
      { machines: [{ name: 'a' }], spec: { rollout: { before: { certificatesExpiryDays: 10 } } } },
      (s) => s,
    );
    const expiring = (days: number) => {
      const certificatesExpiryDate = new Date(now + days * 24 * 3600_000).toISOString();
      const machine = { ...facts.machine, status: { ...facts.machine.status, certificatesExpiryDate } };
      return controlPlaneMachineConditions({ ...facts, machine }).find(({ type }) => type === 'UpToDate')?.message;
    };
    expect(expiring(9)).toBe('* Certificates will expire soon, rolloutBefore expired');
    expect(expiring(11)).toBe('');
  });
});

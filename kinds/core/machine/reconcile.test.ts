import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Plan } from '../../../machinery/api/reconcile.ts';
import {
  ago,
  cluster,
  conditionsOf,
  config,
  controlPlaneMachine,
  core,
  healthy,
  host,
  kubeconfig,
  machine,
  machineOwner,
  node,
  now,
  part,
  run,
  snapshot,
  summaryOf,
  tidy,
} from './machine.fixture.ts';
import type { Machine, MachineStatus } from './schema.ts';

describe('provisioning', () => {
  it('waits for its parts, and names them', () => {
    const plan = run(machine(), [cluster()]);
    expect(conditionsOf(plan)).toMatchObject({
      BootstrapConfigReady: ['False', 'ObjectDoesNotExist', 'KubeadmConfig does not exist'],
      InfrastructureReady: ['False', 'ObjectDoesNotExist', 'AWSMachine does not exist'],
      Ready: ['False', 'NotReady', expect.stringContaining('* InfrastructureReady: AWSMachine does not exist')],
      Available: ['False', 'NotReady', ''],
    });
    expect([plan.status?.phase, plan.requeueAfter]).toEqual(['Pending', 30]);
  });
  it('copies the name of the bootstrap data Secret', () => {
    const plan = run(machine(), [cluster(), config, part('AWSMachine')]);
    expect(plan.intent?.spec).toEqual({ bootstrap: { dataSecretName: 'm' } });
    expect(plan.status).toMatchObject({ phase: 'Provisioning', initialization: { bootstrapDataSecretCreated: true } });
  });
  it('copies the provider ID and addresses of the host', () => {
    const plan = run(machine({ spec: { bootstrap: { dataSecretName: 'given' } } }), [cluster(), host]);
    expect(plan.intent?.spec).toEqual({ providerID: 'aws:///z/i-1' });
    expect(plan.status).toMatchObject({
      phase: 'Provisioned',
      addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
      initialization: { infrastructureProvisioned: true, bootstrapDataSecretCreated: true },
    });
  });
  it('takes its parts over from their cloner', () => {
    const cloned = part('AWSMachine', {
      metadata: { ownerReferences: [{ apiVersion: core, kind: 'MachineSet', name: 'set', uid: 'set-uid' }] },
    });
    const [action] = run(machine(), [cluster(), config, cloned]).actions ?? [];
    expect(action).toMatchObject({
      do: 'patch',
      kind: 'AWSMachine',
      resourceVersion: '2',
      patch: { metadata: { ownerReferences: [{ ...machineOwner, blockOwnerDeletion: true }] } },
    });
  });
  it('finds its node, and becomes ready and available with it', () => {
    const one = machine({ spec: { providerID: 'aws:///z/i-1' } });
    const plan = run(one, [cluster(), config, host, snapshot([tidy])]);
    expect(plan.status).toMatchObject({
      phase: 'Running',
      nodeRef: { name: 'node-1' },
      nodeInfo: { kubeletVersion: 'v1.35.0' },
    });
    expect(plan.events).toMatchObject([{ type: 'Normal', reason: 'SuccessfulSetNodeRef', message: 'node-1' }]);
    expect(conditionsOf(plan)).toMatchObject({
      NodeReady: ['True', 'NodeReady', ''],
      NodeHealthy: ['True', 'NodeHealthy', ''],
      Ready: ['True', 'Ready', ''],
      Available: ['True', 'Available', ''],
    });
    expect(plan.actions).toEqual([]);
  });
  it('becomes available after minReadySeconds, and requeues for that', () => {
    const readySince = [{ type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: ago(20) }];
    const one = machine({
      spec: { providerID: 'aws:///z/i-1', minReadySeconds: 30 },
      status: { conditions: readySince },
    });
    const plan = run(one, [cluster(), config, host, snapshot([tidy])]);
    expect(conditionsOf(plan).Available).toEqual(['False', 'WaitingForMinReadySeconds', '']);
    expect(plan.requeueAfter).toBe(10);
  });
  it.each([
    { seconds: 0, expected: ['True', 'Available', ''], wait: undefined },
    { seconds: 30, expected: ['False', 'WaitingForMinReadySeconds', ''], wait: 30 },
  ])('waits no longer than $seconds s when its clock is behind that of an earlier pass', (row) => {
    const readySince = [{ type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: ago(-120) }];
    const one = machine({
      spec: { providerID: 'aws:///z/i-1', minReadySeconds: row.seconds },
      status: { conditions: readySince },
    });
    const plan = run(one, [cluster(), config, host, snapshot([tidy])]);
    expect(conditionsOf(plan).Available).toEqual(row.expected);
    expect(plan.requeueAfter).toBe(row.wait);
  });
  it('updates its node from the current Node', () => {
    const one = machine({
      spec: { providerID: 'aws:///z/i-1' },
      metadata: {
        labels: { 'node-role.kubernetes.io/worker': '', 'cluster.x-k8s.io/set-name': 'set', team: 'x' },
        ownerReferences: [{ apiVersion: 'x/v1', kind: 'MachineSet', name: 'set', uid: 'set-uid', controller: true }],
      },
    });
    const live = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'node-1', resourceVersion: '9' },
      spec: {
        taints: [
          { key: 'node.cluster.x-k8s.io/uninitialized', effect: 'NoSchedule' },
          { key: 'own', effect: 'NoExecute' },
        ],
      },
    };
    const plan = run(one, [cluster(), config, host, snapshot([node()]), kubeconfig], { 'get Node': live });
    expect(plan.actions).toMatchObject([
      {
        do: 'call',
        operation: 'patch',
        input: {
          kubeconfig: 'kubeconfig',
          name: 'node-1',
          resourceVersion: '9',
          patch: {
            metadata: {
              labels: { 'node-role.kubernetes.io/worker': '' },
              annotations: {
                'cluster.x-k8s.io/machine': 'm',
                'cluster.x-k8s.io/owner-kind': 'MachineSet',
                'cluster.x-k8s.io/owner-name': 'set',
                'cluster.x-k8s.io/labels-from-machine': 'node-role.kubernetes.io/worker',
              },
            },
            spec: { taints: [{ key: 'own', effect: 'NoExecute' }] },
          },
        },
      },
    ]);
  });
});

describe('node conditions', () => {
  const one = machine({ spec: { providerID: 'aws:///z/i-1' }, status: { nodeRef: { name: 'node-1' } } });
  const healthOf = (...objects: KubeObject[]) => conditionsOf(run(one, [config, host, ...objects])).NodeHealthy;
  it.each([
    {
      rule: 'report a node that is not ready',
      objects: [
        cluster(),
        snapshot([node({ conditions: [{ type: 'Ready', status: 'False', message: 'no CNI' }, ...healthy] })]),
      ],
      is: ['False', 'NodeNotHealthy', '* Node.Ready: no CNI'],
    },
    {
      rule: 'become Unknown when the kubelet stops, once',
      objects: [
        cluster(),
        snapshot([
          node({
            conditions: ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({
              type,
              status: 'Unknown',
              message: 'Kubelet stopped posting node status.',
            })),
          }),
        ]),
      ],
      is: ['Unknown', 'NodeHealthUnknown', '* Node.AllConditions: Kubelet stopped posting node status.'],
    },
    {
      rule: 'report a deleted node',
      objects: [cluster(), snapshot([])],
      is: ['False', 'NodeDeleted', 'Node node-1 has been deleted while the Machine still exists'],
    },
    {
      rule: 'are Unknown before the control plane answers',
      objects: [cluster({ status: { initialization: { infrastructureProvisioned: true } } })],
      is: ['Unknown', 'InspectionFailed', 'Waiting for Cluster control plane to be initialized'],
    },
    {
      rule: 'are Unknown before the first probe',
      objects: [cluster()],
      is: ['Unknown', 'ConnectionDown', 'Remote connection not established yet'],
    },
    {
      rule: 'keep the last known state for five minutes',
      objects: [cluster(), snapshot([tidy], { reachable: false, unreachableSince: ago(100) })],
      is: ['True', 'NodeHealthy', ''],
    },
    {
      rule: 'become Unknown after five minutes',
      objects: [cluster(), snapshot([tidy], { reachable: false, unreachableSince: ago(400) })],
      is: ['Unknown', 'ConnectionDown', `Last successful probe before ${ago(400)}`],
    },
  ])('$rule', ({ objects, is }) => expect(healthOf(...objects)).toEqual(is));
  it('a host that is permanently gone is reported to clients of both versions', () => {
    const lost = machine({ status: { initialization: { infrastructureProvisioned: true } } });
    const plan = run(lost, [cluster(), config]);
    expect(conditionsOf(plan).InfrastructureReady).toEqual([
      'False',
      'ObjectDeleted',
      'AWSMachine has been deleted while the Machine still exists; to replace it, run: kubectl delete machine m -n default',
    ]);
    expect(plan.status).toMatchObject({ deprecated: { v1beta1: { failureReason: 'InvalidConfiguration' } } });
  });

  it.each([
    { rule: 'its config, before it has a node', of: {}, parts: [host], asks: 30 },
    {
      rule: 'rarely, for a config that is no longer needed',
      of: { nodeRef: { name: 'node-1' } },
      parts: [host],
      asks: 600,
    },
    {
      rule: 'not, when nothing is missing',
      of: { nodeRef: { name: 'node-1' } },
      parts: [config, host],
      asks: undefined,
    },
    { rule: 'its host object', of: { nodeRef: { name: 'node-1' } }, parts: [config], asks: 30 },
  ])('requeues for a missing reference, which no event announces: $rule', ({ of, parts, asks }) =>
    expect(run(machine({ status: of }), [cluster(), snapshot([tidy]), ...parts]).requeueAfter).toBe(asks));

  const ended = { failureReason: 'UpdateError', failureMessage: 'EC2 instance i-1 was terminated' };
  const takenOver = {
    failureReason: 'UpdateError',
    failureMessage:
      'Failure detected from referenced resource infrastructure.cluster.x-k8s.io/v1beta2, Kind=AWSMachine with name "m": EC2 instance i-1 was terminated',
  };
  const known = { initialization: { infrastructureProvisioned: true } };
  it.each([
    { rule: 'repeats the failure of a host that can never work', of: known, host: ended, says: takenOver },
    {
      rule: 'keeps the failure when its host no longer reports it',
      of: { ...known, deprecated: { v1beta1: takenOver } },
      says: takenOver,
    },
    { rule: 'reports no failure of a working host', of: known, says: {} },
  ])('$rule, to v1beta1 clients', ({ of, host: failure = {}, says }) => {
    const failed = part('AWSMachine', { spec: host.spec as object, status: { ...host.status!, ...failure } });
    const { status } = run(machine({ status: of }), [cluster(), config, failed]);
    const { conditions: _, ...rest } = (status as Machine['status'])!.deprecated!.v1beta1!;
    expect(rest).toEqual(says);
  });
});

describe('a checked Machine reports to readers of the older form', () => {
  const condition = (type: string, status: string, reason: string) => ({ type, status, reason, message: reason });
  const succeeded = condition('HealthCheckSucceeded', 'True', 'HealthCheckSucceeded');
  const failed = condition('HealthCheckSucceeded', 'False', 'UnhealthyNode');
  const remark = (reason: string) => condition('OwnerRemediated', 'False', reason);
  it.each([
    { rule: 'nothing without a check', conditions: [], says: [] },
    { rule: 'that it is healthy', conditions: [succeeded], says: ['HealthCheckSucceeded True'] },
    {
      rule: 'that it is not, and waits for its owner',
      conditions: [failed, remark('CannotBeRemediated')],
      says: [
        'HealthCheckSucceeded False UnhealthyNode',
        'OwnerRemediated False WaitingForRemediation',
        'Ready False UnhealthyNode',
      ],
    },
    {
      rule: 'that its owner deletes it',
      conditions: [failed, remark('MachineDeleting')],
      says: ['HealthCheckSucceeded False UnhealthyNode', 'OwnerRemediated True', 'Ready False UnhealthyNode'],
    },
  ])('$rule', ({ conditions, says }) => {
    const before = [{ type: 'OwnerRemediated', status: 'False', reason: 'Stale', severity: 'Warning' }];
    const status = { nodeRef: { name: 'node-1' }, conditions, deprecated: { v1beta1: { conditions: before } } };
    const plan = run(machine({ status }), [cluster(), snapshot([tidy]), config, host]);
    const legacy = (plan.status as Machine['status'])!.deprecated!.v1beta1!.conditions!;
    const reported = legacy
      .filter(({ type, status: is }) => /HealthCheck|Remediated/.test(type) || (type === 'Ready' && is === 'False'))
      .map(({ type, status: is, reason }) => [type, is, reason].filter(Boolean).join(' '))
      .toSorted();
    expect(reported).toEqual(says);
  });
});

describe('deletion', () => {
  const doomed = (
    of: { annotations?: object; ownerReferences?: object[]; status?: object; spec?: object; since?: number } = {},
  ) =>
    machine({
      spec: { providerID: 'aws:///z/i-1', deletion: { nodeDeletionTimeoutSeconds: 10 }, ...of.spec },
      status: { nodeRef: { name: 'node-1' }, ...of.status },
      metadata: {
        deletionTimestamp: ago(of.since ?? 60),
        annotations: of.annotations ?? {},
        ...(of.ownerReferences && { ownerReferences: of.ownerReferences }),
      },
    });
  const liveNode = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'node-1' },
    spec: { providerID: 'aws:///z/i-1', unschedulable: true },
  };
  const pod = (name: string, of: object = {}, metadata: object = {}) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'app',
      ownerReferences: [{ kind: 'ReplicaSet', name: 'r', uid: 'r', controller: true }],
      ...metadata,
    },
    status: { phase: 'Running' },
    ...of,
  });
  const workload = (
    of: { pods?: object[]; daemonSets?: object[]; node?: unknown; attachments?: object[]; volumes?: object[] } = {},
  ) => ({
    'get Node': 'node' in of ? of.node : liveNode,
    'list Pod': { items: of.pods ?? [] },
    'list DaemonSet': { items: of.daemonSets ?? [] },
    'list VolumeAttachment': { items: of.attachments ?? [] },
    'list PersistentVolume': { items: of.volumes ?? [] },
  });
  /** A volume of the claim app/data. */
  const attachedToIt = {
    attachments: [{ spec: { nodeName: 'node-1', source: { persistentVolumeName: 'pv' } }, status: { attached: true } }],
    volumes: [
      {
        metadata: { name: 'pv' },
        spec: { claimRef: { kind: 'PersistentVolumeClaim', namespace: 'app', name: 'data' } },
      },
    ],
  };
  const world = [cluster(), config, host, snapshot([tidy]), kubeconfig, controlPlaneMachine];
  const without = (...kinds: string[]) => world.filter(({ kind }) => !kinds.includes(kind));
  const cleanup = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/kcp-cleanup';
  const controlPlane = part('KubeadmControlPlane', { metadata: { name: 'cp' } });
  const planned = { ...cluster(), spec: { controlPlaneRef: { kind: 'KubeadmControlPlane', name: 'cp' } } };
  const unseen = { status: { nodeRef: undefined, addresses: [{ type: 'InternalDNS', address: 'node-1' }] } };
  const unseenBy = (...kinds: string[]) => [...without('WorkloadSnapshot', ...kinds), snapshot([])];
  const cloned = { ownerReferences: [{ apiVersion: core, kind: 'MachineSet', name: 'set', uid: 'set-uid' }] };
  const outcome = (plan: Plan<MachineStatus>) => ({
    does: (plan.actions ?? []).map(summaryOf),
    says: conditionsOf(plan).Deleting?.slice(1),
    finished: plan.finished ?? false,
  });

  it.each([
    {
      rule: 'waits for pre-drain hooks',
      machine: doomed({ annotations: { 'pre-drain.delete.hook.machine.cluster.x-k8s.io/x': '' } }),
      does: [],
      says: [
        'WaitingForPreDrainHook',
        'Waiting for pre-drain hooks to succeed (hooks: pre-drain.delete.hook.machine.cluster.x-k8s.io/x)',
      ],
    },
    {
      rule: 'cordons the node and evicts its pods',
      machine: doomed(),
      workload: workload({ pods: [pod('a'), pod('b')], node: { ...liveNode, spec: {} } }),
      does: ['patch Node node-1', 'evict Pod a', 'evict Pod b'],
      says: [
        'DrainingNode',
        `Drain not completed yet (started at ${ago(0)}):\n* Pods app/a, app/b: deletionTimestamp set, but still not removed from the Node`,
      ],
    },
    {
      rule: 'cordons an empty node, without announcing evictions',
      machine: doomed(),
      workload: workload({ pods: [], node: { ...liveNode, spec: {} } }),
      does: ['patch Node node-1'],
      says: ['DrainingNode', `Drain not completed yet (started at ${ago(0)})`],
    },
    {
      rule: 'skips pods of DaemonSets, static pods and excluded pods',
      machine: doomed(),
      workload: workload({
        pods: [
          pod('ds', {}, { ownerReferences: [{ kind: 'DaemonSet', name: 'd', uid: 'd', controller: true }] }),
          pod('static', {}, { annotations: { 'kubernetes.io/config.mirror': 'x' } }),
          pod('skip', {}, { labels: { 'cluster.x-k8s.io/drain': 'skip' } }),
        ],
        daemonSets: [{ metadata: { name: 'd', namespace: 'app' } }],
      }),
      does: ['delete AWSMachine'],
      says: ['WaitingForInfrastructureDeletion', 'Waiting for AWSMachine to be deleted'],
    },
    {
      rule: 'waits for pods with the WaitCompleted behaviour',
      machine: doomed({ status: { deletion: { nodeDrainStartTime: ago(30) } } }),
      workload: workload({ pods: [pod('job', {}, { labels: { 'cluster.x-k8s.io/drain': 'wait-completed' } })] }),
      does: [],
      says: ['DrainingNode', `Drain not completed yet (started at ${ago(30)}):\n* Pod app/job: waiting for completion`],
    },
    {
      rule: 'skips completed pods with that behaviour',
      machine: doomed({ status: { deletion: { nodeDrainStartTime: ago(30) } } }),
      workload: workload({
        pods: [
          pod('done', { status: { phase: 'Succeeded' } }, { labels: { 'cluster.x-k8s.io/drain': 'wait-completed' } }),
          pod('failed', { status: { phase: 'Failed' } }, { labels: { 'cluster.x-k8s.io/drain': 'WaitCompleted' } }),
        ],
      }),
      does: ['delete AWSMachine'],
      says: ['WaitingForInfrastructureDeletion', 'Waiting for AWSMachine to be deleted'],
    },
    {
      rule: 'stops draining after its timeout',
      machine: doomed({
        spec: { deletion: { nodeDrainTimeoutSeconds: 20 } },
        status: { deletion: { nodeDrainStartTime: ago(30) } },
      }),
      workload: workload({ pods: [pod('a')] }),
      does: ['delete AWSMachine'],
      says: ['WaitingForInfrastructureDeletion', 'Waiting for AWSMachine to be deleted'],
    },
    {
      rule: 'does not drain when that is excluded',
      machine: doomed({ annotations: { 'machine.cluster.x-k8s.io/exclude-node-draining': '' } }),
      workload: workload({ pods: [] }),
      does: ['delete AWSMachine'],
      says: ['WaitingForInfrastructureDeletion', 'Waiting for AWSMachine to be deleted'],
    },
    {
      rule: 'ignores pods that an unreachable node cannot report as deleted',
      machine: doomed(),
      workload: workload({
        pods: [pod('a', {}, { deletionTimestamp: ago(30) })],
        node: {
          ...liveNode,
          spec: { unschedulable: true, taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }] },
        },
      }),
      does: ['delete AWSMachine'],
      says: ['WaitingForInfrastructureDeletion', 'Waiting for AWSMachine to be deleted'],
    },
    {
      rule: 'waits until it knows its pods',
      machine: doomed(),
      workload: { ...workload({ node: { ...liveNode, spec: {} } }), 'list Pod': new Error('it is away') },
      does: [],
      says: ['DrainingNode', 'Error draining Node, please check controller logs for errors'],
    },
    {
      rule: 'waits for no volumes of skipped pods',
      machine: doomed(),
      workload: workload({
        pods: [
          pod(
            'skip',
            { spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] } },
            { labels: { 'cluster.x-k8s.io/drain': 'skip' } },
          ),
        ],
        ...attachedToIt,
      }),
      does: ['delete AWSMachine'],
      says: ['WaitingForInfrastructureDeletion', 'Waiting for AWSMachine to be deleted'],
    },
    {
      rule: 'waits for volumes to be detached',
      machine: doomed(),
      workload: workload(attachedToIt),
      does: [],
      says: [
        'WaitingForVolumeDetach',
        `Waiting for Node volumes to be detached (started at ${ago(0)})\n* PersistentVolumeClaims: app/data`,
      ],
    },
    {
      rule: 'waits for pre-terminate hooks after the drain',
      machine: doomed({ annotations: { 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/x': '' } }),
      workload: workload(),
      does: [],
      says: [
        'WaitingForPreTerminateHook',
        'Waiting for pre-terminate hooks to succeed (hooks: pre-terminate.delete.hook.machine.cluster.x-k8s.io/x)',
      ],
    },
    {
      rule: 'waits for the hook of its control plane',
      machine: doomed({ annotations: { [cleanup]: '' } }),
      objects: [...without('Cluster'), planned, controlPlane],
      workload: workload(),
      does: [],
      says: ['WaitingForPreTerminateHook', `Waiting for pre-terminate hooks to succeed (hooks: ${cleanup})`],
    },
    {
      rule: 'gives the reason of its control plane',
      machine: doomed({ annotations: { [cleanup]: 'etcd would lose its quorum' } }),
      objects: [...without('Cluster'), planned, controlPlane],
      workload: workload(),
      does: [],
      says: [
        'WaitingForPreTerminateHook',
        `Waiting for pre-terminate hooks to succeed (hooks: ${cleanup}): etcd would lose its quorum`,
      ],
    },
    {
      rule: 'waits for a control plane that released it, because another may adopt it',
      machine: doomed({ annotations: { [cleanup]: '' }, ownerReferences: [] }),
      objects: [...without('Cluster'), planned],
      workload: workload(),
      does: [],
      says: ['WaitingForPreTerminateHook', `Waiting for pre-terminate hooks to succeed (hooks: ${cleanup})`],
    },
    {
      rule: 'ignores the hook of a control plane that released it and is gone, when the Cluster is in deletion',
      machine: doomed({ annotations: { [cleanup]: '' }, ownerReferences: [] }),
      objects: [...without('Cluster'), { ...planned, metadata: { ...planned.metadata, deletionTimestamp: ago(5) } }],
      workload: workload(),
      does: ['delete AWSMachine'],
      says: ['WaitingForInfrastructureDeletion', 'Waiting for AWSMachine to be deleted'],
    },
    {
      rule: 'waits until the host is gone',
      machine: doomed(),
      objects: world.map((o) =>
        o.kind === 'AWSMachine' ? part('AWSMachine', { metadata: { deletionTimestamp: ago(5) } }) : o,
      ),
      does: [],
      says: ['WaitingForInfrastructureDeletion', 'Waiting for AWSMachine to be deleted'],
    },
    {
      rule: 'then deletes the bootstrap config',
      machine: doomed(),
      objects: without('AWSMachine'),
      does: ['delete KubeadmConfig'],
      says: ['WaitingForBootstrapDeletion', 'Waiting for KubeadmConfig to be deleted'],
    },
    {
      rule: 'takes its host over from its cloner before it deletes it, to receive its deletion event',
      machine: doomed(),
      objects: world.map((o) => (o.kind === 'AWSMachine' ? part('AWSMachine', { metadata: cloned }) : o)),
      does: ['patch AWSMachine', 'delete AWSMachine'],
      says: ['WaitingForInfrastructureDeletion', 'Waiting for AWSMachine to be deleted'],
    },
    {
      rule: 'takes its bootstrap config over, even if it is already in deletion',
      machine: doomed(),
      objects: [
        ...without('AWSMachine', 'KubeadmConfig'),
        part('KubeadmConfig', { metadata: { ...cloned, deletionTimestamp: ago(5) } }),
      ],
      does: ['patch KubeadmConfig'],
      says: ['WaitingForBootstrapDeletion', 'Waiting for KubeadmConfig to be deleted'],
    },
    {
      rule: 'then deletes the node',
      machine: doomed(),
      objects: without('AWSMachine', 'KubeadmConfig'),
      workload: workload(),
      does: ['delete Node node-1'],
      says: ['DeletingNode', 'Deleting Node'],
    },
    {
      rule: 'finishes when the node is gone',
      machine: doomed(),
      objects: without('AWSMachine', 'KubeadmConfig'),
      workload: workload({ node: undefined }),
      does: [],
      says: ['DeletionCompleted', 'Deletion completed'],
      finished: true,
    },
    {
      rule: 'never deletes a node of the same name on another host',
      machine: doomed(),
      objects: without('AWSMachine', 'KubeadmConfig'),
      workload: workload({ node: { ...liveNode, spec: { providerID: 'aws:///z/i-2' } } }),
      does: [],
      says: ['DeletionCompleted', 'Deletion completed'],
      finished: true,
    },
    {
      rule: 'deletes the Node of its host even if no probe had seen it',
      machine: doomed(unseen),
      objects: unseenBy('AWSMachine', 'KubeadmConfig'),
      workload: workload(),
      does: ['delete Node node-1'],
      says: ['DeletingNode', 'Deleting Node'],
    },
    {
      rule: 'deletes the Node without a provider ID when it joined before its machine was deleted',
      machine: doomed(unseen),
      objects: unseenBy('AWSMachine', 'KubeadmConfig'),
      workload: workload({
        node: { ...liveNode, metadata: { ...liveNode.metadata, creationTimestamp: ago(61) }, spec: {} },
      }),
      does: ['delete Node node-1'],
      says: ['DeletingNode', 'Deleting Node'],
    },
    ...[
      { found: 'none', node: undefined },
      {
        found: 'one that joined since',
        node: { ...liveNode, metadata: { ...liveNode.metadata, creationTimestamp: ago(60) }, spec: {} },
      },
      { found: 'one that is not known to be its own', node: { ...liveNode, spec: {} } },
    ].map(({ found, node }) => ({
      rule: `looks for that Node once: ${found}`,
      machine: doomed(unseen),
      objects: unseenBy('AWSMachine', 'KubeadmConfig'),
      workload: workload({ node }),
      does: [],
      says: ['DeletionCompleted', 'Deletion completed'],
      finished: true,
    })),
    {
      rule: 'looks for that Node again when the cluster did not answer',
      machine: doomed(unseen),
      objects: unseenBy('AWSMachine', 'KubeadmConfig'),
      workload: workload({ node: new Error('no route') }),
      does: [],
      says: ['DeletingNode', 'Error deleting Node, please check controller logs for errors'],
    },
    {
      rule: 'looks for that Node only until its timeout',
      machine: doomed({ ...unseen, spec: { ...doomed(unseen).spec, deletion: { nodeDeletionTimeoutSeconds: 0 } } }),
      objects: unseenBy('AWSMachine', 'KubeadmConfig'),
      workload: workload({ node: new Error('no route') }),
      does: [],
      says: ['DeletionCompleted', 'Deletion completed'],
      finished: true,
    },
    {
      rule: 'retries an unreachable node once, even after its timeout',
      machine: doomed(),
      objects: without('AWSMachine', 'KubeadmConfig'),
      workload: { 'get Node': new Error('no route') },
      does: [],
      says: ['DeletingNode', 'Error deleting Node, please check controller logs for errors'],
    },
    {
      rule: 'abandons a node that is still unreachable after its timeout',
      machine: doomed({ status: { conditions: [{ type: 'Deleting', status: 'True', reason: 'DeletingNode' }] } }),
      objects: without('AWSMachine', 'KubeadmConfig'),
      workload: { 'get Node': new Error('no route') },
      does: [],
      says: ['DeletionCompleted', 'Deletion completed'],
      finished: true,
    },
    {
      rule: 'skips the node of a Cluster in deletion',
      machine: doomed(),
      objects: [cluster({ metadata: { deletionTimestamp: ago(10) } }), ...without('Cluster')],
      workload: workload({ pods: [pod('a')] }),
      does: ['delete AWSMachine'],
      says: ['WaitingForInfrastructureDeletion', 'Waiting for AWSMachine to be deleted'],
    },
    {
      rule: 'skips the node where no control plane remains',
      machine: doomed(),
      objects: world.filter((o) => o !== controlPlaneMachine),
      workload: workload({ pods: [pod('a')] }),
      does: ['delete AWSMachine'],
      says: ['WaitingForInfrastructureDeletion', 'Waiting for AWSMachine to be deleted'],
    },
    {
      rule: 'skips the node where the last control plane machine is in deletion',
      machine: doomed(),
      objects: world.map((o) =>
        o === controlPlaneMachine ? { ...o, metadata: { ...o.metadata, deletionTimestamp: ago(5) } } : o,
      ),
      workload: workload({ pods: [pod('a')] }),
      does: ['delete AWSMachine'],
      says: ['WaitingForInfrastructureDeletion', 'Waiting for AWSMachine to be deleted'],
    },
    {
      rule: 'waits while the workload cluster is unreadable',
      machine: doomed(),
      workload: { 'get Node': new Error('no route') },
      does: [],
      says: ['DrainingNode', 'Error draining Node, please check controller logs for errors'],
    },
  ])('$rule', ({ machine: one, objects = world, workload: answers = workload(), does, says, finished = false }) => {
    expect(outcome(run(one, objects, answers as Record<string, unknown>))).toEqual({ does, says, finished });
  });

  it('records the addresses of a host that was never observed running, because it may be a Node by now', () => {
    const addresses = [{ type: 'InternalDNS', address: 'node-1' }];
    const pending = { ...host, status: { ready: false, addresses } };
    const plan = run(doomed({ status: { nodeRef: undefined } }), [...without('AWSMachine'), pending]);
    expect(plan.status).toMatchObject({ addresses });
  });

  it('reports the blocking PodDisruptionBudget', () => {
    const lastFailure = {
      port: 'workload',
      operation: 'evict',
      code: 'TooManyRequests',
      at: now,
      message:
        "Cannot evict pod as it would violate the pod's disruption budget. The disruption budget p needs 1 healthy pods and has 1 currently",
    };
    const plan = run(doomed(), world, workload({ pods: [pod('a')] }), { lastFailure });
    expect(conditionsOf(plan).Deleting?.[2]).toBe(
      `Drain not completed yet (started at ${ago(0)}):\n* Pod app/a: cannot evict pod as it would violate the pod's disruption budget. The disruption budget p needs 1 healthy pods and has 1 currently`,
    );
    expect(plan.requeueAfter).toBe(20);
  });
  it.each([
    {
      rule: 'retries a failed node deletion once, even after its timeout',
      port: 'workload',
      attempts: 1,
      finished: undefined,
    },
    {
      rule: 'abandons the node when that fails again after its timeout',
      port: 'workload',
      attempts: 2,
      finished: true,
    },
    {
      rule: 'does not count an attempt that never reached the cluster',
      port: 'installation',
      attempts: 3,
      finished: undefined,
    },
  ])('$rule', ({ port, attempts, finished }) => {
    const lastFailure = { port, operation: 'delete', code: 'InternalError', at: now, message: 'timed out' };
    const failed = { lastFailure, attempts };
    expect(run(doomed(), without('AWSMachine', 'KubeadmConfig'), workload(), failed).finished).toBe(finished);
  });
  it('is reported in Ready', () => {
    const plan = run(doomed(), without('AWSMachine'));
    expect(conditionsOf(plan).Ready).toEqual([
      'False',
      'NotReady',
      '* Deleting: Machine deletion in progress, stage: WaitingForBootstrapDeletion',
    ]);
  });
  it.each([
    { since: 60, wait: 841, says: '' },
    { since: 900, wait: 1, says: '' },
    { since: 901, wait: undefined, says: ' since more than 15m' },
  ])('is requeued to report that it takes long: after $since s', ({ since, wait, says }) => {
    const plan = run(doomed({ since }), without('AWSMachine'));
    expect(plan.requeueAfter).toBe(wait);
    expect(conditionsOf(plan).Ready?.[2]).toBe(
      `* Deleting: Machine deletion in progress${says}, stage: WaitingForBootstrapDeletion`,
    );
  });
});

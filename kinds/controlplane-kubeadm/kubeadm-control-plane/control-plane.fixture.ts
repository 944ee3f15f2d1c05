/** Builds control planes for table tests: healthy ones, to which a test applies its differences. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Context, Plan, Read } from '../../../machinery/api/reconcile.ts';
import type { KubeadmConfig } from '../../bootstrap-kubeadm/kubeadm-config/index.ts';
import type { Cluster } from '../../core/cluster/schema.ts';
import { type Authority, authorities, clusterSecret, type Secret } from '../../core/contract/cluster-secrets.ts';
import type { Restoring } from '../../core/contract/restore.ts';
import { type Admission, freely } from '../../core/contract/rollout.ts';
import type { Machine } from '../../core/machine/schema.ts';
import type { EtcdMember, EtcdStatus, WorkloadSnapshot } from '../../ports/workload.ts';
import type { ControlPlane, Member } from './control-plane.ts';
import { joinConfig } from './desired-config.ts';
import type { KubeadmControlPlane, KubeadmControlPlaneSpec } from './index.ts';
import { controlPlaneMachineConditions } from './machine-conditions.ts';
import { annotations } from './names.ts';
import { workingTowards } from './previous-revision.ts';
import type { KubeadmControlPlaneStatus } from './schema.ts';
import { outOfDateReasons } from './up-to-date.ts';

export const now = Date.parse('2026-06-01T00:00:00Z');
const namespace = 'default';
export const found = <T>(value: T): Read<T> => ({ state: 'found', value });
export const ago = (minutes: number): string => new Date(now - minutes * 60_000).toISOString().replace('.000Z', 'Z');

export const context = (more: Partial<Context> = {}): Context => {
  let drawn = 0;
  return {
    now,
    random: {
      suffix: (length = 5) => String(drawn++).padStart(length, 'x'),
      pick: (from) => from[0]!,
      token: () => '0123456789abcdef0123456789abcdef',
    },
    lastFailure: undefined,
    attempts: 0,
    installation: 'test',
    config: {},
    awaits: [],
    ...more,
  };
};

export interface MachineState {
  name: string;
  /** False: the Machine has no nodeRef yet. */
  node?: boolean;
  /** How long its instance has been running, in minutes. */
  running?: number;
  /** It has an instance that has not been observed running yet. */
  launched?: boolean;
  /** Its launch record exists, but no instance has been observed. */
  launch?: 'under way' | 'came to nothing';
  healthy?: boolean;
  deleting?: boolean;
  /** How long it has been in deletion, in minutes; one if absent. */
  leaving?: number;
  /** The reason of the Deleting condition. */
  stage?: string;
  /** When its certificates do. */
  expires?: string;
  version?: string;
  domain?: string;
  /** Minutes. */
  age?: number;
  template?: string;
  annotations?: Record<string, string>;
  unhealthy?: boolean;
  /** Whether it is an etcd member; true if absent and the Node is known. */
  member?: boolean;
}

export interface ControlPlaneState {
  machines: MachineState[];
  replicas?: number;
  spec?: Partial<KubeadmControlPlaneSpec>;
  annotations?: Record<string, string>;
  initialized?: boolean;
  leader?: string;
  /** Names of etcd members without a Machine. */
  unknownMembers?: string[];
  /** False: the live list of etcd members is unreadable. */
  etcdReadable?: boolean;
  domains?: string[];
  missing?: Authority[];
  faults?: ControlPlane['certificates']['faults'];
  deleting?: boolean;
  workers?: number;
  template?: boolean;
  /** By default, every revision is admitted. */
  admission?: Admission;
  restore?: Restoring;
  /** While its cluster is deleted. */
  finalSnapshot?: Read<KubeObject>;
}

export const nodeNameOf = (machine: string): string => `node-${machine}`;
const addressOf = (machine: string): string => `10.0.0.${machine.charCodeAt(0)}`;

const infraRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSMachineTemplate', name: 'template' };
export const specOf = (more: Partial<KubeadmControlPlaneSpec> = {}): KubeadmControlPlaneSpec => ({
  replicas: 3,
  version: 'v1.35.0',
  machineTemplate: { spec: { infrastructureRef: infraRef } },
  rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } },
  ...more,
});

const kcpOf = ({
  replicas = 3,
  spec,
  annotations: notes,
  initialized = true,
  deleting,
}: ControlPlaneState): KubeadmControlPlane => ({
  apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
  kind: 'KubeadmControlPlane',
  metadata: {
    name: 'kcp',
    namespace,
    uid: 'kcp',
    resourceVersion: '1',
    ...(notes && { annotations: notes }),
    ...(deleting && { deletionTimestamp: ago(1) }),
    ownerReferences: [{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'c', uid: 'cluster' }],
  },
  spec: specOf({ replicas, ...spec }),
  status: initialized ? { initialization: { controlPlaneInitialized: true } } : {},
});

export const clusterOf = (domains: string[] = []): Cluster => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { name: 'c', namespace, uid: 'cluster' },
  spec: { controlPlaneEndpoint: { host: 'api.example.com', port: 6443 } },
  status: {
    initialization: { infrastructureProvisioned: true },
    ...(domains.length > 0 && { failureDomains: domains.map((name) => ({ name, controlPlane: true })) }),
  },
});

const controller = {
  apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
  kind: 'KubeadmControlPlane',
  name: 'kcp',
  uid: 'kcp',
  controller: true,
};

const machineOf = (it: MachineState): Machine => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Machine',
  metadata: {
    name: it.name,
    namespace,
    uid: it.name,
    resourceVersion: '1',
    creationTimestamp: ago(it.age ?? 60),
    labels: { 'cluster.x-k8s.io/control-plane': '' },
    annotations: { [annotations.cleanupHook]: '', ...it.annotations },
    ...(it.deleting && { deletionTimestamp: ago(it.leaving ?? 1) }),
    ownerReferences: [controller],
  },
  spec: {
    clusterName: 'c',
    version: it.version ?? 'v1.35.0',
    // Admission sets this default.
    deletion: { nodeDeletionTimeoutSeconds: 10 },
    ...(it.domain && { failureDomain: it.domain }),
    ...((it.node !== false || it.running !== undefined) && { providerID: `aws:///eu-west-1a/${it.name}` }),
    bootstrap: { configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'KubeadmConfig', name: it.name } },
    infrastructureRef: { apiGroup: infraRef.apiGroup, kind: 'AWSMachine', name: it.name },
  },
  status: {
    ...(it.node !== false && { nodeRef: { name: nodeNameOf(it.name) } }),
    addresses: [{ type: 'InternalIP', address: addressOf(it.name) }],
    ...(it.expires && { certificatesExpiryDate: it.expires }),
    conditions: [
      ...(it.running === undefined
        ? []
        : [
            {
              type: 'InfrastructureReady',
              status: 'True',
              reason: 'Ready',
              message: '',
              lastTransitionTime: ago(it.running),
            },
          ]),
      ...(it.stage ? [{ type: 'Deleting', status: 'True', reason: it.stage, message: '' }] : []),
      ...(it.unhealthy
        ? [
            { type: 'HealthCheckSucceeded', status: 'False', reason: 'NodeUnhealthy', message: '' },
            { type: 'OwnerRemediated', status: 'False', reason: 'WaitingForRemediation', message: '' },
          ]
        : []),
    ] as NonNullable<Machine['status']>['conditions'],
  },
});

const etcdMember = (name: string, address?: string): EtcdMember => ({
  id: `id-${name}`,
  name,
  peerURLs: address === undefined ? [] : [`https://${address}:2380`],
  clientURLs: [],
  isLearner: false,
});

const etcdOf = ({ machines, unknownMembers = [], leader }: ControlPlaneState): EtcdStatus => ({
  members: [
    ...machines
      .filter(({ node, member }) => member ?? node !== false)
      .map(({ name }) => etcdMember(nodeNameOf(name), addressOf(name))),
    ...unknownMembers.map((name) => etcdMember(name)),
  ],
  ...(leader && { leader: `id-${nodeNameOf(leader)}` }),
  alarms: [],
});

const role = 'node-role.kubernetes.io/control-plane';
const snapshotOf = (state: ControlPlaneState): WorkloadSnapshot => {
  const nodes = state.machines.filter(({ node }) => node !== false);
  const components = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'etcd'] as const;
  return {
    reachable: true,
    failures: 0,
    reachableSince: ago(60),
    initialized: state.initialized ?? true,
    nodes: nodes.map(({ name }) => ({
      name: nodeNameOf(name),
      uid: name,
      labels: { [role]: '' },
      annotations: {},
      taints: [{ key: role, effect: 'NoSchedule' }],
      unschedulable: false,
      conditions: [{ type: 'Ready', status: 'True' }],
      nodeInfo: {},
      addresses: [],
      volumesAttached: [],
    })),
    controlPlanePods: nodes.flatMap(({ name, healthy = true }) =>
      components.map((component) => ({
        component,
        node: nodeNameOf(name),
        phase: 'Running',
        ready: healthy,
        deleting: false,
      })),
    ),
    etcd: etcdOf(state),
  };
};

const secretOf = (purpose: string): Secret =>
  clusterSecret({
    namespace,
    name: `c-${purpose}`,
    cluster: 'c',
    owner: controller,
    values: purpose === 'kubeconfig' ? { value: 'kubeconfig' } : { 'tls.crt': 'certificate', 'tls.key': 'key' },
  });

const configOf = (name: string, kcp: KubeadmControlPlane): KubeadmConfig => ({
  apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
  kind: 'KubeadmConfig',
  metadata: { name, namespace, uid: `config-${name}` },
  spec: joinConfig(kcp.spec!),
});
const infraMachineOf = ({ name, template = 'template', launched, launch }: MachineState): KubeObject => ({
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'AWSMachine',
  metadata: {
    name,
    namespace,
    uid: `infra-${name}`,
    annotations: {
      'cluster.x-k8s.io/cloned-from-name': template,
      'cluster.x-k8s.io/cloned-from-groupkind': 'AWSMachineTemplate.infrastructure.cluster.x-k8s.io',
      ...(launch && {
        'capstan.dev/launch': JSON.stringify({
          machine: `infra-${name}`,
          ...(launch === 'came to nothing' && { cameToNothing: true }),
        }),
      }),
    },
  },
  ...(launched && { spec: { providerID: `aws:///eu-west-1a/${name}` } }),
});

/** What kubeadm stored, without any setting. */
export const storedConfiguration = (version: string): string =>
  `apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\nkubernetesVersion: ${version}\ncontrolPlaneEndpoint: api.example.com:6443\n`;

export const controlPlaneOf = (state: ControlPlaneState): ControlPlane => {
  const kcp = kcpOf(state);
  const workload = snapshotOf(state);
  const members = state.machines.map((it): Member => {
    const machine = machineOf(it);
    const infraMachine = infraMachineOf(it);
    const config = configOf(it.name, kcp);
    const facts = { machine, controlPlane: kcp, infraMachine, bootstrapConfig: config, now };
    return {
      machine,
      infraMachine,
      config,
      conditions: controlPlaneMachineConditions({ ...facts, snapshot: workload }),
      outOfDate: outOfDateReasons(facts),
      isAskedFor: outOfDateReasons(facts).length === 0,
    };
  });
  const secrets = Object.fromEntries(
    authorities.map((purpose) => [
      purpose,
      state.missing?.includes(purpose) ? { state: 'absent' } : found(secretOf(purpose)),
    ]),
  ) as ControlPlane['certificates']['secrets'];
  const access = { kubeconfig: '', caCertificate: '', clientCertificate: '', clientKey: '', nodes: [] };
  const status: Read<EtcdStatus> =
    state.etcdReadable === false ? { state: 'unreadable', reason: 'no answer' } : found(etcdOf(state));
  const template: KubeObject = {
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
    kind: 'AWSMachineTemplate',
    metadata: { name: 'template', namespace, uid: 'template' },
    spec: { template: { spec: { instanceType: 't3.large' } } },
  };
  const { admission = freely } = state;
  return {
    ...workingTowards({ kcp, members }, admission, now),
    admission,
    cluster: clusterOf(state.domains),
    template: state.template === false ? { state: 'absent' } : found(template),
    foreign: [],
    orphans: [],
    quotas: [],
    orphanedParts: [],
    finalSnapshot: state.finalSnapshot,
    snapshots: undefined,
    restore: state.restore,
    certificates: { secrets, generated: {}, faults: state.faults ?? {} },
    kubeconfig: found(secretOf('kubeconfig')),
    administrator: undefined,
    workload,
    live: {
      etcd: { access, status },
      kubeadmConfig: found({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'kubeadm-config' },
        data: {
          ClusterConfiguration: `${storedConfiguration(kcp.spec!.version)}clusterName: c\netcd:\n  local: {}\nfeatureGates:\n  ControlPlaneKubeletLocalMode: true\n`,
        },
      }),
      bindings: [1, 2].map(() => found({ apiVersion: 'v1', kind: 'ClusterRoleBinding', metadata: { name: 'b' } })),
      expiries: new Map(),
    },
    withheld: undefined,
    why: '',
    remains: undefined,
    workers: found(Array.from({ length: state.workers ?? 0 }, (_, i) => machineOf({ name: `worker-${i}` }))),
  };
};

/**
 * A plan's actions in short: `create <kind> <name>`, `delete <name>`, `<port operation> <target>`.
 */
export const storyOf = (actions: readonly unknown[] = []): string[] =>
  (
    actions as {
      do: string;
      object?: KubeObject;
      name?: string;
      kind?: string;
      operation?: string;
      input?: Record<string, unknown>;
    }[]
  ).map((action) => {
    switch (action.do) {
      case 'create':
        return `create ${action.object!.kind} ${action.object!.metadata.name}`;
      case 'call':
        return `${action.operation} ${String(action.input?.to ?? action.input?.memberID ?? action.input?.name ?? '')}`.trim();
      default:
        return `${action.do} ${action.kind} ${action.name}`;
    }
  });

/** Three Machines, the oldest first. */
export const three: MachineState[] = [
  { name: 'a', age: 30 },
  { name: 'b', age: 20 },
  { name: 'c', age: 10 },
];
export const [a, b, c] = three as [MachineState, MachineState, MachineState];
export const old = (machine: MachineState): MachineState => ({ ...machine, version: 'v1.34.0' });
/** A deleted Machine that waits for the control plane's pre-terminate hook. */
export const gone = (machine: MachineState): MachineState => ({
  ...machine,
  deleting: true,
  stage: 'WaitingForPreTerminateHook',
});
/** The actions of a plan; undefined without a plan. */
export const does = (plan: Plan<KubeadmControlPlaneStatus> | undefined): string[] | undefined =>
  plan && storyOf(plan.actions);

/** The objects of a new Machine. */
export const creation = (name: string) => [
  `create AWSMachine ${name}`,
  `create KubeadmConfig ${name}`,
  `create Machine ${name}`,
];

/** Situations before an upgrade, and what is found in each. */
import type { Condition, KubeObject } from '../../../../machinery/api/object.ts';
import { parseVersion } from '../../../common/kubernetes-version.ts';
import type { DeprecatedApi, EtcdMember } from '../../../ports/workload.ts';
import type { EtcdFacts, MemberReport, UpgradeFacts, WorkloadFacts } from './facts.ts';
import { versionOf } from './versions.ts';

export const now = Date.parse('2026-01-01T12:00:00Z');
const object = (kind: string, name: string, of: object = {}, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'default', ...metadata },
  ...of,
});
export const condition = (type: string, status: Condition['status'], message = ''): Condition => ({
  type,
  status,
  reason: 'Because',
  message,
  lastTransitionTime: '2026-01-01T10:04:00Z',
});
export const ready = { conditions: [condition('Ready', 'True'), condition('NodeReady', 'True')] };
export const planes = { labels: { 'cluster.x-k8s.io/control-plane': '' }, creationTimestamp: '2026-01-01T10:00:00Z' };
export const workers = {
  labels: { 'cluster.x-k8s.io/deployment-name': 'web' },
  creationTimestamp: '2026-01-01T10:02:00Z',
};
export const machine = (name: string, metadata: object, status: object = ready, version = 'v1.35.2') =>
  object('Machine', name, { spec: { version }, status }, metadata) as UpgradeFacts['machines'][number];
export const deployment = (version = 'v1.35.2', more: object = {}) =>
  object('MachineDeployment', 'web', {
    spec: { template: { spec: { version } }, ...more },
  }) as unknown as UpgradeFacts['machineDeployments'][number];
const deploymentOf = (name: string, config: string) =>
  object('MachineDeployment', name, {
    spec: {
      template: {
        spec: { version: 'v1.35.2', bootstrap: { configRef: { kind: 'KubeadmConfigTemplate', name: config } } },
      },
    },
  }) as unknown as UpgradeFacts['machineDeployments'][number];
const template = (name: string, kubeletExtraArgs: object[]) =>
  object('KubeadmConfigTemplate', name, {
    spec: { template: { spec: { joinConfiguration: { nodeRegistration: { kubeletExtraArgs } } } } },
  });
const healthy = ['Available', 'EtcdClusterHealthy', 'ControlPlaneComponentsHealthy'].map((type) =>
  condition(type, 'True'),
);
const controlPlane = (spec: object = {}, conditions = healthy) =>
  object('KubeadmControlPlane', 'cp', { spec: { version: 'v1.35.2', replicas: 3, ...spec }, status: { conditions } });

const clusterConfiguration = (endpoint = 'api.example.com:6443') =>
  [
    'apiVersion: kubeadm.k8s.io/v1beta4',
    'kind: ClusterConfiguration',
    'kubernetesVersion: v1.35.2',
    `controlPlaneEndpoint: ${endpoint}`,
  ].join('\n');
const configMap = (name: string, data: object) => object('ConfigMap', name, { data }, { namespace: 'kube-system' });
const kubeadmConfig = (text: string) => configMap('kubeadm-config', { ClusterConfiguration: text });
const clusterInfo = (server: string) => `clusters:\n- cluster:\n    server: ${server}\n  name: ""\n`;

const empty: WorkloadFacts = {
  nodes: [],
  namespaces: [],
  pods: [],
  etcdPods: [],
  podDisruptionBudgets: [],
  validatingWebhooks: [],
  mutatingWebhooks: [],
  endpointSlices: [],
  apiServices: [],
  customResourceDefinitions: [],
  deployments: [],
  daemonSets: [],
  persistentVolumes: [],
  corefiles: [],
  kubeadmConfigs: [kubeadmConfig(clusterConfiguration())],
  clusterInfos: [configMap('cluster-info', { kubeconfig: clusterInfo('https://api.example.com:6443') })],
  kubeletConfigs: [configMap('kubelet-config', { kubelet: 'apiVersion: a\nkind: KubeletConfiguration' })],
  kubeProxyConfigs: [],
  deprecatedApis: [],
};
export const facts = (of: Partial<UpgradeFacts> = {}, target = 'v1.36.1'): UpgradeFacts => ({
  target: parseVersion(target)!,
  current: versionOf((of.controlPlane ?? controlPlane()).spec),
  cluster: object('Cluster', 'demo', {
    spec: { controlPlaneEndpoint: { host: 'api.example.com', port: 6443 } },
  }) as UpgradeFacts['cluster'],
  controlPlane: controlPlane(),
  machineDeployments: [],
  machines: [],
  workload: empty,
  now,
  ...of,
});
const pod = (name: string, metadata: object = {}, of: object = { status: { phase: 'Running' } }) =>
  object('Pod', name, of, { ownerReferences: [{ controller: true }], ...metadata });
const budget = (name: string, spec: object, status: object = {}) =>
  object('PodDisruptionBudget', name, { spec: { selector: { matchLabels: { app: 'web' } }, ...spec }, status });
const webhook = (of: object) =>
  object('ValidatingWebhookConfiguration', 'policy', {
    webhooks: [
      {
        name: 'w',
        clientConfig: { service: { namespace: 'policy', name: 'svc' } },
        rules: [{ apiGroups: [''], resources: ['pods'] }],
        ...of,
      },
    ],
  });
const elsewhere = { clientConfig: { service: { namespace: 'x', name: 'y' } } };
const slice = (isReady: boolean) =>
  object(
    'EndpointSlice',
    'svc-1',
    { endpoints: [{ conditions: { ready: isReady } }] },
    { namespace: 'policy', labels: { 'kubernetes.io/service-name': 'svc' } },
  );
const inside = (of: Partial<WorkloadFacts>) => ({ workload: { ...empty, ...of } });
const web = { labels: { app: 'web' } };
const paused = { 'cluster.x-k8s.io/paused': '' };

export interface Case {
  rule: string;
  of?: Partial<UpgradeFacts>;
  target?: string;
  /** Levels and codes, in order. */
  codes: string[];
}

const member = (name: string, more: object = {}): EtcdMember =>
  ({ id: name, name, isLearner: false, ...more }) as EtcdMember;
const etcd = (status: object, reports: readonly MemberReport[] = []) =>
  inside({ etcd: { status: status as EtcdFacts['status'], reports } });
const onNode = (name: string) => ({
  conditions: [...ready.conditions, condition('Available', 'True')],
  nodeRef: { name },
});
const served = (name: string) =>
  machine(name, planes, {
    conditions: [...ready.conditions, condition('Available', 'True'), condition('EtcdMemberHealthy', 'True')],
    nodeRef: { name },
  });
const dead = (name: string) =>
  machine(name, planes, {
    conditions: [condition('Available', 'False'), condition('EtcdMemberHealthy', 'False')],
    nodeRef: { name },
  });
const unjoined = (name: string) =>
  machine(name, planes, {
    conditions: [condition('Available', 'False'), condition('EtcdMemberHealthy', 'Unknown')],
  });
const running = (name: string, image: string) =>
  object(
    'Deployment',
    name,
    { spec: { template: { spec: { containers: [{ name, image }] } } } },
    { namespace: 'kube-system' },
  );
const dns = (imageTag: string) => controlPlane({ kubeadmConfigSpec: { clusterConfiguration: { dns: { imageTag } } } });

export const cases: readonly Case[] = [
  { rule: 'nothing in a healthy cluster', codes: [] },
  {
    rule: 'the removal of members of a newer version, whatever the oldest one runs',
    target: 'v1.35.2',
    of: {
      machines: [
        machine('old', planes),
        machine('new', planes, { conditions: [...ready.conditions, condition('Available', 'True')] }, 'v1.36.1'),
      ],
    },
    codes: ['Refuse MembersAreNewer'],
  },
  {
    rule: 'the removal of several newer members that do not serve',
    target: 'v1.35.2',
    of: {
      machines: [
        machine('old', planes),
        machine('new-1', planes, ready, 'v1.36.1'),
        machine('new-2', planes, ready, 'v1.36.1'),
      ],
    },
    codes: ['Refuse MembersAreNewer'],
  },
  {
    rule: 'no removal of the first newer member that never served',
    target: 'v1.35.2',
    of: { machines: [machine('old', planes), machine('new', planes, ready, 'v1.36.1')] },
    codes: [],
  },
  {
    rule: 'workers ahead of the control plane',
    of: { machineDeployments: [deployment('v1.37.0')] },
    codes: ['Refuse WorkersAhead'],
  },
  {
    rule: 'no worker that keeps its Machines after a rollback',
    of: {
      cluster: object(
        'Cluster',
        'demo',
        { spec: { controlPlaneEndpoint: { host: 'api.example.com', port: 6443 } } },
        { annotations: { 'capstan.dev/object-targets': '{"MachineDeployment/web":{"target":"RollBack"}}' } },
      ) as UpgradeFacts['cluster'],
      machineDeployments: [deployment('v1.37.0')],
    },
    codes: [],
  },
  { rule: 'a lower version', target: 'v1.35.1', codes: ['Refuse VersionIsLower'] },
  {
    rule: 'a lower minor version, and no workers ahead of it',
    of: { machineDeployments: [deployment('v1.35.2')] },
    target: 'v1.34.1',
    codes: ['Refuse VersionIsLower'],
  },
  {
    rule: 'that no host could join without the ConfigMap of kubeadm',
    of: inside({ kubeadmConfigs: [] }),
    codes: ['Refuse KubeadmConfigUnusable'],
  },
  {
    rule: 'that no host could join with a ConfigMap that cannot be parsed',
    of: inside({ kubeadmConfigs: [kubeadmConfig('apiServer: [broken')] }),
    codes: ['Refuse KubeadmConfigUnusable'],
  },
  {
    rule: 'that a host would serve another endpoint than the Cluster’s',
    of: inside({ kubeadmConfigs: [kubeadmConfig(clusterConfiguration('old.example.com:6443'))] }),
    codes: ['Refuse KubeadmConfigUnusable'],
  },
  {
    rule: 'that hosts would join by another server',
    of: inside({ clusterInfos: [configMap('cluster-info', { kubeconfig: clusterInfo('https://old:6443') })] }),
    codes: ['Refuse ClusterInfoUnusable'],
  },
  {
    rule: 'that no host discovers the cluster',
    of: inside({ clusterInfos: [] }),
    codes: ['Refuse ClusterInfoUnusable'],
  },
  {
    rule: 'nothing there if hosts discover the cluster by a file',
    of: {
      ...inside({ clusterInfos: [] }),
      controlPlane: controlPlane({ kubeadmConfigSpec: { joinConfiguration: { discovery: { file: {} } } } }),
    },
    codes: [],
  },
  {
    rule: 'that no kubelet could be configured',
    of: inside({ kubeletConfigs: [configMap('kubelet-config', { kubelet: 'a: [' })] }),
    codes: ['Refuse KubeletConfigUnusable'],
  },
  {
    rule: 'that kubeadm could not decode the configuration of kube-proxy',
    of: inside({ kubeProxyConfigs: [configMap('kube-proxy', { 'config.conf': 'none' })] }),
    codes: ['Refuse KubeProxyConfigUnusable'],
  },
  { rule: 'a skipped minor version', target: 'v1.37.0', codes: ['Refuse MinorSkipped'] },
  { rule: 'nothing in a patch release', target: 'v1.35.3', codes: [] },
  {
    rule: 'workers that are too old for the new API server',
    of: { machineDeployments: [deployment('v1.32.9')] },
    codes: ['Refuse WorkersTooOld'],
  },
  {
    rule: 'a standalone Machine that is too old for the new API server',
    of: { machines: [machine('alone', {}, ready, 'v1.32.9')] },
    codes: ['Refuse WorkersTooOld'],
  },
  {
    rule: 'nothing for workers three minor versions behind',
    of: { machineDeployments: [deployment('v1.33.0')] },
    codes: [],
  },
  {
    rule: 'a flag that the target version no longer has',
    of: {
      controlPlane: controlPlane({
        kubeadmConfigSpec: { clusterConfiguration: { apiServer: { extraArgs: [{ name: 'cloud-provider' }] } } },
      }),
    },
    codes: ['Refuse FlagRemoved'],
  },
  {
    rule: 'a value that the target version refuses',
    of: {
      controlPlane: controlPlane({
        kubeadmConfigSpec: {
          joinConfiguration: {
            nodeRegistration: {
              kubeletExtraArgs: [{ name: 'node-labels', value: 'node-role.kubernetes.io/infra=' }],
            },
          },
        },
      }),
    },
    codes: ['Refuse FlagRefused'],
  },
  {
    rule: 'a file that the target version does not take',
    of: {
      controlPlane: controlPlane({
        kubeadmConfigSpec: {
          clusterConfiguration: { apiServer: { extraArgs: [{ name: 'audit-policy-file', value: '/audit.yaml' }] } },
        },
      }),
    },
    codes: ['Refuse FileRefused'],
  },
  {
    rule: 'a flag of workers, once for all that use the template',
    of: {
      machineDeployments: [deploymentOf('web', 'flags'), deploymentOf('api', 'flags'), deploymentOf('db', 'plain')],
      kubeadmTemplates: [
        template('flags', [{ name: 'pod-infra-container-image', value: 'pause' }]),
        template('plain', []),
        template('unused', [{ name: 'no-such-flag', value: '' }]),
      ],
    },
    codes: ['Refuse FlagRemoved'],
  },
  {
    rule: 'only a warning about images that are not the released ones',
    of: {
      controlPlane: controlPlane({
        kubeadmConfigSpec: {
          clusterConfiguration: {
            imageRepository: 'registry.example.com/kubernetes',
            scheduler: { extraArgs: [{ name: 'no-such-flag', value: '' }] },
          },
        },
      }),
    },
    codes: ['Warn FlagRemoved'],
  },
  {
    rule: 'an etcd that must be upgraded first',
    of: inside({
      etcdPods: [
        pod(
          'etcd-n',
          { labels: { component: 'etcd' } },
          { spec: { containers: [{ name: 'etcd', image: 'r/etcd:3.5.24-0' }] } },
        ),
      ],
    }),
    codes: ['Refuse EtcdTooOld'],
  },
  {
    rule: 'nothing for an etcd that is new enough',
    of: inside({
      etcdPods: [
        pod(
          'etcd-n',
          { labels: { component: 'etcd' } },
          { spec: { containers: [{ name: 'etcd', image: 'r/etcd:3.6.5-0' }] } },
        ),
      ],
    }),
    codes: [],
  },
  {
    rule: 'an unhealthy etcd',
    of: { controlPlane: controlPlane({}, [condition('EtcdClusterHealthy', 'False', '* a member is down')]) },
    codes: ['Refuse ControlPlaneUnhealthy'],
  },
  {
    rule: 'a control plane that already rolls out',
    of: { controlPlane: controlPlane({}, [...healthy, condition('RollingOut', 'True')]) },
    codes: ['Refuse ControlPlaneChanging'],
  },
  {
    rule: 'a control plane with one machine',
    of: { controlPlane: controlPlane({ replicas: 1 }) },
    codes: ['Warn SingleControlPlaneMachine'],
  },
  {
    rule: 'a paused Cluster',
    of: { cluster: object('Cluster', 'demo', { spec: { paused: true } }) as UpgradeFacts['cluster'] },
    codes: ['Refuse ClusterPaused'],
  },
  {
    rule: 'a Cluster that is paused by annotation',
    of: { cluster: object('Cluster', 'demo', {}, { annotations: paused }) as UpgradeFacts['cluster'] },
    codes: ['Refuse ClusterPaused'],
  },
  {
    rule: 'a Cluster that is being deleted',
    of: {
      cluster: object('Cluster', 'demo', {}, { deletionTimestamp: '2026-01-01T11:00:00Z' }) as UpgradeFacts['cluster'],
    },
    codes: ['Refuse ClusterDeleting'],
  },
  { rule: 'a missing control plane', of: { controlPlane: undefined }, codes: ['Refuse ControlPlaneMissing'] },
  {
    rule: 'a paused control plane',
    of: { controlPlane: { ...controlPlane(), metadata: { name: 'cp', annotations: paused } } },
    codes: ['Refuse ControlPlanePaused'],
  },
  {
    rule: 'a paused MachineDeployment',
    of: { machineDeployments: [deployment('v1.35.2', { paused: true })] },
    codes: ['Warn WorkersPaused'],
  },
  {
    rule: 'problems before warnings',
    of: { controlPlane: controlPlane({ replicas: 1 }), ...inside({ validatingWebhooks: [webhook({})] }) },
    codes: ['Refuse WebhookUnavailable', 'Warn SingleControlPlaneMachine'],
  },
  {
    rule: 'a cluster that does not answer',
    of: { workload: { unreadable: 'no' } },
    codes: ['Refuse ClusterUnreachable'],
  },
  {
    rule: 'a Machine that is not Ready, unless it is in deletion',
    of: {
      machines: [
        machine('a', workers, { conditions: [condition('Ready', 'False', 'down')] }),
        machine('b', { ...workers, deletionTimestamp: '2026-01-01T11:00:00Z' }, {}),
      ],
    },
    codes: ['Warn MachineNotReady'],
  },
  {
    rule: 'certificates that expire within thirty days',
    of: { machines: [machine('a', planes, { ...ready, certificatesExpiryDate: '2026-01-20T00:00:00Z' })] },
    codes: ['Warn CertificatesExpire'],
  },
  {
    rule: 'a cordoned Node',
    of: inside({ nodes: [object('Node', 'n', { spec: { unschedulable: true } }), object('Node', 'm')] }),
    codes: ['Warn NodeCordoned'],
  },
  {
    rule: 'a PodDisruptionBudget that permits no eviction',
    of: inside({
      podDisruptionBudgets: [
        budget('never', { maxUnavailable: 0 }, { disruptionsAllowed: 0, expectedPods: 2 }),
        budget('free', { maxUnavailable: 1 }, { disruptionsAllowed: 1, expectedPods: 2 }),
        budget('unused', { maxUnavailable: 0 }, { disruptionsAllowed: 0, expectedPods: 0 }),
      ],
    }),
    codes: ['Warn DisruptionBudgetBlocks'],
  },
  {
    rule: 'a pod with two PodDisruptionBudgets, which can never be evicted',
    of: inside({
      pods: [pod('web', web), pod('other', { labels: { app: 'other' } })],
      podDisruptionBudgets: [budget('a', {}), budget('b', {})],
    }),
    codes: ['Refuse DisruptionBudgetsOverlap'],
  },
  {
    rule: 'two overlapping budgets once, whatever the number of their pods',
    of: inside({
      pods: [pod('one', web), pod('two', web)],
      podDisruptionBudgets: [budget('a', {}), budget('b', {})],
    }),
    codes: ['Refuse DisruptionBudgetsOverlap'],
  },
  {
    rule: 'nothing for overlapping budgets of pods that are completed, static, pending or of a DaemonSet',
    of: inside({
      pods: [
        pod('over', web, { status: { phase: 'Failed' } }),
        pod('waiting', web, { status: { phase: 'Pending' } }),
        pod('static', { ...web, annotations: { 'kubernetes.io/config.mirror': 'x' } }),
        pod('everywhere', { ...web, ownerReferences: [{ controller: true, kind: 'DaemonSet', name: 'agent' }] }),
      ],
      podDisruptionBudgets: [budget('a', {}), budget('b', {})],
    }),
    codes: [],
  },
  {
    rule: 'a webhook on all resources without endpoints',
    of: inside({ validatingWebhooks: [webhook({ rules: [{ apiGroups: ['*'], resources: ['*'] }] })] }),
    codes: ['Refuse WebhookUnavailable'],
  },
  {
    rule: 'a pod without a controller, unless it is static or completed',
    of: inside({
      pods: [
        pod('bare', { ownerReferences: [] }),
        pod('static', { ownerReferences: [], annotations: { 'kubernetes.io/config.mirror': 'x' } }),
        pod('over', { ownerReferences: [] }, { status: { phase: 'Succeeded' } }),
      ],
    }),
    codes: ['Warn PodWithoutController'],
  },
  {
    rule: 'a pod webhook without endpoints',
    of: inside({ validatingWebhooks: [webhook({})] }),
    codes: ['Refuse WebhookUnavailable'],
  },
  {
    rule: 'a webhook whose endpoints are not ready',
    of: inside({ validatingWebhooks: [webhook({})], endpointSlices: [slice(false)] }),
    codes: ['Refuse WebhookUnavailable'],
  },
  {
    rule: 'nothing for a webhook that answers, may fail, or concerns other resources',
    of: inside({
      validatingWebhooks: [
        webhook({}),
        webhook({ ...elsewhere, failurePolicy: 'Ignore' }),
        webhook({ ...elsewhere, rules: [{ apiGroups: ['*'], resources: ['widgets'] }] }),
        webhook({ ...elsewhere, rules: [{ apiGroups: ['cert-manager.io'], resources: ['*/*'] }] }),
      ],
      endpointSlices: [slice(true)],
    }),
    codes: [],
  },
  {
    rule: 'an APIService that does not answer',
    of: inside({
      apiServices: [object('APIService', 'v1.metrics', { status: { conditions: [condition('Available', 'False')] } })],
    }),
    codes: ['Warn APIServiceUnavailable'],
  },
  {
    rule: 'a stored version that is no longer served',
    of: inside({
      customResourceDefinitions: [
        object('CustomResourceDefinition', 'widgets', {
          spec: {
            versions: [
              { name: 'v1', served: true },
              { name: 'v1alpha1', served: false },
            ],
          },
          status: { storedVersions: ['v1alpha1', 'v1'] },
        }),
      ],
    }),
    codes: ['Warn StoredVersionNotServed'],
  },
  {
    rule: 'workers of a version that the control plane does not get with them',
    of: {
      objects: [{ kind: 'MachineDeployment', name: 'web' }],
      machineDeployments: [deployment('v1.36.1')],
    },
    codes: ['Refuse WorkersTooNew'],
  },
  {
    rule: 'what the infrastructure refuses',
    of: {
      infrastructure: {
        verdict: 'refused',
        message: 'no such type',
        findings: [{ code: 'InstanceTypeRefused', message: 'no such type' }],
        waitsFor: 'the quota',
      },
    },
    codes: ['Refuse InstanceTypeRefused', 'Warn InfrastructureNotChecked'],
  },
  {
    rule: 'an infrastructure that does not answer',
    of: { infrastructure: { verdict: 'pending', message: 'unreadable' } },
    codes: ['Warn InfrastructureNotChecked'],
  },
  { rule: 'an etcd that does not answer', of: etcd({ unreadable: 'no' }), codes: ['Warn EtcdNotChecked'] },
  {
    rule: 'an alarm of etcd',
    of: etcd({ members: [member('a')], alarms: [{ memberID: 'a', type: 'NOSPACE' }] }),
    codes: ['Refuse EtcdAlarm'],
  },
  {
    rule: 'a member of etcd without a vote',
    of: etcd({ members: [member('a', { isLearner: true })], alarms: [] }),
    codes: ['Refuse EtcdMemberWithoutVote'],
  },
  {
    rule: 'a member of etcd without a Machine, and a Machine without one',
    of: { ...etcd({ members: [member('b')], alarms: [] }), machines: [machine('m', planes, onNode('a'))] },
    codes: ['Refuse EtcdMemberUnknown', 'Refuse EtcdMemberMissing'],
  },
  {
    rule: 'a member that does not answer, and a full one',
    of: etcd({ members: [member('a'), member('b')], alarms: [] }, [
      { node: 'a', unreadable: 'no' },
      { node: 'b', id: 'b', revision: 1, dbSize: 2 ** 31, version: '3.6.5' } as MemberReport,
    ]),
    codes: ['Refuse EtcdDatabaseFull', 'Warn EtcdMemberNotChecked'],
  },
  {
    rule: 'only a warning about a dead member that the upgrade replaces',
    of: {
      controlPlane: controlPlane({}, [condition('EtcdClusterHealthy', 'False', '* a member is down')]),
      machines: [served('a'), served('b'), dead('c')],
    },
    codes: ['Warn ControlPlaneUnhealthy', 'Warn MachineNotReady'],
  },
  {
    rule: 'only a warning about a host that cannot join, beside the only member',
    of: {
      controlPlane: controlPlane({}, [condition('EtcdClusterHealthy', 'Unknown', '* Waiting for a Node')]),
      machines: [served('a'), unjoined('b')],
    },
    codes: ['Warn ControlPlaneUnhealthy', 'Warn MachineNotReady'],
  },
  {
    rule: 'a dead member without which etcd has no quorum',
    of: {
      controlPlane: controlPlane({}, [condition('EtcdClusterHealthy', 'False', '* two members are down')]),
      machines: [served('a'), dead('b'), dead('c')],
    },
    codes: ['Refuse ControlPlaneUnhealthy', 'Warn MachineNotReady'],
  },
  {
    rule: 'only a warning about a control plane that stays as it is',
    of: {
      objects: [{ kind: 'MachineDeployment', name: 'web' }],
      controlPlane: controlPlane({}, [condition('EtcdClusterHealthy', 'False', '* a member is down')]),
    },
    codes: ['Warn ControlPlaneUnhealthy'],
  },
  {
    rule: 'a webhook that must admit its own Pods, all on one Node',
    of: inside({
      validatingWebhooks: [webhook({ rules: [{ apiGroups: [''], resources: ['pods'], operations: ['CREATE'] }] })],
      endpointSlices: [
        object(
          'EndpointSlice',
          'svc-1',
          { endpoints: [{ conditions: { ready: true }, nodeName: 'n', targetRef: { kind: 'Pod', name: 'guard' } }] },
          { namespace: 'policy', labels: { 'kubernetes.io/service-name': 'svc' } },
        ),
      ],
      pods: [pod('guard', { namespace: 'policy' })],
    }),
    codes: ['Refuse WebhookBlocksItself'],
  },
  {
    rule: 'metrics that cannot be read',
    of: inside({ deprecatedApis: { unreadable: 'no' } }),
    codes: ['Warn DeprecatedAPIsNotChecked'],
  },
  {
    rule: 'a request for an API that goes',
    of: inside({
      deprecatedApis: [
        { group: 'g', version: 'v1beta1', resource: 'widgets', removedRelease: '1.36' } as DeprecatedApi,
      ],
    }),
    codes: ['Warn DeprecatedAPIRequested'],
  },
  {
    rule: 'Pods that must not be evicted',
    of: inside({ pods: [pod('web', { annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' } })] }),
    codes: ['Warn PodNotSafeToEvict'],
  },
  {
    rule: 'an add-on of the former minor version',
    of: inside({ deployments: [running('ccm', 'r/cloud-controller-manager:v1.35.0')] }),
    codes: ['Warn AddOnOutdated'],
  },
  {
    rule: 'a lower tag of CoreDNS',
    of: { controlPlane: dns('1.11.0'), ...inside({ deployments: [running('coredns', 'r/coredns:1.12.0')] }) },
    codes: ['Warn CoreDNSTagLower'],
  },
  {
    rule: 'a plugin that CoreDNS no longer has',
    of: {
      controlPlane: dns('1.12.0'),
      ...inside({
        deployments: [running('coredns', 'r/coredns:1.4.0')],
        corefiles: [configMap('coredns', { Corefile: '.:53 {\n  proxy . /etc/resolv.conf\n}' })],
      }),
    },
    codes: ['Refuse CorefilePluginRemoved'],
  },
  {
    rule: 'volumes of a zone without a second Node',
    of: inside({
      pods: [pod('db', {}, { spec: { nodeName: 'n', volumes: [{ persistentVolumeClaim: { claimName: 'data' } }] } })],
      persistentVolumes: [
        object('PersistentVolume', 'pv', {
          spec: {
            claimRef: { namespace: 'default', name: 'data' },
            nodeAffinity: {
              required: {
                nodeSelectorTerms: [
                  { matchExpressions: [{ key: 'topology.kubernetes.io/zone', values: ['us-east-1a'] }] },
                ],
              },
            },
          },
        }),
      ],
    }),
    codes: ['Warn VolumeZoneHasOneNode'],
  },
];

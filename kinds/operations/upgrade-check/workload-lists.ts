/** What the checks read in a workload cluster, with the fields that they look at. */
import { clusterConfigurationKey, kubeadmConfigMap } from '../../common/kubeadm-config-map.ts';
import type { WorkloadReads } from '../../ports/workload.ts';
import type { WorkloadFacts } from './checks/facts.ts';

type ListInput = Omit<WorkloadReads['list'][0], 'kubeconfig'>;

export type ListName = Exclude<keyof WorkloadFacts, 'etcd' | 'deprecatedApis'>;

const labels = 'metadata.labels';
const images = ['spec.template.spec.containers.name', 'spec.template.spec.containers.image'];
const inKubeSystem = { namespace: 'kube-system' };

export const workloadLists: Readonly<Record<ListName, ListInput>> = {
  nodes: { apiVersion: 'v1', kind: 'Node', only: [labels, 'spec.unschedulable'] },
  namespaces: { apiVersion: 'v1', kind: 'Namespace', only: [labels] },
  pods: {
    apiVersion: 'v1',
    kind: 'Pod',
    only: [
      labels,
      'metadata.annotations',
      'metadata.ownerReferences',
      'spec.nodeName',
      'spec.volumes.persistentVolumeClaim.claimName',
      'status.phase',
    ],
  },
  etcdPods: {
    apiVersion: 'v1',
    kind: 'Pod',
    ...inKubeSystem,
    labelSelector: 'component=etcd',
    only: ['spec.nodeName', 'spec.containers.name', 'spec.containers.image', 'spec.containers.command'],
  },
  podDisruptionBudgets: { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', only: ['spec', 'status'] },
  validatingWebhooks: {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    only: ['webhooks'],
  },
  mutatingWebhooks: {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    only: ['webhooks'],
  },
  endpointSlices: {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    only: [labels, 'endpoints.conditions.ready', 'endpoints.nodeName', 'endpoints.targetRef'],
  },
  apiServices: { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', only: ['status'] },
  customResourceDefinitions: {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    only: ['spec.versions.name', 'spec.versions.served', 'status.storedVersions'],
  },
  deployments: { apiVersion: 'apps/v1', kind: 'Deployment', only: images },
  daemonSets: { apiVersion: 'apps/v1', kind: 'DaemonSet', only: images },
  persistentVolumes: { apiVersion: 'v1', kind: 'PersistentVolume', only: ['spec.nodeAffinity', 'spec.claimRef'] },
  corefiles: {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    ...inKubeSystem,
    fieldSelector: 'metadata.name=coredns',
    only: ['data.Corefile'],
  },
  kubeadmConfigs: {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    ...inKubeSystem,
    fieldSelector: `metadata.name=${kubeadmConfigMap.name}`,
    only: [`data.${clusterConfigurationKey}`],
  },
  clusterInfos: {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: 'kube-public',
    fieldSelector: 'metadata.name=cluster-info',
    only: ['data.kubeconfig'],
  },
  kubeletConfigs: {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    ...inKubeSystem,
    fieldSelector: 'metadata.name=kubelet-config',
    only: ['data.kubelet'],
  },
  kubeProxyConfigs: {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    ...inKubeSystem,
    fieldSelector: 'metadata.name=kube-proxy',
    only: ['data'],
  },
};

export const listNames = Object.keys(workloadLists) as ListName[];

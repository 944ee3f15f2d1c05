/** The objects that a user applies for one cluster, and for the update of its workers. */
import type { KubeObject } from '../../machinery/api/object.ts';
import type { FleetOptions } from './options.ts';

export interface Place {
  region: string;
  /** Absent: the cluster creates its own. */
  network?: { vpc: string; subnets: string[] };
}

export const version = 'v1.35.0';
const namespace = 'default';
const infrastructure = 'infrastructure.cluster.x-k8s.io';

/** cloud-init inserts the instance's name and ID: no cloud controller manager runs that would set the ID. */
export const nodeRegistration = {
  name: '{{ ds.meta_data.local_hostname }}',
  kubeletExtraArgs: [
    {
      name: 'provider-id',
      value: 'aws:///{{ ds.meta_data.placement.availability_zone }}/{{ ds.meta_data.instance_id }}',
    },
  ],
};

export const nameOf = (index: number): string => `c${String(index).padStart(5, '0')}`;

export const machineTemplate = (name: string, role: string, instanceType = 't3.large'): KubeObject => ({
  apiVersion: `${infrastructure}/v1beta2`,
  kind: 'AWSMachineTemplate',
  metadata: { name, namespace },
  spec: {
    template: {
      spec: { instanceType, iamInstanceProfile: `${role}.cluster-api-provider-aws.sigs.k8s.io` },
    },
  },
});

const templateRef = (name: string) => ({ apiGroup: infrastructure, kind: 'AWSMachineTemplate', name });

/** Selects every cluster. */
const addOns = { 'add-ons': 'everywhere' };
/** The add-on for every cluster. */
export const addOnObjects = (): KubeObject[] => [
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'add-ons', namespace },
    data: { 'add-ons.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: add-ons, namespace: kube-system}\n' },
  },
  {
    apiVersion: 'addons.cluster.x-k8s.io/v1beta2',
    kind: 'ClusterResourceSet',
    metadata: { name: 'add-ons', namespace },
    spec: { clusterSelector: { matchLabels: addOns }, resources: [{ kind: 'ConfigMap', name: 'add-ons' }] },
  },
];

export const clusterObjects = (
  name: string,
  { region, network }: Place,
  { controlPlanes, workers, keys, maxSurge }: Pick<FleetOptions, 'controlPlanes' | 'workers' | 'keys' | 'maxSurge'>,
): KubeObject[] => [
  {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: { name, namespace, labels: addOns },
    spec: {
      clusterNetwork: { pods: { cidrBlocks: ['192.168.0.0/16'] } },
      infrastructureRef: { apiGroup: infrastructure, kind: 'AWSCluster', name },
      controlPlaneRef: { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'KubeadmControlPlane', name },
    },
  },
  {
    apiVersion: `${infrastructure}/v1beta2`,
    kind: 'AWSCluster',
    metadata: { name, namespace },
    spec: {
      region,
      controlPlaneLoadBalancer: { loadBalancerType: 'nlb' },
      ...(network && { network: { vpc: { id: network.vpc }, subnets: network.subnets.map((id) => ({ id })) } }),
    },
  },
  {
    apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
    kind: 'KubeadmControlPlane',
    metadata: { name, namespace },
    spec: {
      replicas: controlPlanes,
      version,
      machineTemplate: { spec: { infrastructureRef: templateRef(`${name}-control-plane`) } },
      kubeadmConfigSpec: {
        clusterConfiguration: { encryptionAlgorithm: keys === 'rsa' ? 'RSA-2048' : 'ECDSA-P256' },
        initConfiguration: { nodeRegistration },
        joinConfiguration: { nodeRegistration },
      },
    },
  },
  machineTemplate(`${name}-control-plane`, 'control-plane'),
  {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachineDeployment',
    metadata: { name, namespace },
    spec: {
      clusterName: name,
      replicas: workers,
      selector: { matchLabels: {} },
      rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge } } },
      template: {
        spec: {
          clusterName: name,
          version,
          bootstrap: {
            configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'KubeadmConfigTemplate', name },
          },
          infrastructureRef: templateRef(`${name}-workers`),
        },
      },
    },
  },
  machineTemplate(`${name}-workers`, 'nodes'),
  {
    apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
    kind: 'KubeadmConfigTemplate',
    metadata: { name, namespace },
    spec: { template: { spec: { joinConfiguration: { nodeRegistration } } } },
  },
];

/** Templates are immutable: larger workers need another template and a reference to it. */
export const largerWorkers = (name: string): { template: KubeObject; patch: object } => ({
  template: machineTemplate(`${name}-workers-2`, 'nodes', 't3.xlarge'),
  patch: { spec: { template: { spec: { infrastructureRef: templateRef(`${name}-workers-2`) } } } },
});

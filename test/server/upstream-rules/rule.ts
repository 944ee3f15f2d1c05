/** The form of a test for an upstream admission rule, and valid objects to break the rule with. */
import type { KubeObject } from '../../../machinery/api/object.ts';

export interface UpstreamRule {
  kind: string;
  /** What upstream rejects. */
  refuses: string;
  /** The merge patch that breaks the rule: on create of a valid object or, with `stored`, on update. */
  with: object;
  /** The merge patch that turns a valid object into the existing one; `{}` for none. */
  stored?: object;
  /** The API version of the request; v1beta2 by default, or the one that is stored. */
  version?: 'v1beta1';
  /** A part of the message, which starts with the field. */
  says: string;
  /** 422 by default. */
  code?: number;
}

/** A rule of upstream that Capstan does not share, with the reason; the request is accepted. */
export type AcceptedHere = Omit<UpstreamRule, 'says' | 'code'> & { why: string };

/** A message about a spec at `at`: its leading field is named from the root of the object. */
export const placed = (at: string, says: string): string =>
  /^[a-z][A-Za-z.[\]0-9]*:/.test(says) ? `${at}.${says}` : says;

const name = 'case';
const infrastructure = 'infrastructure.cluster.x-k8s.io';
const of = (apiVersion: string, kind: string, spec: object): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name },
  spec,
});

const machineTemplate = {
  clusterName: name,
  bootstrap: { dataSecretName: name },
  infrastructureRef: { apiGroup: infrastructure, kind: 'AWSMachineTemplate', name },
};
const templateRef = (group: string, kind: string) => ({ templateRef: { apiVersion: `${group}/v1beta2`, kind, name } });
/** Of a ClusterClass. */
export const workerClass = {
  class: name,
  bootstrap: templateRef('bootstrap.cluster.x-k8s.io', 'KubeadmConfigTemplate'),
  infrastructure: templateRef(infrastructure, 'AWSMachineTemplate'),
};
const ipam = 'ipam.cluster.x-k8s.io';
const poolRef = { apiGroup: ipam, kind: 'InClusterIPPool', name };
const pool = { addresses: ['10.0.0.10-10.0.0.20'], prefix: 24 };
const replicated = { clusterName: name, selector: {}, template: { spec: machineTemplate } };

const valid: KubeObject[] = [
  of('cluster.x-k8s.io/v1beta2', 'Cluster', {
    infrastructureRef: { apiGroup: infrastructure, kind: 'AWSCluster', name },
    controlPlaneRef: { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'KubeadmControlPlane', name },
  }),
  of('cluster.x-k8s.io/v1beta2', 'ClusterClass', {
    infrastructure: templateRef(infrastructure, 'AWSClusterTemplate'),
    controlPlane: templateRef('controlplane.cluster.x-k8s.io', 'KubeadmControlPlaneTemplate'),
    workers: { machineDeployments: [workerClass] },
  }),
  of('cluster.x-k8s.io/v1beta2', 'Machine', machineTemplate),
  of('cluster.x-k8s.io/v1beta2', 'MachineSet', replicated),
  of('cluster.x-k8s.io/v1beta2', 'MachineDeployment', replicated),
  of('cluster.x-k8s.io/v1beta2', 'MachineHealthCheck', { clusterName: name, selector: { matchLabels: { of: name } } }),
  of('cluster.x-k8s.io/v1beta2', 'MachineDrainRule', { drain: { behavior: 'Drain' } }),
  of('cluster.x-k8s.io/v1beta2', 'MachinePool', { clusterName: name, template: { spec: machineTemplate } }),
  of('addons.cluster.x-k8s.io/v1beta2', 'ClusterResourceSet', {
    clusterSelector: { matchLabels: { of: name } },
    resources: [{ kind: 'ConfigMap', name }],
  }),
  of('addons.cluster.x-k8s.io/v1beta2', 'ClusterResourceSetBinding', { clusterName: name }),
  of('bootstrap.cluster.x-k8s.io/v1beta2', 'KubeadmConfig', { format: 'cloud-config' }),
  of('bootstrap.cluster.x-k8s.io/v1beta2', 'KubeadmConfigTemplate', {
    template: { spec: { format: 'cloud-config' } },
  }),
  of('bootstrap.cluster.x-k8s.io/v1beta2', 'NodeadmConfig', {}),
  of('bootstrap.cluster.x-k8s.io/v1beta2', 'NodeadmConfigTemplate', { template: { spec: {} } }),
  of('controlplane.cluster.x-k8s.io/v1beta2', 'KubeadmControlPlane', {
    version: 'v1.35.0',
    replicas: 1,
    kubeadmConfigSpec: { format: 'cloud-config' },
    machineTemplate: { spec: { infrastructureRef: machineTemplate.infrastructureRef } },
  }),
  of('controlplane.cluster.x-k8s.io/v1beta2', 'KubeadmControlPlaneTemplate', {
    template: { spec: { kubeadmConfigSpec: { format: 'cloud-config' } } },
  }),
  of(`${infrastructure}/v1beta2`, 'AWSClusterTemplate', {
    template: { spec: { region: 'eu-central-1', controlPlaneLoadBalancer: { loadBalancerType: 'nlb' } } },
  }),
  of(`${infrastructure}/v1beta2`, 'AWSCluster', {
    region: 'eu-central-1',
    controlPlaneLoadBalancer: { loadBalancerType: 'nlb' },
  }),
  of(`${infrastructure}/v1beta2`, 'AWSManagedCluster', {}),
  of('controlplane.cluster.x-k8s.io/v1beta2', 'AWSManagedControlPlane', {
    region: 'eu-central-1',
    version: 'v1.34.0',
    network: { vpc: { id: 'vpc-1' }, subnets: [{ id: 'subnet-1' }, { id: 'subnet-2' }] },
  }),
  of(`${infrastructure}/v1beta2`, 'AWSManagedMachinePool', { instanceType: 't3.large' }),
  of(`${infrastructure}/v1beta2`, 'AWSMachine', { instanceType: 't3.large' }),
  of(`${infrastructure}/v1beta2`, 'AWSMachineTemplate', { template: { spec: { instanceType: 't3.large' } } }),
  of(`${infrastructure}/v1beta2`, 'AWSMachinePool', {
    minSize: 1,
    maxSize: 3,
    awsLaunchTemplate: { instanceType: 't3.large' },
  }),
  {
    ...of(`${infrastructure}/v1beta2`, 'AWSClusterControllerIdentity', { allowedNamespaces: {} }),
    metadata: { name: 'default' },
  },
  of(`${infrastructure}/v1beta2`, 'AWSClusterRoleIdentity', {
    roleARN: 'arn:aws:iam::222233334444:role/clusters',
    sourceIdentityRef: { kind: 'AWSClusterControllerIdentity', name: 'default' },
    allowedNamespaces: {},
  }),
  of(`${ipam}/v1beta2`, 'IPAddressClaim', { poolRef }),
  of(`${ipam}/v1beta2`, 'IPAddress', { address: '10.0.0.10', prefix: 24, claimRef: { name }, poolRef }),
  of(`${ipam}/v1alpha2`, 'InClusterIPPool', pool),
  of(`${ipam}/v1alpha2`, 'GlobalInClusterIPPool', pool),
  of('runtime.cluster.x-k8s.io/v1beta2', 'ExtensionConfig', { clientConfig: { url: 'https://extension.example' } }),
];
const valid1: KubeObject[] = [
  of('controlplane.cluster.x-k8s.io/v1beta1', 'KubeadmControlPlane', {
    version: 'v1.35.0',
    replicas: 1,
    kubeadmConfigSpec: {},
    machineTemplate: {
      infrastructureRef: { apiVersion: `${infrastructure}/v1beta2`, kind: 'AWSMachineTemplate', name },
    },
  }),
  of('bootstrap.cluster.x-k8s.io/v1beta1', 'KubeadmConfig', {}),
];

export const validKinds = valid.map(({ kind }) => kind);
/** A new, valid object of the kind. */
export const validObject = (kind: string, version: 'v1beta1' | 'v1beta2' = 'v1beta2'): KubeObject => {
  const found = (version === 'v1beta2' ? valid : valid1).find((one) => one.kind === kind);
  if (!found) throw new Error(`no valid ${kind} of ${version}`);
  return structuredClone(found);
};

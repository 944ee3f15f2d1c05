/** A class whose patches set a tag each, and clusters of it. */
import type { KubeObject } from '../../machinery/api/object.ts';
import type { Place } from '../fleet/manifests.ts';
import { machineTemplate, nodeRegistration, version } from '../fleet/manifests.ts';

/** The values that the patches of a class set themselves; all others are variables of the clusters. */
export interface Edition {
  /** A description of a variable, which no object shows. */
  description: string;
  /** A tag of the infrastructure of clusters, which is changed in place. */
  clusterTag: string;
  /** A tag of workers, which new Machines get. */
  workerTag: string;
}

const className = 'bench';
const namespace = 'default';
const infrastructure = 'infrastructure.cluster.x-k8s.io/v1beta2';

/** Region and network are variables, too. */
const placing = 2;
/** The patch of the placement and those of the edition. */
const named = 3;
const fillers = (variables: number) => Array.from({ length: variables - placing }, (_, at) => `v${at}`);

const infrastructureCluster = {
  apiVersion: infrastructure,
  kind: 'AWSClusterTemplate',
  matchResources: { infrastructureCluster: true },
};
const workerMachines = {
  apiVersion: infrastructure,
  kind: 'AWSMachineTemplate',
  matchResources: { machineDeploymentClass: { names: ['*'] } },
};
const tag = (name: string, value: object) => ({
  op: 'add',
  path: `/spec/template/spec/additionalTags/${name}`,
  ...value,
});

/** The class in an edition. Half of its other patches concern clusters, half of them workers. */
export const classOf = (
  { description, clusterTag, workerTag }: Edition,
  variables: number,
  patches: number,
): KubeObject => {
  const template = (kind: string, name: string, group = infrastructure) => ({
    templateRef: { apiVersion: group, kind, name: `${className}-${name}` },
  });
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'ClusterClass',
    metadata: { name: className, namespace },
    spec: {
      infrastructure: template('AWSClusterTemplate', 'cluster'),
      controlPlane: {
        ...template('KubeadmControlPlaneTemplate', 'control-plane', 'controlplane.cluster.x-k8s.io/v1beta2'),
        machineInfrastructure: template('AWSMachineTemplate', 'control-plane'),
      },
      workers: {
        machineDeployments: [
          {
            class: 'workers',
            bootstrap: template('KubeadmConfigTemplate', 'workers', 'bootstrap.cluster.x-k8s.io/v1beta2'),
            infrastructure: template('AWSMachineTemplate', 'workers'),
          },
        ],
      },
      variables: [
        { name: 'region', required: true, schema: { openAPIV3Schema: { type: 'string', description } } },
        {
          name: 'network',
          required: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
        ...fillers(variables).map((name) => ({
          name,
          required: false,
          schema: { openAPIV3Schema: { type: 'string', minLength: 1, maxLength: 50, default: 'none' } },
        })),
      ],
      patches: [
        {
          name: 'placement',
          definitions: [
            {
              selector: infrastructureCluster,
              jsonPatches: [
                { op: 'add', path: '/spec/template/spec/region', valueFrom: { variable: 'region' } },
                { op: 'add', path: '/spec/template/spec/network', valueFrom: { variable: 'network' } },
              ],
            },
          ],
        },
        {
          name: 'cluster',
          definitions: [{ selector: infrastructureCluster, jsonPatches: [tag('edition', { value: clusterTag })] }],
        },
        {
          name: 'workers',
          definitions: [{ selector: workerMachines, jsonPatches: [tag('edition', { value: workerTag })] }],
        },
        ...fillers(variables)
          .slice(0, patches - named)
          .map((name, at) => ({
            name,
            definitions: [
              {
                selector: at % 2 === 0 ? infrastructureCluster : workerMachines,
                jsonPatches: [tag(name, { valueFrom: { template: `{{ .${name} }}-{{ .builtin.cluster.name }}` } })],
              },
            ],
          })),
      ],
    },
  };
};

/** The templates that the class names. */
export const templates = (): KubeObject[] => {
  const tagged = (object: KubeObject): KubeObject => {
    const { template } = object.spec as { template: { spec: object } };
    return { ...object, spec: { template: { spec: { ...template.spec, additionalTags: { class: className } } } } };
  };
  const metadata = (name: string) => ({ name: `${className}-${name}`, namespace });
  return [
    tagged({
      apiVersion: infrastructure,
      kind: 'AWSClusterTemplate',
      metadata: metadata('cluster'),
      spec: { template: { spec: { controlPlaneLoadBalancer: { loadBalancerType: 'nlb' } } } },
    }),
    {
      apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
      kind: 'KubeadmControlPlaneTemplate',
      metadata: metadata('control-plane'),
      spec: {
        template: {
          spec: {
            kubeadmConfigSpec: {
              clusterConfiguration: { encryptionAlgorithm: 'ECDSA-P256' },
              initConfiguration: { nodeRegistration },
              joinConfiguration: { nodeRegistration },
            },
          },
        },
      },
    },
    machineTemplate(`${className}-control-plane`, 'control-plane'),
    tagged(machineTemplate(`${className}-workers`, 'nodes')),
    {
      apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
      kind: 'KubeadmConfigTemplate',
      metadata: metadata('workers'),
      spec: { template: { spec: { joinConfiguration: { nodeRegistration } } } },
    },
  ];
};

/** A cluster of the class with a control-plane machine and a worker. */
export const clusterOf = (name: string, { region, network }: Place, variables: number): KubeObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { name, namespace },
  spec: {
    clusterNetwork: { pods: { cidrBlocks: ['192.168.0.0/16'] } },
    topology: {
      classRef: { name: className },
      version,
      controlPlane: { replicas: 1 },
      variables: [
        { name: 'region', value: region },
        { name: 'network', value: { vpc: { id: network!.vpc }, subnets: network!.subnets.map((id) => ({ id })) } },
        ...fillers(variables).map((variable) => ({ name: variable, value: `${variable}-of-a-team` })),
      ],
      workers: { machineDeployments: [{ class: 'workers', name: 'workers', replicas: 1 }] },
    },
  },
});

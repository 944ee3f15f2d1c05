/** Kinds that consist of status fields only, and the objects of one small cluster of them. */
import { type Cluster, cluster } from '../../kinds/core/cluster/index.ts';
import { machine } from '../../kinds/core/machine/index.ts';
import { machineDeployment } from '../../kinds/core/machine-deployment/index.ts';
import { machineSet } from '../../kinds/core/machine-set/index.ts';
import { workloadSnapshot } from '../../kinds/core/workload-snapshot/index.ts';
import type { KindDefinition } from '../../machinery/api/kind.ts';
import type { KubeObject } from '../../machinery/api/object.ts';

const toy = (group: string, kind: string, plural: string, custom = true): KindDefinition => ({
  group,
  kind,
  plural,
  singular: kind.toLowerCase(),
  shortNames: [],
  categories: [],
  namespaced: true,
  custom,
  versions: [{ name: 'v1beta2', served: true, storage: true, schema: { type: 'object' }, columns: [], status: custom }],
});
const infrastructure = 'infrastructure.cluster.x-k8s.io';
const bootstrap = 'bootstrap.cluster.x-k8s.io';
export const host = toy(infrastructure, 'ToyMachine', 'toymachines');
export const hostTemplate = toy(infrastructure, 'ToyMachineTemplate', 'toymachinetemplates');
export const toyConfig = toy(bootstrap, 'ToyConfig', 'toyconfigs');
export const configTemplate = toy(bootstrap, 'ToyConfigTemplate', 'toyconfigtemplates');
export const infraCluster = toy(infrastructure, 'ToyCluster', 'toyclusters');
export const controlPlane = toy('controlplane.cluster.x-k8s.io', 'ToyControlPlane', 'toycontrolplanes');
const secret = toy('', 'Secret', 'secrets', false);
const event = toy('', 'Event', 'events', false);
export const all = [
  cluster,
  machine,
  machineSet,
  machineDeployment,
  workloadSnapshot,
  host,
  hostTemplate,
  toyConfig,
  configTemplate,
  infraCluster,
  controlPlane,
  secret,
  event,
];

export const namespace = 'default';
export const reference = ({ group, kind }: KindDefinition, name: string) => ({ apiGroup: group, kind, name });
export const part = (kind: KindDefinition): KubeObject => ({
  apiVersion: `${kind.group}/v1beta2`,
  kind: kind.kind,
  metadata: { name: 'c', namespace },
  spec: {},
});
export const template = (kind: KindDefinition, name: string): KubeObject => ({
  apiVersion: `${kind.group}/v1beta2`,
  kind: kind.kind,
  metadata: { name, namespace, labels: { 'cluster.x-k8s.io/cluster-name': 'c' } },
  spec: { template: { spec: { made: name } } },
});
export const deployment = (spec: object, name = 'workers'): KubeObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineDeployment',
  metadata: { name, namespace },
  spec: {
    clusterName: 'c',
    selector: {},
    template: {
      spec: {
        clusterName: 'c',
        version: 'v1.35.0',
        bootstrap: { configRef: { apiGroup: bootstrap, kind: 'ToyConfigTemplate', name: 'config' } },
        infrastructureRef: { apiGroup: infrastructure, kind: 'ToyMachineTemplate', name: 'small' },
      },
    },
    ...spec,
  },
});

export const emptySnapshot = ({ apiVersion, metadata }: Cluster): KubeObject => ({
  apiVersion: 'capstan.dev/v1alpha1',
  kind: 'WorkloadSnapshot',
  metadata: { name: 'c', namespace, ownerReferences: [{ apiVersion, kind: 'Cluster', name: 'c', uid: metadata.uid! }] },
  spec: {
    reachable: true,
    failures: 0,
    reachableSince: '2026-01-01T00:00:00Z',
    initialized: true,
    nodes: [],
    controlPlanePods: [],
  },
});

/**
 * Every kind, for processes that may never read or write one of its objects. Only these facts are
 * loaded at startup; a test compares them with the definitions.
 */
import type { KindDefinition, KindFacts, KindOnDemand } from '../machinery/api/kind.ts';
import { referencesOfSet } from './addons/cluster-resource-set/references.ts';
import { refuseDelete as refuseDeletionOfInstallation } from './capstan/installation/protection.ts';
import { addonsGroup, coreGroup } from './common/versions.ts';
import { referencesOfControlPlane } from './controlplane-kubeadm/kubeadm-control-plane/references.ts';
import { refuseDelete } from './core/cluster/protection.ts';
import { referencesOfCluster } from './core/cluster/references.ts';
import { aliasOfControlPlane } from './core/contract/control-plane.ts';
import { templatesOf } from './core/contract/named.ts';
import { directionOf } from './core/contract/target.ts';
import { providerIdOf } from './core/machine/alias.ts';
import { digestOf } from './core/machine/digest.ts';
import { wantedOf } from './core/machine-deployment/template.ts';
import { changedNodes } from './core/workload-snapshot/changed-nodes.ts';
import { reachabilityOf } from './core/workload-snapshot/reachability.ts';
import { instanceIdOf } from './infrastructure-aws/aws-machine/instance-id.ts';
import { eventsLast } from './kubernetes/event/lifetime.ts';
import { refuseDelete as refuseDeletionOfNamespace } from './kubernetes/namespace/protection.ts';
import { isPast } from './operations/cluster-operation/ended.ts';

const aws = 'infrastructure.cluster.x-k8s.io';
const capstan = 'capstan.dev';

const kindOf = (
  group: string,
  kind: string,
  plural: string,
  load: () => Promise<KindDefinition>,
  rest: Partial<KindFacts> = {},
): KindOnDemand => ({ group, kind, plural, namespaced: true, ...rest, load });

/** In discovery order. */
export const kindsOnDemand: readonly KindOnDemand[] = [
  kindOf('', 'Namespace', 'namespaces', async () => (await import('./kubernetes/namespace/index.ts')).namespace, {
    namespaced: false,
    refuseDelete: refuseDeletionOfNamespace,
  }),
  kindOf('', 'Secret', 'secrets', async () => (await import('./kubernetes/secret/index.ts')).secret, {
    encrypted: true,
  }),
  kindOf('', 'ConfigMap', 'configmaps', async () => (await import('./kubernetes/config-map/index.ts')).configMap),
  kindOf('', 'Event', 'events', async () => (await import('./kubernetes/event/index.ts')).coreEvent, {
    endsAfter: eventsLast,
  }),
  kindOf('', 'Service', 'services', async () => (await import('./kubernetes/service/index.ts')).service),
  kindOf('events.k8s.io', 'Event', 'events', async () => (await import('./kubernetes/event/index.ts')).event, {
    storedAs: 'events',
    endsAfter: eventsLast,
  }),
  kindOf('coordination.k8s.io', 'Lease', 'leases', async () => (await import('./kubernetes/lease/index.ts')).lease),
  kindOf(coreGroup, 'Cluster', 'clusters', async () => (await import('./core/cluster/index.ts')).cluster, {
    refuseDelete,
    direction: directionOf,
    references: referencesOfCluster,
  }),
  kindOf(coreGroup, 'Machine', 'machines', async () => (await import('./core/machine/index.ts')).machine, {
    alias: providerIdOf,
    digest: digestOf,
  }),
  kindOf(coreGroup, 'MachineSet', 'machinesets', async () => (await import('./core/machine-set/index.ts')).machineSet, {
    direction: wantedOf,
    references: templatesOf,
  }),
  kindOf(
    coreGroup,
    'MachineDeployment',
    'machinedeployments',
    async () => (await import('./core/machine-deployment/index.ts')).machineDeployment,
    { direction: wantedOf, references: templatesOf },
  ),
  kindOf(
    coreGroup,
    'MachinePool',
    'machinepools',
    async () => (await import('./core/machine-pool/index.ts')).machinePool,
  ),
  kindOf(
    'bootstrap.cluster.x-k8s.io',
    'KubeadmConfig',
    'kubeadmconfigs',
    async () => (await import('./bootstrap-kubeadm/kubeadm-config/index.ts')).kubeadmConfig,
    { role: 'BootstrapConfig' },
  ),
  kindOf(
    'bootstrap.cluster.x-k8s.io',
    'KubeadmConfigTemplate',
    'kubeadmconfigtemplates',
    async () => (await import('./bootstrap-kubeadm/kubeadm-config-template/index.ts')).kubeadmConfigTemplate,
    { role: 'BootstrapConfigTemplate' },
  ),
  kindOf(
    'controlplane.cluster.x-k8s.io',
    'KubeadmControlPlane',
    'kubeadmcontrolplanes',
    async () => (await import('./controlplane-kubeadm/kubeadm-control-plane/index.ts')).kubeadmControlPlane,
    { role: 'ControlPlane', alias: aliasOfControlPlane, references: referencesOfControlPlane },
  ),
  kindOf(
    addonsGroup,
    'ClusterResourceSet',
    'clusterresourcesets',
    async () => (await import('./addons/cluster-resource-set/index.ts')).clusterResourceSet,
    { references: referencesOfSet },
  ),
  kindOf(
    addonsGroup,
    'ClusterResourceSetBinding',
    'clusterresourcesetbindings',
    async () => (await import('./addons/cluster-resource-set-binding/index.ts')).clusterResourceSetBinding,
  ),
  kindOf(
    aws,
    'AWSCluster',
    'awsclusters',
    async () => (await import('./infrastructure-aws/aws-cluster/index.ts')).awsCluster,
    { role: 'InfrastructureCluster' },
  ),
  kindOf(
    aws,
    'AWSMachine',
    'awsmachines',
    async () => (await import('./infrastructure-aws/aws-machine/index.ts')).awsMachine,
    { role: 'InfrastructureMachine', resourceId: instanceIdOf },
  ),
  kindOf(
    aws,
    'AWSMachineTemplate',
    'awsmachinetemplates',
    async () => (await import('./infrastructure-aws/aws-machine-template/index.ts')).awsMachineTemplate,
    { role: 'InfrastructureMachineTemplate' },
  ),
  kindOf(
    aws,
    'AWSClusterControllerIdentity',
    'awsclustercontrolleridentities',
    async () =>
      (await import('./infrastructure-aws/aws-cluster-controller-identity/index.ts')).awsClusterControllerIdentity,
    { namespaced: false },
  ),
  kindOf(
    capstan,
    'ClusterOperation',
    'clusteroperations',
    async () => (await import('./operations/cluster-operation/index.ts')).clusterOperation,
    { isPast },
  ),
  kindOf(
    capstan,
    'Installation',
    'installations',
    async () => (await import('./capstan/installation/index.ts')).installation,
    {
      namespaced: false,
      refuseDelete: refuseDeletionOfInstallation,
    },
  ),
  kindOf(
    capstan,
    'WorkloadSnapshot',
    'workloadsnapshots',
    async () => (await import('./core/workload-snapshot/index.ts')).workloadSnapshot,
    { served: false, about: changedNodes, direction: reachabilityOf },
  ),
];

/** Published by the server, not stored. */
export const providerOnDemand = kindOf(
  'clusterctl.cluster.x-k8s.io',
  'Provider',
  'providers',
  async () => (await import('./capstan/provider/index.ts')).provider,
);

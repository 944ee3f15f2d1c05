/**
 * Every kind as a process knows it that may never write or show an object of it. Of each kind only this is loaded at
 * once; a test compares it with the definitions.
 */
import type { KindDefinition, KindFacts, KindOnDemand } from '../machinery/api/kind.ts';
import { instanceIdOf } from './aws-machine/instance-id.ts';
import { refuseDelete } from './cluster/protection.ts';
import { referencesOfCluster } from './cluster/references.ts';
import { isPast } from './cluster-operation/past.ts';
import { referencesOfSet } from './cluster-resource-set/references.ts';
import { templatesOf } from './common/named.ts';
import { directionOf } from './common/target.ts';
import { addonsGroup, coreGroup } from './common/versions.ts';
import { eventsLast } from './event/lifetime.ts';
import { refuseDelete as refuseDeletionOfInstallation } from './installation/protection.ts';
import { aliasOfControlPlane } from './kubeadm-control-plane/alias.ts';
import { referencesOfControlPlane } from './kubeadm-control-plane/references.ts';
import { providerIdOf } from './machine/alias.ts';
import { digestOf } from './machine/digest.ts';
import { wantedOf } from './machine-deployment/template.ts';
import { refuseDelete as refuseDeletionOfNamespace } from './namespace/protection.ts';
import { nodesAbout } from './workload-snapshot/about.ts';
import { answeringOf } from './workload-snapshot/answering.ts';

const aws = 'infrastructure.cluster.x-k8s.io';
const capstan = 'capstan.dev';

const kindOf = (
  group: string,
  kind: string,
  plural: string,
  load: () => Promise<KindDefinition>,
  rest: Partial<KindFacts> = {},
): KindOnDemand => ({ group, kind, plural, namespaced: true, ...rest, load });

/** In the order in which discovery lists them. */
export const kindsOnDemand: readonly KindOnDemand[] = [
  kindOf('', 'Namespace', 'namespaces', async () => (await import('./namespace/index.ts')).namespace, {
    namespaced: false,
    refuseDelete: refuseDeletionOfNamespace,
  }),
  kindOf('', 'Secret', 'secrets', async () => (await import('./secret/index.ts')).secret, { encrypted: true }),
  kindOf('', 'ConfigMap', 'configmaps', async () => (await import('./config-map/index.ts')).configMap),
  kindOf('', 'Event', 'events', async () => (await import('./event/index.ts')).coreEvent, {
    endsAfter: eventsLast,
  }),
  kindOf('', 'Service', 'services', async () => (await import('./service/index.ts')).service),
  kindOf('events.k8s.io', 'Event', 'events', async () => (await import('./event/index.ts')).event, {
    storedAs: 'events',
    endsAfter: eventsLast,
  }),
  kindOf('coordination.k8s.io', 'Lease', 'leases', async () => (await import('./lease/index.ts')).lease),
  kindOf(coreGroup, 'Cluster', 'clusters', async () => (await import('./cluster/index.ts')).cluster, {
    refuseDelete,
    direction: directionOf,
    references: referencesOfCluster,
  }),
  kindOf(coreGroup, 'Machine', 'machines', async () => (await import('./machine/index.ts')).machine, {
    alias: providerIdOf,
    digest: digestOf,
  }),
  kindOf(coreGroup, 'MachineSet', 'machinesets', async () => (await import('./machine-set/index.ts')).machineSet, {
    direction: wantedOf,
    references: templatesOf,
  }),
  kindOf(
    coreGroup,
    'MachineDeployment',
    'machinedeployments',
    async () => (await import('./machine-deployment/index.ts')).machineDeployment,
    { direction: wantedOf, references: templatesOf },
  ),
  kindOf(coreGroup, 'MachinePool', 'machinepools', async () => (await import('./machine-pool/index.ts')).machinePool),
  kindOf(
    'bootstrap.cluster.x-k8s.io',
    'KubeadmConfig',
    'kubeadmconfigs',
    async () => (await import('./kubeadm-config/index.ts')).kubeadmConfig,
  ),
  kindOf(
    'bootstrap.cluster.x-k8s.io',
    'KubeadmConfigTemplate',
    'kubeadmconfigtemplates',
    async () => (await import('./kubeadm-config-template/index.ts')).kubeadmConfigTemplate,
  ),
  kindOf(
    'controlplane.cluster.x-k8s.io',
    'KubeadmControlPlane',
    'kubeadmcontrolplanes',
    async () => (await import('./kubeadm-control-plane/index.ts')).kubeadmControlPlane,
    { alias: aliasOfControlPlane, references: referencesOfControlPlane },
  ),
  kindOf(
    addonsGroup,
    'ClusterResourceSet',
    'clusterresourcesets',
    async () => (await import('./cluster-resource-set/index.ts')).clusterResourceSet,
    { references: referencesOfSet },
  ),
  kindOf(
    addonsGroup,
    'ClusterResourceSetBinding',
    'clusterresourcesetbindings',
    async () => (await import('./cluster-resource-set-binding/index.ts')).clusterResourceSetBinding,
  ),
  kindOf(aws, 'AWSCluster', 'awsclusters', async () => (await import('./aws-cluster/index.ts')).awsCluster),
  kindOf(aws, 'AWSMachine', 'awsmachines', async () => (await import('./aws-machine/index.ts')).awsMachine, {
    resourceId: instanceIdOf,
  }),
  kindOf(
    aws,
    'AWSMachineTemplate',
    'awsmachinetemplates',
    async () => (await import('./aws-machine-template/index.ts')).awsMachineTemplate,
  ),
  kindOf(
    aws,
    'AWSClusterControllerIdentity',
    'awsclustercontrolleridentities',
    async () => (await import('./aws-cluster-controller-identity/index.ts')).awsClusterControllerIdentity,
    { namespaced: false },
  ),
  kindOf(
    capstan,
    'ClusterOperation',
    'clusteroperations',
    async () => (await import('./cluster-operation/index.ts')).clusterOperation,
    { isPast },
  ),
  kindOf(capstan, 'Installation', 'installations', async () => (await import('./installation/index.ts')).installation, {
    namespaced: false,
    refuseDelete: refuseDeletionOfInstallation,
  }),
  kindOf(
    capstan,
    'WorkloadSnapshot',
    'workloadsnapshots',
    async () => (await import('./workload-snapshot/index.ts')).workloadSnapshot,
    { served: false, about: nodesAbout, direction: answeringOf },
  ),
];

/** Published by the server, and stored nowhere. */
export const providerOnDemand = kindOf(
  'clusterctl.cluster.x-k8s.io',
  'Provider',
  'providers',
  async () => (await import('./provider/index.ts')).provider,
);

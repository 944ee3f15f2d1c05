// Written by `npm run registry`.

import type { KindOnDemand } from '../machinery/api/kind.ts';
import { addon } from './addons/addon/kind.ts';
import { clusterResourceSet } from './addons/cluster-resource-set/kind.ts';
import { clusterResourceSetBinding } from './addons/cluster-resource-set-binding/kind.ts';
import { gitOpsTarget } from './addons/gitops-target/kind.ts';
import { scalingPlan } from './autoscaling/scaling-plan/kind.ts';
import { kubeadmConfig } from './bootstrap-kubeadm/kubeadm-config/kind.ts';
import { kubeadmConfigTemplate } from './bootstrap-kubeadm/kubeadm-config-template/kind.ts';
import { accessEntry } from './capstan/access-entry/kind.ts';
import { etcdSnapshot } from './capstan/etcd-snapshot/kind.ts';
import { installation } from './capstan/installation/kind.ts';
import { provider } from './capstan/provider/kind.ts';
import { snapshotListRequest } from './capstan/snapshot-list-request/kind.ts';
import { awsManagedCluster } from './controlplane-eks/aws-managed-cluster/kind.ts';
import { awsManagedControlPlane } from './controlplane-eks/aws-managed-control-plane/kind.ts';
import { awsManagedMachinePool } from './controlplane-eks/aws-managed-machine-pool/kind.ts';
import { nodeadmConfig } from './controlplane-eks/nodeadm-config/kind.ts';
import { nodeadmConfigTemplate } from './controlplane-eks/nodeadm-config-template/kind.ts';
import { kubeadmControlPlane } from './controlplane-kubeadm/kubeadm-control-plane/kind.ts';
import { kubeadmControlPlaneTemplate } from './controlplane-kubeadm/kubeadm-control-plane-template/kind.ts';
import { cluster } from './core/cluster/kind.ts';
import { clusterClass } from './core/cluster-class/kind.ts';
import { machine } from './core/machine/kind.ts';
import { machineDeployment } from './core/machine-deployment/kind.ts';
import { machineDrainRule } from './core/machine-drain-rule/kind.ts';
import { machineHealthCheck } from './core/machine-health-check/kind.ts';
import { machinePool } from './core/machine-pool/kind.ts';
import { machineSet } from './core/machine-set/kind.ts';
import { workloadSnapshot } from './core/workload-snapshot/kind.ts';
import { extensionConfig } from './extensions/extension-config/kind.ts';
import { awsCluster } from './infrastructure-aws/aws-cluster/kind.ts';
import { awsClusterControllerIdentity } from './infrastructure-aws/aws-cluster-controller-identity/kind.ts';
import { awsClusterRoleIdentity } from './infrastructure-aws/aws-cluster-role-identity/kind.ts';
import { awsClusterTemplate } from './infrastructure-aws/aws-cluster-template/kind.ts';
import { awsMachine } from './infrastructure-aws/aws-machine/kind.ts';
import { awsMachinePool } from './infrastructure-aws/aws-machine-pool/kind.ts';
import { awsMachineTemplate } from './infrastructure-aws/aws-machine-template/kind.ts';
import { globalInClusterIPPool } from './ipam/global-in-cluster-ip-pool/kind.ts';
import { inClusterIPPool } from './ipam/in-cluster-ip-pool/kind.ts';
import { ipAddress } from './ipam/ip-address/kind.ts';
import { ipAddressClaim } from './ipam/ip-address-claim/kind.ts';
import { configMap } from './kubernetes/config-map/kind.ts';
import { coreEvent, event } from './kubernetes/event/kind.ts';
import { flowSchema } from './kubernetes/flow-schema/kind.ts';
import { lease } from './kubernetes/lease/kind.ts';
import {
  mutatingAdmissionPolicy,
  mutatingAdmissionPolicyBinding,
} from './kubernetes/mutating-admission-policy/kind.ts';
import { namespace } from './kubernetes/namespace/kind.ts';
import { priorityLevelConfiguration } from './kubernetes/priority-level-configuration/kind.ts';
import { resourceQuota } from './kubernetes/resource-quota/kind.ts';
import { clusterRole, role } from './kubernetes/role/kind.ts';
import { clusterRoleBinding, roleBinding } from './kubernetes/role-binding/kind.ts';
import { secret } from './kubernetes/secret/kind.ts';
import { service } from './kubernetes/service/kind.ts';
import { serviceAccount } from './kubernetes/service-account/kind.ts';
import {
  validatingAdmissionPolicy,
  validatingAdmissionPolicyBinding,
} from './kubernetes/validating-admission-policy/kind.ts';
import {
  mutatingWebhookConfiguration,
  validatingWebhookConfiguration,
} from './kubernetes/webhook-configuration/kind.ts';
import { clusterOperation } from './operations/cluster-operation/kind.ts';
import { infrastructureCheck } from './operations/infrastructure-check/kind.ts';
import { upgradeCheck } from './operations/upgrade-check/kind.ts';

/** Every kind in discovery order. Its definition is loaded on first use. */
export const kindsOnDemand: readonly KindOnDemand[] = [
  { ...configMap, load: async () => (await import('./kubernetes/config-map/index.ts')).configMap },
  { ...coreEvent, load: async () => (await import('./kubernetes/event/index.ts')).coreEvent },
  { ...namespace, load: async () => (await import('./kubernetes/namespace/index.ts')).namespace },
  { ...resourceQuota, load: async () => (await import('./kubernetes/resource-quota/index.ts')).resourceQuota },
  { ...secret, load: async () => (await import('./kubernetes/secret/index.ts')).secret },
  { ...serviceAccount, load: async () => (await import('./kubernetes/service-account/index.ts')).serviceAccount },
  { ...service, load: async () => (await import('./kubernetes/service/index.ts')).service },
  {
    ...mutatingAdmissionPolicy,
    load: async () => (await import('./kubernetes/mutating-admission-policy/index.ts')).mutatingAdmissionPolicy,
  },
  {
    ...mutatingAdmissionPolicyBinding,
    load: async () => (await import('./kubernetes/mutating-admission-policy/index.ts')).mutatingAdmissionPolicyBinding,
  },
  {
    ...mutatingWebhookConfiguration,
    load: async () => (await import('./kubernetes/webhook-configuration/index.ts')).mutatingWebhookConfiguration,
  },
  {
    ...validatingAdmissionPolicy,
    load: async () => (await import('./kubernetes/validating-admission-policy/index.ts')).validatingAdmissionPolicy,
  },
  {
    ...validatingAdmissionPolicyBinding,
    load: async () =>
      (await import('./kubernetes/validating-admission-policy/index.ts')).validatingAdmissionPolicyBinding,
  },
  {
    ...validatingWebhookConfiguration,
    load: async () => (await import('./kubernetes/webhook-configuration/index.ts')).validatingWebhookConfiguration,
  },
  { ...lease, load: async () => (await import('./kubernetes/lease/index.ts')).lease },
  { ...event, load: async () => (await import('./kubernetes/event/index.ts')).event },
  { ...flowSchema, load: async () => (await import('./kubernetes/flow-schema/index.ts')).flowSchema },
  {
    ...priorityLevelConfiguration,
    load: async () => (await import('./kubernetes/priority-level-configuration/index.ts')).priorityLevelConfiguration,
  },
  { ...clusterRoleBinding, load: async () => (await import('./kubernetes/role-binding/index.ts')).clusterRoleBinding },
  { ...clusterRole, load: async () => (await import('./kubernetes/role/index.ts')).clusterRole },
  { ...roleBinding, load: async () => (await import('./kubernetes/role-binding/index.ts')).roleBinding },
  { ...role, load: async () => (await import('./kubernetes/role/index.ts')).role },
  {
    ...clusterResourceSetBinding,
    load: async () => (await import('./addons/cluster-resource-set-binding/index.ts')).clusterResourceSetBinding,
  },
  {
    ...clusterResourceSet,
    load: async () => (await import('./addons/cluster-resource-set/index.ts')).clusterResourceSet,
  },
  { ...kubeadmConfig, load: async () => (await import('./bootstrap-kubeadm/kubeadm-config/index.ts')).kubeadmConfig },
  {
    ...kubeadmConfigTemplate,
    load: async () => (await import('./bootstrap-kubeadm/kubeadm-config-template/index.ts')).kubeadmConfigTemplate,
  },
  { ...nodeadmConfig, load: async () => (await import('./controlplane-eks/nodeadm-config/index.ts')).nodeadmConfig },
  {
    ...nodeadmConfigTemplate,
    load: async () => (await import('./controlplane-eks/nodeadm-config-template/index.ts')).nodeadmConfigTemplate,
  },
  { ...accessEntry, load: async () => (await import('./capstan/access-entry/index.ts')).accessEntry },
  { ...addon, load: async () => (await import('./addons/addon/index.ts')).addon },
  { ...clusterOperation, load: async () => (await import('./operations/cluster-operation/index.ts')).clusterOperation },
  { ...etcdSnapshot, load: async () => (await import('./capstan/etcd-snapshot/index.ts')).etcdSnapshot },
  { ...gitOpsTarget, load: async () => (await import('./addons/gitops-target/index.ts')).gitOpsTarget },
  {
    ...infrastructureCheck,
    load: async () => (await import('./operations/infrastructure-check/index.ts')).infrastructureCheck,
  },
  { ...installation, load: async () => (await import('./capstan/installation/index.ts')).installation },
  { ...scalingPlan, load: async () => (await import('./autoscaling/scaling-plan/index.ts')).scalingPlan },
  {
    ...snapshotListRequest,
    load: async () => (await import('./capstan/snapshot-list-request/index.ts')).snapshotListRequest,
  },
  { ...upgradeCheck, load: async () => (await import('./operations/upgrade-check/index.ts')).upgradeCheck },
  { ...workloadSnapshot, load: async () => (await import('./core/workload-snapshot/index.ts')).workloadSnapshot },
  { ...clusterClass, load: async () => (await import('./core/cluster-class/index.ts')).clusterClass },
  { ...cluster, load: async () => (await import('./core/cluster/index.ts')).cluster },
  { ...machineDeployment, load: async () => (await import('./core/machine-deployment/index.ts')).machineDeployment },
  { ...machineDrainRule, load: async () => (await import('./core/machine-drain-rule/index.ts')).machineDrainRule },
  {
    ...machineHealthCheck,
    load: async () => (await import('./core/machine-health-check/index.ts')).machineHealthCheck,
  },
  { ...machinePool, load: async () => (await import('./core/machine-pool/index.ts')).machinePool },
  { ...machine, load: async () => (await import('./core/machine/index.ts')).machine },
  { ...machineSet, load: async () => (await import('./core/machine-set/index.ts')).machineSet },
  {
    ...awsManagedControlPlane,
    load: async () => (await import('./controlplane-eks/aws-managed-control-plane/index.ts')).awsManagedControlPlane,
  },
  {
    ...kubeadmControlPlane,
    load: async () => (await import('./controlplane-kubeadm/kubeadm-control-plane/index.ts')).kubeadmControlPlane,
  },
  {
    ...kubeadmControlPlaneTemplate,
    load: async () =>
      (await import('./controlplane-kubeadm/kubeadm-control-plane-template/index.ts')).kubeadmControlPlaneTemplate,
  },
  {
    ...awsClusterControllerIdentity,
    load: async () =>
      (await import('./infrastructure-aws/aws-cluster-controller-identity/index.ts')).awsClusterControllerIdentity,
  },
  {
    ...awsClusterRoleIdentity,
    load: async () => (await import('./infrastructure-aws/aws-cluster-role-identity/index.ts')).awsClusterRoleIdentity,
  },
  { ...awsCluster, load: async () => (await import('./infrastructure-aws/aws-cluster/index.ts')).awsCluster },
  {
    ...awsClusterTemplate,
    load: async () => (await import('./infrastructure-aws/aws-cluster-template/index.ts')).awsClusterTemplate,
  },
  {
    ...awsMachinePool,
    load: async () => (await import('./infrastructure-aws/aws-machine-pool/index.ts')).awsMachinePool,
  },
  { ...awsMachine, load: async () => (await import('./infrastructure-aws/aws-machine/index.ts')).awsMachine },
  {
    ...awsMachineTemplate,
    load: async () => (await import('./infrastructure-aws/aws-machine-template/index.ts')).awsMachineTemplate,
  },
  {
    ...awsManagedCluster,
    load: async () => (await import('./controlplane-eks/aws-managed-cluster/index.ts')).awsManagedCluster,
  },
  {
    ...awsManagedMachinePool,
    load: async () => (await import('./controlplane-eks/aws-managed-machine-pool/index.ts')).awsManagedMachinePool,
  },
  {
    ...globalInClusterIPPool,
    load: async () => (await import('./ipam/global-in-cluster-ip-pool/index.ts')).globalInClusterIPPool,
  },
  { ...inClusterIPPool, load: async () => (await import('./ipam/in-cluster-ip-pool/index.ts')).inClusterIPPool },
  { ...ipAddressClaim, load: async () => (await import('./ipam/ip-address-claim/index.ts')).ipAddressClaim },
  { ...ipAddress, load: async () => (await import('./ipam/ip-address/index.ts')).ipAddress },
  { ...extensionConfig, load: async () => (await import('./extensions/extension-config/index.ts')).extensionConfig },
];

/** Kinds whose objects the server publishes. */
export const publishedOnDemand: readonly KindOnDemand[] = [
  { ...provider, load: async () => (await import('./capstan/provider/index.ts')).provider },
];

// Written by `npm run registry`.

import { addonCauses } from './addons/addon/causes.ts';
import { clusterResourceSetCauses } from './addons/cluster-resource-set/causes.ts';
import { gitOpsTargetCauses } from './addons/gitops-target/causes.ts';
import { scalingPlanCauses } from './autoscaling/scaling-plan/causes.ts';
import { kubeadmConfigCauses } from './bootstrap-kubeadm/kubeadm-config/causes.ts';
import { etcdSnapshotCauses } from './capstan/etcd-snapshot/causes.ts';
import { installationCauses } from './capstan/installation/causes.ts';
import type { CauseRules } from './common/causes/index.ts';
import { awsManagedControlPlaneCauses } from './controlplane-eks/aws-managed-control-plane/causes.ts';
import { awsManagedMachinePoolCauses } from './controlplane-eks/aws-managed-machine-pool/causes.ts';
import { nodeadmConfigCauses } from './controlplane-eks/nodeadm-config/causes.ts';
import { kubeadmControlPlaneCauses } from './controlplane-kubeadm/kubeadm-control-plane/causes.ts';
import { clusterCauses } from './core/cluster/causes.ts';
import { clusterClassCauses } from './core/cluster-class/causes.ts';
import { machineCauses } from './core/machine/causes.ts';
import { machineDeploymentCauses } from './core/machine-deployment/causes.ts';
import { machineHealthCheckCauses } from './core/machine-health-check/causes.ts';
import { machinePoolCauses } from './core/machine-pool/causes.ts';
import { machineSetCauses } from './core/machine-set/causes.ts';
import { extensionConfigCauses } from './extensions/extension-config/causes.ts';
import { awsClusterCauses } from './infrastructure-aws/aws-cluster/causes.ts';
import { awsMachineCauses } from './infrastructure-aws/aws-machine/causes.ts';
import { awsMachinePoolCauses } from './infrastructure-aws/aws-machine-pool/causes.ts';
import { globalInClusterIPPoolCauses } from './ipam/global-in-cluster-ip-pool/causes.ts';
import { inClusterIPPoolCauses } from './ipam/in-cluster-ip-pool/causes.ts';
import { ipAddressClaimCauses } from './ipam/ip-address-claim/causes.ts';
import { clusterOperationCauses } from './operations/cluster-operation/causes.ts';

/** What the conditions of each kind mean for a user who asks why something is not well. */
export const causeRules: readonly CauseRules[] = [
  addonCauses,
  clusterResourceSetCauses,
  gitOpsTargetCauses,
  scalingPlanCauses,
  kubeadmConfigCauses,
  etcdSnapshotCauses,
  installationCauses,
  awsManagedControlPlaneCauses,
  awsManagedMachinePoolCauses,
  nodeadmConfigCauses,
  kubeadmControlPlaneCauses,
  clusterClassCauses,
  clusterCauses,
  machineDeploymentCauses,
  machineHealthCheckCauses,
  machinePoolCauses,
  machineSetCauses,
  machineCauses,
  extensionConfigCauses,
  awsClusterCauses,
  awsMachinePoolCauses,
  awsMachineCauses,
  globalInClusterIPPoolCauses,
  inClusterIPPoolCauses,
  ipAddressClaimCauses,
  clusterOperationCauses,
];

/** Every kind, in discovery order. */
import type { KindDefinition } from '../machinery/api/kind.ts';
import { clusterResourceSet } from './addons/cluster-resource-set/index.ts';
import { clusterResourceSetBinding } from './addons/cluster-resource-set-binding/index.ts';
import { kubeadmConfig } from './bootstrap-kubeadm/kubeadm-config/index.ts';
import { kubeadmConfigTemplate } from './bootstrap-kubeadm/kubeadm-config-template/index.ts';
import { installation } from './capstan/installation/index.ts';
import { kubeadmControlPlane } from './controlplane-kubeadm/kubeadm-control-plane/index.ts';
import { cluster } from './core/cluster/index.ts';
import { machine } from './core/machine/index.ts';
import { machineDeployment } from './core/machine-deployment/index.ts';
import { machinePool } from './core/machine-pool/index.ts';
import { machineSet } from './core/machine-set/index.ts';
import { workloadSnapshot } from './core/workload-snapshot/index.ts';
import { awsCluster } from './infrastructure-aws/aws-cluster/index.ts';
import { awsClusterControllerIdentity } from './infrastructure-aws/aws-cluster-controller-identity/index.ts';
import { awsMachine } from './infrastructure-aws/aws-machine/index.ts';
import { awsMachineTemplate } from './infrastructure-aws/aws-machine-template/index.ts';
import { configMap } from './kubernetes/config-map/index.ts';
import { coreEvent, event } from './kubernetes/event/index.ts';
import { lease } from './kubernetes/lease/index.ts';
import { namespace } from './kubernetes/namespace/index.ts';
import { secret } from './kubernetes/secret/index.ts';
import { service } from './kubernetes/service/index.ts';
import { clusterOperation } from './operations/cluster-operation/index.ts';

export const kinds: KindDefinition[] = [
  namespace,
  secret,
  configMap,
  coreEvent,
  service,
  event,
  lease,
  cluster,
  machine,
  machineSet,
  machineDeployment,
  machinePool,
  kubeadmConfig,
  kubeadmConfigTemplate,
  kubeadmControlPlane,
  clusterResourceSet,
  clusterResourceSetBinding,
  awsCluster,
  awsMachine,
  awsMachineTemplate,
  awsClusterControllerIdentity,
  clusterOperation,
  installation,
  workloadSnapshot,
];

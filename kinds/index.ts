/** Every kind there is, in the order in which discovery lists them. */
import type { KindDefinition } from '../machinery/api/kind.ts';
import { awsCluster } from './aws-cluster/index.ts';
import { awsClusterControllerIdentity } from './aws-cluster-controller-identity/index.ts';
import { awsMachine } from './aws-machine/index.ts';
import { awsMachineTemplate } from './aws-machine-template/index.ts';
import { cluster } from './cluster/index.ts';
import { clusterOperation } from './cluster-operation/index.ts';
import { clusterResourceSet } from './cluster-resource-set/index.ts';
import { clusterResourceSetBinding } from './cluster-resource-set-binding/index.ts';
import { configMap } from './config-map/index.ts';
import { coreEvent, event } from './event/index.ts';
import { installation } from './installation/index.ts';
import { kubeadmConfig } from './kubeadm-config/index.ts';
import { kubeadmConfigTemplate } from './kubeadm-config-template/index.ts';
import { kubeadmControlPlane } from './kubeadm-control-plane/index.ts';
import { lease } from './lease/index.ts';
import { machine } from './machine/index.ts';
import { machineDeployment } from './machine-deployment/index.ts';
import { machinePool } from './machine-pool/index.ts';
import { machineSet } from './machine-set/index.ts';
import { namespace } from './namespace/index.ts';
import { secret } from './secret/index.ts';
import { service } from './service/index.ts';
import { workloadSnapshot } from './workload-snapshot/index.ts';

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

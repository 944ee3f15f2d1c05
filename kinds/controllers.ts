/** Every controller there is; wiring.ts says what wakes each, and a test that the two agree. */
import { awsClusterController } from './aws-cluster/controller.ts';
import { awsMachineController } from './aws-machine/controller.ts';
import { awsMachineTemplateController } from './aws-machine-template/controller.ts';
import { clusterController } from './cluster/controller.ts';
import { clusterOperationController } from './cluster-operation/controller.ts';
import { operationStarter } from './cluster-operation/start/controller.ts';
import { clusterResourceSetController } from './cluster-resource-set/controller.ts';
import { installationController } from './installation/controller.ts';
import { driftController } from './installation/drift/controller.ts';
import { kubeadmConfigController } from './kubeadm-config/controller.ts';
import { kubeadmControlPlaneController } from './kubeadm-control-plane/controller.ts';
import { machineController } from './machine/controller.ts';
import { machineDeploymentController } from './machine-deployment/controller.ts';
import { machineSetController } from './machine-set/controller.ts';
import { workloadProber } from './workload-snapshot/prober.ts';

export const controllers = [
  clusterController,
  operationStarter,
  clusterOperationController,
  workloadProber,
  machineDeploymentController,
  machineSetController,
  machineController,
  kubeadmConfigController,
  kubeadmControlPlaneController,
  clusterResourceSetController,
  awsClusterController,
  awsMachineController,
  awsMachineTemplateController,
  installationController,
  driftController,
];

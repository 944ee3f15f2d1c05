/** wiring.ts says what wakes each controller; a test compares the two. */

import { clusterResourceSetController } from './addons/cluster-resource-set/controller.ts';
import { kubeadmConfigController } from './bootstrap-kubeadm/kubeadm-config/controller.ts';
import { installationController } from './capstan/installation/controller.ts';
import { driftController } from './capstan/installation/drift/controller.ts';
import { controlPlanes } from './control-planes.ts';
import { kubeadmControlPlaneController } from './controlplane-kubeadm/kubeadm-control-plane/controller.ts';
import { clusterController } from './core/cluster/controller.ts';
import type { ControlPlaneProvider } from './core/contract/control-plane.ts';
import type { Infrastructure } from './core/contract/infrastructure.ts';
import { machineController } from './core/machine/controller.ts';
import { machineDeploymentController } from './core/machine-deployment/controller.ts';
import { machineSetController } from './core/machine-set/controller.ts';
import { workloadProber } from './core/workload-snapshot/prober.ts';
import { awsClusterController } from './infrastructure-aws/aws-cluster/controller.ts';
import { awsMachineController } from './infrastructure-aws/aws-machine/controller.ts';
import { awsMachineTemplateController } from './infrastructure-aws/aws-machine-template/controller.ts';
import { infrastructures } from './infrastructures.ts';
import { clusterOperationController } from './operations/cluster-operation/controller.ts';
import { operationStarter } from './operations/starter/controller.ts';

export interface Providers {
  controlPlanes: readonly ControlPlaneProvider[];
  infrastructures: readonly Infrastructure[];
}

/** Every controller, with these providers. */
export const controllersWith = ({ controlPlanes, infrastructures }: Providers) => [
  clusterController,
  operationStarter,
  clusterOperationController(infrastructures),
  workloadProber,
  machineDeploymentController,
  machineSetController,
  machineController(controlPlanes),
  kubeadmConfigController,
  kubeadmControlPlaneController,
  clusterResourceSetController,
  awsClusterController,
  awsMachineController,
  awsMachineTemplateController,
  installationController,
  driftController,
];

export const controllers = controllersWith({ controlPlanes, infrastructures });

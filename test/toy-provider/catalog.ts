/** Everything that is served, and the toy provider. */
import { controlPlanes } from '../../kinds/control-planes.ts';
import { controllers } from '../../kinds/controllers.ts';
import type { InfrastructureProvider } from '../../kinds/core/contract/infrastructure.ts';
import { machineController } from '../../kinds/core/machine/controller.ts';
import { kinds } from '../../kinds/index.ts';
import { clusterOperationController } from '../../kinds/operations/cluster-operation/controller.ts';
import { operationStarter } from '../../kinds/operations/starter/controller.ts';
import type { Catalog } from '../../local/system.ts';
import { toyConfigController } from './bootstrap.ts';
import { toyControlPlaneController, toyControlPlanes } from './control-plane.ts';
import { toyClusterController, toyInfrastructure, toyMachineController } from './infrastructure.ts';
import { toyKinds } from './kinds.ts';
import { toyMachinePoolController } from './machine-pool.ts';

export const toyCatalog = (infrastructures: readonly InfrastructureProvider[]): Catalog => {
  const providers = {
    controlPlanes: [...controlPlanes, toyControlPlanes],
    infrastructures,
    infrastructureKinds: [toyInfrastructure],
  };
  const served = {
    machine: machineController(providers),
    'cluster-operation': clusterOperationController(providers),
    'operation-starter': operationStarter(providers),
  };
  return {
    kinds: [...kinds, ...toyKinds],
    controllers: [
      ...controllers.filter(({ name }) => !(name in served)),
      ...Object.values(served),
      toyClusterController,
      toyMachineController,
      toyMachinePoolController,
      toyConfigController,
      toyControlPlaneController,
    ],
  };
};

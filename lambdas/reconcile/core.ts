/** Workers that reach nothing but objects. */
import { clusterController } from '../../kinds/cluster/controller.ts';
import { operationStarter } from '../../kinds/cluster-operation/start/controller.ts';
import { machineDeploymentController } from '../../kinds/machine-deployment/controller.ts';
import { machineSetController } from '../../kinds/machine-set/controller.ts';
import { once } from '../../machinery/once.ts';
import { reconcilingEnvironment } from '../environment.ts';
import { foundationOf } from '../runtime/doors.ts';
import { reconcilingOf } from '../runtime/standing.ts';
import { reconciles } from './reconciles.ts';

export const controllers = [clusterController, operationStarter, machineDeploymentController, machineSetController];

export const handler = reconciles(
  once(() => {
    const environment = reconcilingEnvironment(process.env);
    return reconcilingOf(foundationOf(environment), environment, () => ({ controllers }));
  }),
);

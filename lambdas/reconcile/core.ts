/** Workers that only read and write objects. */
import { once } from '../../machinery/once.ts';
import { reconcilingEnvironment } from '../environment.ts';
import { foundationOf } from '../runtime/aws-ports.ts';
import type { Controllers } from '../runtime/reconciling.ts';
import { reconcilingOf } from '../runtime/standing.ts';
import { reconciles } from './reconciles.ts';

export const controllers: Controllers = {
  cluster: async () => (await import('../../kinds/core/cluster/controller.ts')).clusterController,
  'operation-starter': async () => (await import('../../kinds/operations/starter/controller.ts')).operationStarter,
  'machine-deployment': async () =>
    (await import('../../kinds/core/machine-deployment/controller.ts')).machineDeploymentController,
  'machine-set': async () => (await import('../../kinds/core/machine-set/controller.ts')).machineSetController,
};

export const handler = reconciles(
  once(() => {
    const environment = reconcilingEnvironment(process.env);
    return reconcilingOf(foundationOf(environment), environment, () => ({ controllers }));
  }),
);

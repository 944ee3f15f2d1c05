/** Workers that reach the account. */
import { awsClusterController } from '../../kinds/aws-cluster/controller.ts';
import { awsMachineController } from '../../kinds/aws-machine/controller.ts';
import { awsMachineTemplateController } from '../../kinds/aws-machine-template/controller.ts';
import { clusterOperationController } from '../../kinds/cluster-operation/controller.ts';
import { installationController } from '../../kinds/installation/controller.ts';
import { once } from '../../machinery/once.ts';
import { reconcilingEnvironment } from '../environment.ts';
import { acting } from '../runtime/acting.ts';
import { foundationOf } from '../runtime/doors.ts';
import { reconciles } from './reconciles.ts';

export const controllers = [
  awsClusterController,
  awsMachineController,
  awsMachineTemplateController,
  clusterOperationController,
  installationController,
];

export const handler = reconciles(
  once(() => {
    const environment = reconcilingEnvironment(process.env);
    return acting(foundationOf(environment), environment, controllers);
  }),
);

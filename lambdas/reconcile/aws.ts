/** Workers that call the AWS account. */
import { once } from '../../machinery/once.ts';
import { reconcilingEnvironment } from '../environment.ts';
import { acting } from '../runtime/acting.ts';
import { foundationOf } from '../runtime/aws-ports.ts';
import type { Controllers } from '../runtime/reconciling.ts';
import { reconciles } from './reconciles.ts';

export const controllers: Controllers = {
  'aws-cluster': async () =>
    (await import('../../kinds/infrastructure-aws/aws-cluster/controller.ts')).awsClusterController,
  'aws-machine': async () =>
    (await import('../../kinds/infrastructure-aws/aws-machine/controller.ts')).awsMachineController,
  'aws-machine-template': async () =>
    (await import('../../kinds/infrastructure-aws/aws-machine-template/controller.ts')).awsMachineTemplateController,
  'cluster-operation': async () => {
    const { clusterOperationController } = await import('../../kinds/operations/cluster-operation/controller.ts');
    return clusterOperationController((await import('../../kinds/infrastructures.ts')).infrastructures);
  },
  installation: async () => (await import('../../kinds/capstan/installation/controller.ts')).installationController,
  drift: async () => (await import('../../kinds/capstan/installation/drift/controller.ts')).driftController,
};

export const handler = reconciles(
  once(() => {
    const environment = reconcilingEnvironment(process.env);
    return acting(foundationOf(environment), environment, controllers);
  }),
);

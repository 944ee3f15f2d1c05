/** Workers that call the AWS account. */
import { controllers } from '../../kinds/workers/aws.ts';
import { once } from '../../machinery/once.ts';
import { reconcilingEnvironment } from '../environment.ts';
import { foundationOf } from '../runtime/aws-ports.ts';
import { awsWorker } from '../runtime/aws-worker.ts';
import { reconciles } from './reconciles.ts';

export const handler = reconciles(
  once(() => {
    const environment = reconcilingEnvironment(process.env);
    return awsWorker(foundationOf(environment), environment, controllers);
  }),
);

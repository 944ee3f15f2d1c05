/** Workers that call the AWS account. */
import { controllers } from '../../kinds/workers/aws.ts';
import { once } from '../../machinery/once.ts';
import { reconcilingEnvironment } from '../environment.ts';
import { acting } from '../runtime/acting.ts';
import { foundationOf } from '../runtime/aws-ports.ts';
import { reconciles } from './reconciles.ts';

export const handler = reconciles(
  once(() => {
    const environment = reconcilingEnvironment(process.env);
    return acting(foundationOf(environment), environment, controllers);
  }),
);

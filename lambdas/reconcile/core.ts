/** Workers that only read and write objects. */
import { controllers } from '../../kinds/workers/core.ts';
import { once } from '../../machinery/once.ts';
import { reconcilingEnvironment } from '../environment.ts';
import { foundationOf } from '../runtime/aws-ports.ts';
import { reconcilingOf } from '../runtime/worker.ts';
import { reconciles } from './reconciles.ts';

export const handler = reconciles(
  once(() => {
    const environment = reconcilingEnvironment(process.env);
    return reconcilingOf(foundationOf(environment), environment, () => ({ controllers }));
  }),
);

/** Workers of the garbage collector. */

import { once } from '../../machinery/once.ts';
import { housekeepingOf } from '../../runtime/sweep.ts';
import { reconcilingEnvironment } from '../environment.ts';
import { foundationOf } from '../runtime/aws-ports.ts';
import { reconcilingOf } from '../runtime/worker.ts';
import { reconciles } from './reconciles.ts';

export const handler = reconciles(
  once(() => {
    const environment = reconcilingEnvironment(process.env);
    const foundation = foundationOf(environment);
    return reconcilingOf(foundation, environment, () => ({ runners: housekeepingOf(foundation).runners }));
  }),
);

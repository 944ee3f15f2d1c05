/** Workers of the garbage collector. */

import { once } from '../../machinery/once.ts';
import { reconcilingEnvironment } from '../environment.ts';
import { housekeepingOf } from '../runtime/all-work.ts';
import { foundationOf } from '../runtime/aws-ports.ts';
import { reconcilingOf } from '../runtime/standing.ts';
import { reconciles } from './reconciles.ts';

export const handler = reconciles(
  once(() => {
    const environment = reconcilingEnvironment(process.env);
    const foundation = foundationOf(environment);
    return reconcilingOf(foundation, environment, () => ({ runners: housekeepingOf(foundation).runners }));
  }),
);

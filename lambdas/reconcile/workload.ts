/** Workers that connect to workload clusters. */
import { controllers } from '../../kinds/workers/workload.ts';
import { once } from '../../machinery/once.ts';
import { reachingEnvironment } from '../environment.ts';
import { foundationOf } from '../runtime/aws-ports.ts';
import { clusterPorts } from '../runtime/cluster-ports.ts';
import { reconcilingOf } from '../runtime/worker.ts';
import { reconciles } from './reconciles.ts';

export const handler = reconciles(
  once(() => {
    const environment = reachingEnvironment(process.env);
    return reconcilingOf(foundationOf(environment), environment, (position) => ({
      controllers,
      ports: clusterPorts(environment, position),
    }));
  }),
);

/** Workers that only read and write objects. */
import { lazyPort } from '../../adapters/ports.ts';
import { controllers } from '../../kinds/workers/core.ts';
import { once } from '../../machinery/once.ts';
import { reconcilingEnvironment } from '../environment.ts';
import { foundationOf } from '../runtime/aws-ports.ts';
import { reconcilingOf } from '../runtime/worker.ts';
import { reconciles } from './reconciles.ts';

export const handler = reconciles(
  once(() => {
    const environment = reconcilingEnvironment(process.env);
    const foundation = foundationOf(environment);
    const api = lazyPort(async () => (await import('../../runtime/api-port.ts')).apiPort(foundation));
    const extensions = lazyPort(async () =>
      (await import('../../runtime/extensions/port.ts')).extensionsPort(foundation),
    );
    return reconcilingOf(foundation, environment, () => ({ controllers, ports: { api, extensions } }));
  }),
);

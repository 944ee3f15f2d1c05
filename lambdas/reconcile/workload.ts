/** Workers that connect to workload clusters. */
import { marked } from '../../adapters/installation/index.ts';
import { lazyPort } from '../../adapters/ports.ts';
import { controllers } from '../../kinds/workers/workload.ts';
import { once } from '../../machinery/once.ts';
import { reachingEnvironment } from '../environment.ts';
import { foundationOf } from '../runtime/aws-ports.ts';
import { pkiOnDemand } from '../runtime/pki.ts';
import { reconcilingOf } from '../runtime/worker.ts';
import { reconciles } from './reconciles.ts';

export const handler = reconciles(
  once(() => {
    const environment = reachingEnvironment(process.env);
    const workload = lazyPort(async () => (await import('../runtime/workload-port.ts')).workloadPortOf(environment));
    const snapshots = lazyPort(async () => (await import('../runtime/snapshots-port.ts')).snapshotsPortOf(environment));
    const decisions = lazyPort(async () => (await import('../runtime/decisions-port.ts')).decisionsPortOf(environment));
    return reconcilingOf(foundationOf(environment), environment, (position) => ({
      controllers,
      ports: {
        workload: marked(workload, position),
        snapshots: marked(snapshots, position),
        decisions: marked(decisions, position),
        pki: pkiOnDemand(),
      },
    }));
  }),
);

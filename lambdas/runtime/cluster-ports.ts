/** The ports of workers that connect to workload clusters. Each is loaded on its first use. */
import { marked, type Position } from '../../adapters/installation/index.ts';
import { lazyPort } from '../../adapters/ports.ts';
import type { Ports } from '../../machinery/controller/index.ts';
import type { ReachingEnvironment } from '../environment.ts';
import { pkiOnDemand } from './pki.ts';

export const clusterPorts = (environment: ReachingEnvironment, position: Position): Ports => ({
  workload: marked(
    lazyPort(async () => (await import('./workload-port.ts')).workloadPortOf(environment)),
    position,
  ),
  snapshots: marked(
    lazyPort(async () => (await import('./snapshots-port.ts')).snapshotsPortOf(environment)),
    position,
  ),
  decisions: marked(
    lazyPort(async () => (await import('./decisions-port.ts')).decisionsPortOf(environment)),
    position,
  ),
  sources: lazyPort(async () => (await import('./sources-port.ts')).sourcesPortOf(environment)),
  pki: pkiOnDemand(),
});

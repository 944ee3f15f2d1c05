/** Manifests and charts that add-ons name; Helm is in a layer, whose programs are in the PATH. */
import { sourcesPort } from '../../adapters/sources/index.ts';
import { createConnections } from '../../adapters/workload/connections.ts';
import type { Port } from '../../machinery/controller/index.ts';
import type { ReachingEnvironment } from '../environment.ts';
import { proxyOf } from './proxy.ts';

export const sourcesPortOf = (environment: ReachingEnvironment): Port => {
  const { proxy } = proxyOf(environment);
  return sourcesPort({ path: process.env.PATH, ...(proxy && { agent: createConnections(proxy).single }) });
};

/** Connections to workload clusters. */

import { workloadPort } from '../../adapters/ports.ts';
import { createWorkload, httpsTransport } from '../../adapters/workload/index.ts';
import type { Port } from '../../machinery/controller/index.ts';
import type { ReachingEnvironment } from '../environment.ts';
import { proxyOf } from './proxy.ts';

export const workloadPortOf = (environment: ReachingEnvironment): Port =>
  workloadPort(createWorkload({ transport: httpsTransport(proxyOf(environment)) }));

/** Connections to workload clusters. */

import { workloadPort } from '../../adapters/ports.ts';
import { createWorkload, type HttpsTransportOptions, httpsTransport } from '../../adapters/workload/index.ts';
import type { Port } from '../../machinery/controller/index.ts';
import type { ReachingEnvironment } from '../environment.ts';

export const proxyOf = ({ HTTPS_PROXY, NO_PROXY }: ReachingEnvironment): HttpsTransportOptions =>
  HTTPS_PROXY === undefined ? {} : { proxy: { HTTPS_PROXY, ...(NO_PROXY && { NO_PROXY }) } };

export const workloadPortOf = (environment: ReachingEnvironment): Port =>
  workloadPort(createWorkload({ transport: httpsTransport(proxyOf(environment)) }));

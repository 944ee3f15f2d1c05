/** Connections to workload clusters. */

import { workloadPort } from '../../adapters/ports.ts';
import { createWorkload, httpsTransport } from '../../adapters/workload/index.ts';
import type { Port } from '../../machinery/controller/index.ts';
import type { ReachingEnvironment } from '../environment.ts';

export const workloadPortOf = ({ HTTPS_PROXY, NO_PROXY }: ReachingEnvironment): Port => {
  const proxy = HTTPS_PROXY === undefined ? {} : { proxy: { HTTPS_PROXY, ...(NO_PROXY && { NO_PROXY }) } };
  return workloadPort(createWorkload({ transport: httpsTransport(proxy) }));
};

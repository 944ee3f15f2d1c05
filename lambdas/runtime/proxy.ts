import type { HttpsTransportOptions } from '../../adapters/workload/index.ts';
import type { ReachingEnvironment } from '../environment.ts';

/** The way from the function that connects to workload clusters to everything but AWS. */
export const proxyOf = ({ HTTPS_PROXY, NO_PROXY }: ReachingEnvironment): Pick<HttpsTransportOptions, 'proxy'> =>
  HTTPS_PROXY === undefined ? {} : { proxy: { HTTPS_PROXY, ...(NO_PROXY && { NO_PROXY }) } };

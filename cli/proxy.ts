/** The proxy that the user's environment names, for every connection that a command makes. */
import type { ProxyVariables } from '../adapters/workload/connections.ts';

/** Go's clients, kubectl among them, never reach this machine itself through a proxy. */
const here = ['localhost', '127.0.0.1', '[::1]', '::1'];

/** Undefined without one. */
export const proxyVariables = (environment: NodeJS.ProcessEnv = process.env): ProxyVariables | undefined => {
  const HTTPS_PROXY = environment.HTTPS_PROXY || environment.https_proxy;
  if (!HTTPS_PROXY) return undefined;
  const excepted = environment.NO_PROXY || environment.no_proxy;
  return { HTTPS_PROXY, NO_PROXY: [...(excepted ? [excepted] : []), ...here].join(',') };
};

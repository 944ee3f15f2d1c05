import { parse } from 'yaml';
import { memoize } from '../../machinery/api/memoize.ts';
import type { Connection } from './transport.ts';
import { invalidKubeconfig } from './workload.ts';

interface Named<T> {
  name?: string;
  cluster?: T;
  user?: T;
  context?: T;
}
interface Kubeconfig {
  'current-context'?: string;
  clusters?: Named<{
    server?: string;
    'tls-server-name'?: string;
    'certificate-authority-data'?: string;
    'insecure-skip-tls-verify'?: boolean;
  }>[];
  users?: Named<{ 'client-certificate-data'?: string; 'client-key-data'?: string; token?: string }>[];
  contexts?: Named<{ cluster?: string; user?: string }>[];
}

/** The Secret may hold anything. */
const named = <T>(entries: Named<T>[] | undefined, wanted: string | undefined): Named<T> | undefined =>
  Array.isArray(entries) ? entries.find((entry) => entry?.name === wanted) : undefined;

const decoded = (data: string | undefined): string | undefined =>
  data === undefined ? undefined : Buffer.from(data, 'base64').toString('utf8');

const read = (text: string): Kubeconfig => {
  try {
    return (parse(text) ?? {}) as Kubeconfig;
  } catch (error) {
    throw invalidKubeconfig('it is not YAML', { cause: error });
  }
};

/** The current context of a kubeconfig with inline data. Throws WorkloadError if it names no server. */
export const connectionOf = memoize(5000, (kubeconfig): Connection => {
  const config = read(kubeconfig);
  const context = named(config.contexts, config['current-context'])?.context;
  const cluster = named(config.clusters, context?.cluster)?.cluster;
  const user = named(config.users, context?.user)?.user;
  if (!cluster?.server) throw invalidKubeconfig('it names no server');
  if (URL.parse(cluster.server)?.protocol !== 'https:')
    throw invalidKubeconfig(`its server ${cluster.server} is no https address`);
  const serverName = cluster['tls-server-name'];
  const caCertificate = decoded(cluster['certificate-authority-data']);
  const skipsVerification = cluster['insecure-skip-tls-verify'] === true;
  // As client-go does: which of the two holds would be a guess.
  if (skipsVerification && caCertificate)
    throw invalidKubeconfig(
      'it names a certificate authority and insecure-skip-tls-verify, of which only one may be set',
    );
  const clientCertificate = decoded(user?.['client-certificate-data']);
  const clientKey = decoded(user?.['client-key-data']);
  return {
    server: cluster.server.replace(/\/+$/, ''),
    ...(serverName && { serverName }),
    ...(caCertificate && { caCertificate }),
    ...(skipsVerification && { skipsVerification: true as const }),
    ...(clientCertificate && { clientCertificate }),
    ...(clientKey && { clientKey }),
    ...(user?.token && { token: user.token }),
  };
});

/** The host that a server's certificate must be valid for. */
export const hostOf = ({ server, serverName }: Connection): string =>
  serverName ?? new URL(server).hostname.replace(/^\[|\]$/g, '');

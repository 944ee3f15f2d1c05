import { parse } from 'yaml';
import type { Connection } from '../../kinds/ports/transport.ts';
import { WorkloadError } from '../../kinds/ports/workload.ts';
import { memoize } from '../../machinery/api/memoize.ts';

interface Named<T> {
  name?: string;
  cluster?: T;
  user?: T;
  context?: T;
}
interface Kubeconfig {
  'current-context'?: string;
  clusters?: Named<{ server?: string; 'tls-server-name'?: string; 'certificate-authority-data'?: string }>[];
  users?: Named<{ 'client-certificate-data'?: string; 'client-key-data'?: string; token?: string }>[];
  contexts?: Named<{ cluster?: string; user?: string }>[];
}

const decoded = (data: string | undefined): string | undefined =>
  data === undefined ? undefined : Buffer.from(data, 'base64').toString('utf8');

const read = (text: string): Kubeconfig => {
  try {
    return (parse(text) ?? {}) as Kubeconfig;
  } catch (error) {
    throw new WorkloadError('InvalidKubeconfig', 'the kubeconfig is not YAML', { cause: error });
  }
};

/** The current context of a kubeconfig with inline data. Throws WorkloadError if it names no server. */
export const connectionOf = memoize(5000, (kubeconfig): Connection => {
  const config = read(kubeconfig);
  const context = config.contexts?.find(({ name }) => name === config['current-context'])?.context;
  const cluster = config.clusters?.find(({ name }) => name === context?.cluster)?.cluster;
  const user = config.users?.find(({ name }) => name === context?.user)?.user;
  if (!cluster?.server) throw new WorkloadError('InvalidKubeconfig', 'the kubeconfig names no server');
  if (URL.parse(cluster.server)?.protocol !== 'https:')
    throw new WorkloadError('InvalidKubeconfig', `the kubeconfig's server ${cluster.server} is no https address`);
  const serverName = cluster['tls-server-name'];
  const caCertificate = decoded(cluster['certificate-authority-data']);
  const clientCertificate = decoded(user?.['client-certificate-data']);
  const clientKey = decoded(user?.['client-key-data']);
  return {
    server: cluster.server.replace(/\/+$/, ''),
    ...(serverName && { serverName }),
    ...(caCertificate && { caCertificate }),
    ...(clientCertificate && { clientCertificate }),
    ...(clientKey && { clientKey }),
    ...(user?.token && { token: user.token }),
  };
});

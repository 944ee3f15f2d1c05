/** Kubeconfig files as YAML. */
import { stringify } from 'yaml';
import type { JoinConfiguration } from './schema.ts';

interface Kubeconfig {
  cluster: Record<string, unknown>;
  user: Record<string, unknown>;
  names: { cluster: string; user: string; context: string };
}

const render = ({ cluster, user, names }: Kubeconfig): string =>
  stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: names.cluster, cluster }],
      contexts: [{ name: names.context, context: { cluster: names.cluster, user: names.user } }],
      'current-context': names.context,
      preferences: {},
      users: [{ name: names.user, user }],
    },
    { version: '1.1', lineWidth: 0 },
  );

const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');

interface Admin {
  cluster: string;
  server: string;
  caCertificate: string;
  certificate: string;
  key: string;
}
/** The kubeconfig of a cluster's administrator. PEM. */
export const adminKubeconfig = ({ cluster, server, caCertificate, certificate, key }: Admin): string =>
  render({
    cluster: { 'certificate-authority-data': base64(caCertificate), server },
    user: { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) },
    names: { cluster, user: `${cluster}-admin`, context: `${cluster}-admin@${cluster}` },
  });

type FileDiscovery = NonNullable<NonNullable<JoinConfiguration['discovery']>['file']>;
/** The kubeconfig with which a machine discovers its cluster; server and CA are filled in where the user left them out. */
export const discoveryKubeconfig = (
  { cluster = {}, user }: NonNullable<FileDiscovery['kubeConfig']>,
  defaults: { server: string; caCertificate: string },
): string => {
  const { authProvider, exec } = user;
  return render({
    cluster: {
      server: cluster.server ?? defaults.server,
      'certificate-authority-data':
        cluster.certificateAuthorityData ??
        (cluster.insecureSkipTLSVerify ? undefined : base64(defaults.caCertificate)),
      'insecure-skip-tls-verify': cluster.insecureSkipTLSVerify,
      'tls-server-name': cluster.tlsServerName,
      'proxy-url': cluster.proxyURL,
    },
    user: {
      'auth-provider': authProvider,
      exec: exec && {
        interactiveMode: 'Never',
        ...exec,
        apiVersion: exec.apiVersion ?? 'client.authentication.k8s.io/v1',
      },
    },
    names: { cluster: 'default', user: 'default', context: 'default' },
  });
};

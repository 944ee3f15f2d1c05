/** The kubeconfig with which a joining host discovers its cluster. */
import { base64, renderKubeconfig } from '../../core/contract/kubeconfig.ts';
import type { JoinConfiguration } from './schema.ts';

type FileDiscovery = NonNullable<NonNullable<JoinConfiguration['discovery']>['file']>;
/** Fills in server and CA where the user omitted them. */
export const discoveryKubeconfig = (
  { cluster = {}, user }: NonNullable<FileDiscovery['kubeConfig']>,
  defaults: { server: string; caCertificate: string },
): string => {
  const { authProvider, exec } = user;
  return renderKubeconfig({
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

/** Kubeconfig files as YAML. */
import { stringify } from 'yaml';

interface Kubeconfig {
  cluster: Record<string, unknown>;
  user: Record<string, unknown>;
  names: { cluster: string; user: string; context: string };
}

export const renderKubeconfig = ({ cluster, user, names }: Kubeconfig): string =>
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

export const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');

interface Admin {
  cluster: string;
  server: string;
  caCertificate: string;
  certificate: string;
  key: string;
}
/** The administrator's kubeconfig of a cluster. Certificates and key are PEM. */
export const adminKubeconfig = ({ cluster, server, caCertificate, certificate, key }: Admin): string =>
  renderKubeconfig({
    cluster: { 'certificate-authority-data': base64(caCertificate), server },
    user: { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) },
    names: { cluster, user: `${cluster}-admin`, context: `${cluster}-admin@${cluster}` },
  });

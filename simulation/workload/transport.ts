/** The transport inside the process: no sockets, the same proofs of identity. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { type Connection, type EtcdConnection, etcdRefusal, type Transport } from '../../kinds/ports/transport.ts';
import { WorkloadError } from '../../kinds/ports/workload.ts';
import { certificateUser, isSignedBy } from './api/authentication.ts';
import type { Reached } from './clusters.ts';
import { answerEtcd, EtcdError } from './etcd.ts';
import type { SimulatedGuests } from './index.ts';

const unreachable = (message: string) => new WorkloadError('Unreachable', message);

const coversHost = (certificate: string, host: string): boolean => {
  const leaf = new X509Certificate(certificate);
  return (isIP(host) ? leaf.checkIP(host) : leaf.checkHost(host)) !== undefined;
};

const provesKey = (certificate: string, key: string): boolean => {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
};

type Inside = Pick<SimulatedGuests, 'clusters' | 'clock' | 'listener' | 'guests'>;

export const guestTransport = ({ clusters, clock, listener, guests }: Inside): Transport => {
  /** As the TLS handshake would go. */
  const connect = ({ server, caCertificate, clientCertificate, clientKey }: Connection): Reached => {
    const { hostname, port } = new URL(server);
    const reached = clusters.behind(listener(hostname, Number(port || 443)));
    const api = reached?.guest.kubelet?.apiServer;
    if (!reached || !api) throw unreachable(`dial tcp ${hostname}:${port}: connect: connection refused`);
    if (!caCertificate || !isSignedBy(api.certificate, caCertificate, clock.now()))
      throw unreachable('tls: failed to verify certificate: x509: certificate signed by unknown authority');
    if (!coversHost(api.certificate, hostname))
      throw unreachable(`tls: failed to verify certificate: x509: certificate is not valid for ${hostname}`);
    if (clientCertificate && !provesKey(clientCertificate, clientKey ?? ''))
      throw unreachable('tls: private key does not match public key');
    return reached;
  };
  const administer = (connection: Connection): Reached => {
    const reached = connect(connection);
    const { caCertificate } = reached.cluster.record;
    const user =
      connection.clientCertificate && certificateUser(connection.clientCertificate, caCertificate, clock.now());
    if (!user) throw new WorkloadError('Unauthorized', 'Unauthorized');
    if (!user.groups.includes('system:masters'))
      throw new WorkloadError(
        'Forbidden',
        `User "${user.username}" cannot create resource "pods/portforward" in the namespace "kube-system"`,
      );
    return reached;
  };
  const guestOn = ({ cluster }: Reached, node: string) => {
    const found = guests().find(({ kubelet }) => kubelet?.cluster === cluster.record.id && kubelet.nodeName === node);
    if (!found || found.haltedAt !== undefined || !found.kubelet?.apiServer)
      throw unreachable(`error upgrading connection: pod on node ${node} does not answer`);
    return { guest: found, api: found.kubelet.apiServer };
  };

  const etcd = async (
    { connection, node, ...proof }: EtcdConnection,
    path: string,
    body: unknown,
  ): Promise<unknown> => {
    const reached = administer(connection);
    const { guest, api } = guestOn(reached, node);
    const { record } = reached.cluster;
    if (!api.etcd || !isSignedBy(api.etcd.certificate, proof.caCertificate, clock.now()))
      throw unreachable(
        'authentication handshake failed: tls: failed to verify certificate: x509: certificate signed by unknown authority',
      );
    if (
      !isSignedBy(proof.clientCertificate, record.etcd.caCertificate, clock.now()) ||
      !provesKey(proof.clientCertificate, proof.clientKey)
    )
      throw unreachable('authentication handshake failed: remote error: tls: bad certificate');
    const server = {
      etcd: record.etcd,
      isRunning: clusters.isRunning,
      version: '3.6.6',
      save: () => {
        clusters.save(reached.cluster);
        reached.cluster.poke();
      },
    };
    try {
      return answerEtcd(server, guest.instance.instanceId, path, body);
    } catch (error) {
      if (error instanceof EtcdError) throw new WorkloadError(etcdRefusal(error.code), error.message);
      throw error;
    }
  };

  return {
    fetch: async (connection, request) => {
      const { cluster, guest } = connect(connection);
      const { clientCertificate, token } = connection;
      const peer = { ...(clientCertificate && { clientCertificate }), ...(token && { token }) };
      return cluster.fetch(request, guest.kubelet!.apiServer!.version, peer);
    },
    etcd,
    certificate: async (connection, node) => {
      const reached = administer(connection);
      const { guest, api } = guestOn(reached, node);
      if (!clusters.runsApiServer(guest)) throw unreachable(`no API server answers on node ${node}`);
      return api.certificate;
    },
  };
};

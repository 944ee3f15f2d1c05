/** The in-process transport: no sockets, but the same authentication. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { type Connection, type EtcdConnection, etcdRefusal, type Transport } from '../../kinds/ports/transport.ts';
import { WorkloadError } from '../../kinds/ports/workload.ts';
import { memoize, memoizePair } from '../../machinery/api/memoize.ts';
import { coversHost, isSignedBy, remembered } from './api/authentication.ts';
import type { ApiPeer } from './cluster-api.ts';
import type { Reached } from './clusters.ts';
import { EtcdError } from './etcd.ts';
import type { ForwardedPort } from './forwarding.ts';
import type { SimulatedGuests } from './guests.ts';
import type { GuestRecord } from './records.ts';

const etcdPort = 2379;
const defaultApiPort = 6443;
/** Milliseconds, as over sockets. */
const lingering = 10;

const peerOf = ({ clientCertificate, token }: Connection): ApiPeer => ({
  ...(clientCertificate && { clientCertificate }),
  ...(token && { token }),
});

const unreachable = (message: string) => new WorkloadError('Unreachable', message);

const provesKey = memoizePair(remembered, (certificate, key): boolean => {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
});

const addressOf = memoize(remembered, (server) => {
  const { hostname, port } = new URL(server);
  return { hostname, port };
});

type Inside = Pick<SimulatedGuests, 'clusters' | 'clock' | 'listener' | 'forwarder'>;

export const guestTransport = ({ clusters, clock, listener, forwarder }: Inside): Transport => {
  const verify = (certificate: string, { server, serverName, caCertificate }: Connection): void => {
    const name = serverName ?? addressOf(server).hostname;
    if (!caCertificate || !isSignedBy(certificate, caCertificate, clock.now()))
      throw unreachable('tls: failed to verify certificate: x509: certificate signed by unknown authority');
    if (!coversHost(certificate, name))
      throw unreachable(`tls: failed to verify certificate: x509: certificate is not valid for ${name}`);
  };
  /** The checks of a TLS handshake. */
  const connect = (connection: Connection): Reached => {
    const { server, clientCertificate, clientKey } = connection;
    const { hostname, port } = addressOf(server);
    const reached = clusters.behind(listener(hostname, Number(port || 443)));
    const api = reached?.guest.kubelet?.apiServer;
    if (!reached || !api) throw unreachable(`dial tcp ${hostname}:${port}: connect: connection refused`);
    verify(api.certificate, connection);
    if (clientCertificate && !provesKey(clientCertificate, clientKey ?? ''))
      throw unreachable('tls: private key does not match public key');
    return reached;
  };
  const forward = async (
    connection: Connection,
    reached: Reached,
    pod: string,
    port: number,
  ): Promise<ForwardedPort> => {
    const url = `${connection.server}/api/v1/namespaces/kube-system/pods/${pod}/portforward?ports=${port}`;
    const service = await forwarder.forward(
      reached,
      new Request(url, { headers: { upgrade: 'websocket' } }),
      peerOf(connection),
    );
    if (!(service instanceof Response)) return service;
    const { reason, message = '' } = (await service.json()) as { reason?: string; message?: string };
    throw new WorkloadError(reason || 'InternalError', message);
  };

  /** The last forwarded port, shared by consecutive calls as they would share a connection. */
  let kept: { connection: Connection; node: string; guest: GuestRecord; at: number; port: ForwardedPort } | undefined;
  const etcdOn = async (connection: Connection, node: string): Promise<ForwardedPort> => {
    const reached = connect(connection);
    const guest = forwarder.guestOn(reached, node)?.guest;
    const isSame = kept?.connection === connection && kept.node === node && kept.guest === guest;
    if (kept && isSame && clock.now() - kept.at <= lingering) {
      kept.at = clock.now();
      return kept.port;
    }
    const port = await forward(connection, reached, `etcd-${node}`, etcdPort);
    kept = guest && { connection, node, guest, at: clock.now(), port };
    return port;
  };

  /** A call inside the forwarded port, with its own handshake. */
  const gatewayOf = async ({ connection, node, ...proof }: EtcdConnection) => {
    const { identity: identityOf, etcd, etcdStream } = await etcdOn(connection, node);
    const identity = identityOf();
    if (!identity || !etcd || !etcdStream)
      throw unreachable(`dial tcp4 127.0.0.1:${etcdPort}: connect: connection refused`);
    if (!isSignedBy(identity.certificate, proof.caCertificate, clock.now()))
      throw unreachable(
        'authentication handshake failed: tls: failed to verify certificate: x509: certificate signed by unknown authority',
      );
    if (
      !isSignedBy(proof.clientCertificate, identity.clientAuthorities, clock.now()) ||
      !provesKey(proof.clientCertificate, proof.clientKey)
    )
      throw unreachable('authentication handshake failed: remote error: tls: bad certificate');
    return { etcd, etcdStream };
  };
  const refusal = (error: unknown) =>
    error instanceof EtcdError ? new WorkloadError(etcdRefusal(error.code), error.message) : error;
  const etcd: Transport['etcd'] = async (member, path, body) => {
    const gateway = await gatewayOf(member);
    try {
      return gateway.etcd(path, body);
    } catch (error) {
      throw refusal(error);
    }
  };
  const etcdStream: Transport['etcdStream'] = async (member, path) => {
    const gateway = await gatewayOf(member);
    const stream = await gateway.etcdStream(path).catch((error: unknown) => {
      throw refusal(error);
    });
    if (!stream) throw new WorkloadError('NotFound', 'Not Found');
    return stream;
  };

  const apiServerOn = (connection: Connection, node: string): Promise<ForwardedPort> => {
    const reached = connect(connection);
    const port = forwarder.guestOn(reached, node)?.api.port ?? defaultApiPort;
    return forward(connection, reached, `kube-apiserver-${node}`, port);
  };
  const certificate = async (connection: Connection, node: string): Promise<string> => {
    const service = await apiServerOn(connection, node);
    const identity = service.identity();
    if (!identity) throw unreachable(`no API server answers on node ${node}`);
    return identity.certificate;
  };
  const fetchOn: Transport['fetchOn'] = async (connection, node, request) => {
    const service = await apiServerOn(connection, node);
    const identity = service.identity();
    if (!identity) throw unreachable(`no API server answers on node ${node}`);
    verify(identity.certificate, connection);
    return service.fetch(request, peerOf(connection));
  };

  return {
    fetch: async (connection, request) => {
      const { cluster, guest } = connect(connection);
      return cluster.fetch(request, guest.kubelet!.apiServer!.version, peerOf(connection));
    },
    etcd,
    etcdStream,
    certificate,
    fetchOn,
  };
};

/** The Transport port over TLS with the kubeconfig's CA and client certificate. */
import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { hostOf } from '../../kinds/ports/kubeconfig.ts';
import type { Connection, EtcdConnection, Transport } from '../../kinds/ports/transport.ts';
import { WorkloadError } from '../../kinds/ports/workload.ts';
import { type Connections, createConnections, type ProxyVariables } from './connections.ts';
import { agentOn, etcdSessions } from './etcd-sessions.ts';
import { streamFrom } from './etcd-stream.ts';
import { type Answer, exchange, StaleConnection } from './exchange.ts';
import { forwardPort } from './port-forward.ts';
import { refusalOf } from './refusal.ts';
import { secureOver, tlsOf } from './tls.ts';

export interface HttpsTransportOptions {
  /** Milliseconds for a whole request; 10 s by default. */
  timeout?: number;
  /** Milliseconds until the API server accepts a connection; 3.5 s by default. */
  connectTimeout?: number;
  /** Milliseconds to reach a port on a node; 5 s by default. */
  forwardTimeout?: number;
  /** Proxy variables for connections to clusters. */
  proxy?: ProxyVariables;
}

/**
 * Milliseconds. An API server that is busy still accepts connections within two retransmissions of
 * TCP; a host that is gone does not, and each probe of it keeps a worker waiting.
 */
export const defaultConnectTimeout = 3_500;
const etcdPort = 2379;
const defaultApiPort = 6443;
/** kubeadm's annotation with the address of the API server. */
const endpointAnnotation = 'kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint';

const pem = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/(.{64})(?=.)/g, '$1\n')}\n-----END CERTIFICATE-----\n`;

const annotationsOf = (pod: string): Record<string, string> => {
  try {
    return (JSON.parse(pod) as { metadata: { annotations?: Record<string, string> } }).metadata.annotations ?? {};
  } catch (error) {
    throw new WorkloadError('InternalError', 'the pod is no JSON', { cause: error });
  }
};

/** kubeadm issues etcd's certificates for the node's name and localhost. */
const checkEtcdIdentity =
  (node: string) =>
  (_: string, certificate: PeerCertificate): Error | undefined =>
    checkServerIdentity(node, certificate) && checkServerIdentity('localhost', certificate);

const contentOf = async ({ token }: Connection, request: Request) => {
  const body = request.body ? Buffer.from(await request.arrayBuffer()) : undefined;
  const headers: Record<string, string> = Object.fromEntries(request.headers);
  if (token) headers.authorization = `Bearer ${token}`;
  if (body) headers['content-length'] = String(body.length);
  return { body, headers };
};

const responseOf = ({ status, contentType, body }: Answer): Response =>
  new Response(status === 204 ? null : new Uint8Array(body), { status, headers: { 'Content-Type': contentType } });

const fetchOver =
  (connections: Connections, limits: { timeout: number; connectTimeout: number }): Transport['fetch'] =>
  async (connection, request) => {
    const url = new URL(request.url);
    const { body, headers } = await contentOf(connection, request);
    const send = () =>
      exchange(
        {
          ...tlsOf(connection),
          agent: connections.keeping(),
          hostname: url.hostname.replace(/^\[|\]$/g, ''),
          port: url.port || 443,
          path: `${url.pathname}${url.search}`,
          method: request.method,
          headers,
        },
        { host: url.host, secure: true, body, ...limits },
      );
    const answer = await send().catch((error: unknown) => {
      // A write over a broken connection has an unknown outcome, which the next pass observes.
      if (!(error instanceof StaleConnection) || request.method !== 'GET') throw error;
      connections.dropKept();
      return send();
    });
    return responseOf(answer);
  };

export const httpsTransport = ({
  timeout = 10_000,
  connectTimeout = defaultConnectTimeout,
  forwardTimeout = 5000,
  proxy,
}: HttpsTransportOptions = {}): Transport => {
  const connections = createConnections(proxy);
  const fetch = fetchOver(connections, { timeout, connectTimeout });
  const forward = (connection: Connection, pod: string, port: number) =>
    forwardPort(
      connection,
      { namespace: 'kube-system', pod, port },
      { agent: connections.single, timeout: forwardTimeout },
    );

  const openEtcd = async ({ connection, node, caCertificate, clientCertificate, clientKey }: EtcdConnection) => {
    const stream = await forward(connection, `etcd-${node}`, etcdPort);
    const secure = await secureOver(stream, `etcd on ${node}`, forwardTimeout, {
      ca: caCertificate,
      cert: clientCertificate,
      key: clientKey,
      servername: node,
      checkServerIdentity: checkEtcdIdentity(node),
      ALPNProtocols: ['http/1.1'],
    });
    secure.once('close', () => stream.destroy());
    return secure;
  };

  const portOf = async (connection: Connection, pod: string): Promise<number> => {
    const path = `/api/v1/namespaces/kube-system/pods/${encodeURIComponent(pod)}`;
    const response = await fetch(connection, new Request(`${connection.server}${path}`));
    const text = await response.text();
    if (!response.ok) throw refusalOf(response.status, text);
    return Number(/:(\d+)$/.exec(annotationsOf(text)[endpointAnnotation] ?? '')?.[1] ?? defaultApiPort);
  };

  const certificate = async (connection: Connection, node: string): Promise<string> => {
    const pod = `kube-apiserver-${node}`;
    const stream = await forward(connection, pod, await portOf(connection, pod));
    // Reads the certificate without verification, because it may have expired.
    const secure = await secureOver(stream, pod, forwardTimeout, { rejectUnauthorized: false });
    const { raw } = secure.getPeerCertificate();
    secure.destroy();
    stream.destroy();
    return pem(raw);
  };

  const fetchOn: Transport['fetchOn'] = async (connection, node, request) => {
    const pod = `kube-apiserver-${node}`;
    const stream = await forward(connection, pod, await portOf(connection, pod));
    // Every API server's certificate is valid for the endpoint that all of them share.
    const host = hostOf(connection);
    const secure = await secureOver(stream, pod, forwardTimeout, {
      ...tlsOf(connection),
      host,
      ...(isIP(host) === 0 && { servername: host }),
      ALPNProtocols: ['http/1.1'],
    });
    const agent = agentOn(secure);
    try {
      const { pathname, search } = new URL(request.url);
      const { body, headers } = await contentOf(connection, request);
      const { method } = request;
      const answer = await exchange(
        { agent, path: `${pathname}${search}`, method, host: 'localhost', headers },
        { host: pod, secure: false, body, timeout },
      );
      return responseOf(answer);
    } finally {
      agent.destroy();
      secure.destroy();
      stream.destroy();
    }
  };

  return {
    fetch,
    fetchOn,
    etcd: etcdSessions(timeout, openEtcd),
    etcdStream: async (etcd, path, body) =>
      streamFrom(await openEtcd(etcd), `etcd on ${etcd.node}`, path, body, timeout),
    certificate,
  };
};

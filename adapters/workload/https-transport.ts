/** The transport over sockets: TLS with the kubeconfig's authority and client certificate. */
import { request as httpsRequest } from 'node:https';
import type { Connection, Transport } from '../../kinds/ports/transport.ts';
import { WorkloadError } from '../../kinds/ports/workload.ts';

export interface HttpsTransportOptions {
  /** Milliseconds for a whole request; 10 s by default. */
  timeout?: number;
}

const codeOf = (error: NodeJS.ErrnoException): string => (error.code === 'ETIMEDOUT' ? 'Timeout' : 'Unreachable');

const exchange = async (connection: Connection, request: Request, timeout: number): Promise<Response> => {
  const url = new URL(request.url);
  const body = request.body ? Buffer.from(await request.arrayBuffer()) : undefined;
  const headers: Record<string, string> = Object.fromEntries(request.headers);
  if (connection.token) headers.authorization = `Bearer ${connection.token}`;
  if (body) headers['content-length'] = String(body.length);
  return new Promise((resolve, reject) => {
    const outgoing = httpsRequest(
      {
        hostname: url.hostname.replace(/^\[|\]$/g, ''),
        port: url.port || 443,
        path: `${url.pathname}${url.search}`,
        method: request.method,
        headers,
        agent: false,
        ...(connection.caCertificate && { ca: connection.caCertificate }),
        ...(connection.clientCertificate && { cert: connection.clientCertificate, key: connection.clientKey }),
        signal: AbortSignal.timeout(timeout),
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', (error) => reject(new WorkloadError('Unreachable', error.message, { cause: error })));
        incoming.on('end', () => {
          const status = incoming.statusCode ?? 502;
          const type = incoming.headers['content-type'] ?? 'application/json';
          resolve(
            new Response(status === 204 ? null : Buffer.concat(chunks), { status, headers: { 'Content-Type': type } }),
          );
        });
      },
    );
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const late = error.name === 'AbortError' || error.name === 'TimeoutError';
      const code = late ? 'Timeout' : codeOf(error);
      const message = late
        ? `no answer from ${url.host} within ${timeout} ms`
        : error.message || `cannot reach ${url.host}`;
      reject(new WorkloadError(code, message, { cause: error }));
    });
    outgoing.end(body);
  });
};

// Both need a connection forwarded to a pod of a node.
const forwarding = (what: string) =>
  new WorkloadError('NotSupported', `${what} needs port forwarding, which the transport over sockets does not have`);

export const httpsTransport = ({ timeout = 10_000 }: HttpsTransportOptions = {}): Transport => ({
  fetch: (connection, request) => exchange(connection, request, timeout),
  etcd: () => Promise.reject(forwarding('etcd')),
  certificate: () => Promise.reject(forwarding("a node's serving certificate")),
});

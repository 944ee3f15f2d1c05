/**
 * How the client of a workload cluster reaches it: over sockets, or in the process of the
 * simulation.
 */

/** The current context of a kubeconfig. Certificates and keys are PEM. */
export interface Connection {
  /** https://host:port, with a path when it has one. */
  server: string;
  /** The name in the server's certificate and in SNI; absent = the host of `server`. */
  serverName?: string;
  /** Absent = the CAs that the process trusts by default. */
  caCertificate?: string;
  /** The user asked to accept any certificate. */
  skipsVerification?: true;
  clientCertificate?: string;
  clientKey?: string;
  token?: string;
}

/**
 * The etcd member of a node, reached through the API server, with a client certificate of the etcd
 * CA (PEM).
 */
export interface EtcdConnection {
  connection: Connection;
  node: string;
  caCertificate: string;
  clientCertificate: string;
  clientKey: string;
}

/**
 * Every call rejects with a WorkloadError when no response arrives; an error response is a
 * Response.
 */
export interface Transport {
  /** `request` has its whole URL, which begins with the connection's server. */
  fetch(connection: Connection, request: Request): Promise<Response>;
  /**
   * One call of etcd's JSON gateway, such as /v3/cluster/member/list. Errors of etcd reject, too.
   */
  etcd(etcd: EtcdConnection, path: string, body: unknown): Promise<unknown>;
  /**
   * The body of a streaming call of the gateway, as it arrives: one JSON document a line. Iterating it rejects
   * with a WorkloadError when the stream breaks off; a consumer that stops early ends the connection.
   */
  etcdStream(etcd: EtcdConnection, path: string, body: unknown): Promise<AsyncIterable<Uint8Array>>;
  /** The PEM certificate that the API server on a node presents, without checking its validity. */
  certificate(connection: Connection, node: string): Promise<string>;
  /** As `fetch`, from the API server on a node. */
  fetchOn(connection: Connection, node: string, request: Request): Promise<Response>;
}

const etcdCodes: Record<number, string> = {
  3: 'BadRequest',
  4: 'Timeout',
  5: 'NotFound',
  7: 'Forbidden',
  9: 'Conflict',
  12: 'NotFound',
  14: 'Unreachable',
  16: 'Unauthorized',
};

/** The WorkloadError code for an etcd error, by its gRPC status. */
export const etcdRefusal = (status: number): string => etcdCodes[status] ?? 'InternalError';

/** How the client of a workload cluster reaches it: over sockets, or inside the process that simulates it. */

/** A kubeconfig's current context, taken apart. Certificates and keys are PEM. */
export interface Connection {
  /** https://host:port, with a path when it has one. */
  server: string;
  /** What the server's certificate is for, and SNI names; absent = the host of `server`. */
  serverName?: string;
  /** Absent = the authorities this machine trusts. */
  caCertificate?: string;
  clientCertificate?: string;
  clientKey?: string;
  token?: string;
}

/** The etcd of a node, reached through the API server, with a client certificate of the etcd CA (PEM). */
export interface EtcdConnection {
  connection: Connection;
  node: string;
  caCertificate: string;
  clientCertificate: string;
  clientKey: string;
}

/** Every call rejects with a WorkloadError when there is no answer; an answer that refuses is a Response. */
export interface Transport {
  /** `request` has its whole URL, which begins with the connection's server. */
  fetch(connection: Connection, request: Request): Promise<Response>;
  /** One call of etcd's JSON gateway, such as /v3/cluster/member/list; an error of etcd rejects, too. */
  etcd(etcd: EtcdConnection, path: string, body: unknown): Promise<unknown>;
  /** The certificate, PEM, that the API server on a node shows; whether it is still valid is not asked. */
  certificate(connection: Connection, node: string): Promise<string>;
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

/** The code of a WorkloadError for a refusal of etcd, by the number of its gRPC status. */
export const etcdRefusal = (status: number): string => etcdCodes[status] ?? 'InternalError';

/** How a joining machine finds the cluster and verifies it. */
import { createHash, X509Certificate } from 'node:crypto';
import { parse } from 'yaml';
import { coversHost, isSignedBy } from '../api/authentication.ts';
import { isExpired, signatureIn, type TokenFacts, tokenOf, verifies } from '../cluster-info.ts';
import type { Clusters, Reached } from '../clusters.ts';
import { delays } from '../delays.ts';
import type { Machine } from '../machine.ts';
import type { JoinConfig } from './config.ts';
import { ConfigError } from './documents.ts';

/**
 * The cluster refuses this machine, or the machine does not trust the cluster; retrying does not
 * help.
 */
export class JoinError extends Error {
  override readonly name = 'JoinError';
}

/** sha256 of a certificate's public key, as kubeadm pins it. */
export const publicKeyHash = (certificate: string): string => {
  const key = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' });
  return `sha256:${createHash('sha256').update(key).digest('hex')}`;
};

const splitEndpoint = (endpoint: string): { host: string; port: number } => {
  const [, host = endpoint, port = '6443'] = /^(?:https:\/\/)?(\[[^\]]+\]|[^:/]+)(?::(\d+))?/.exec(endpoint) ?? [];
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
};

/**
 * The API server at host:port, as a client that trusts the authority reaches it; the client's error
 * if it does not. A client without an authority verifies nothing.
 */
const dial = (
  endpoint: string,
  clusters: Clusters,
  { authority, now }: { authority: string | undefined; now: number },
): Reached | string => {
  const { host, port } = splitEndpoint(endpoint);
  const reached = clusters.at(host, port);
  if (!reached) return `dial tcp ${host}:${port}: connect: connection refused`;
  if (authority === undefined) return reached;
  const { certificate } = reached.guest.kubelet!.apiServer!;
  if (!isSignedBy(certificate, authority, now))
    return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
  return coversHost(certificate, host)
    ? reached
    : `tls: failed to verify certificate: x509: certificate is not valid for ${host}`;
};

/** As a client of the cluster's own authority. Throws JoinError, which begins with `what`. */
export const requireCluster = (
  endpoint: string,
  cluster: Reached['cluster'],
  machine: Machine,
  clusters: Clusters,
  what: string,
): void => {
  const { caCertificate, id } = cluster.record;
  const reached = dial(endpoint, clusters, { authority: caCertificate, now: machine.now() });
  if (typeof reached === 'string') throw new JoinError(`${what}: Get "https://${endpoint}": ${reached}`);
  if (reached.cluster.record.id !== id) throw new JoinError(`${what}: Get "https://${endpoint}": Unauthorized`);
};

interface FileCluster {
  clusters?: { cluster?: { server?: string; 'certificate-authority-data'?: string } }[];
  users?: { user?: { token?: string } }[];
}

/** The endpoint and the root of trust: pinned keys, or a CA from a file. */
const targetOf = (machine: Machine, { discovery }: JoinConfig): { endpoint: string; authority?: string } => {
  if (!discovery.kubeConfigPath) return { endpoint: discovery.apiServerEndpoint };
  const text = machine.files.get(discovery.kubeConfigPath);
  if (text === undefined)
    throw new ConfigError(
      `couldn't load the discovery file: open ${discovery.kubeConfigPath}: no such file or directory`,
    );
  const [entry] = (parse(text) as FileCluster | null)?.clusters ?? [];
  const { server, 'certificate-authority-data': data } = entry?.cluster ?? {};
  if (!server || !data)
    throw new ConfigError('the provided discovery kubeconfig file names no cluster with its authority');
  return { endpoint: server, authority: Buffer.from(data, 'base64').toString('utf8') };
};

const sameKey = (a: string, b: string): boolean => {
  try {
    return publicKeyHash(a) === publicKeyHash(b);
  } catch {
    return false;
  }
};

/** Why the cluster cannot be trusted yet; undefined = trusted. Throws when it never will be. */
const doubt = async ({ cluster }: Reached, { discovery }: JoinConfig, authority: string | undefined) => {
  const { caCertificate } = cluster.record;
  if (authority !== undefined) {
    if (sameKey(authority, caCertificate)) return undefined;
    throw new JoinError(
      'failed to request the cluster-info ConfigMap: tls: failed to verify certificate: x509: certificate signed by unknown authority',
    );
  }
  const info = await cluster.get('configmaps', 'kube-public', 'cluster-info');
  if (!info) return 'configmaps "cluster-info" not found';
  const { token, caCertHashes } = discovery;
  if (signatureIn(info, token.id) === undefined)
    return `could not find a JWS signature in the cluster-info ConfigMap for token ID "${token.id}"`;
  if (!verifies(info, token))
    return "failed to verify JWS signature of received cluster info object, can't trust this API Server";
  const pin = publicKeyHash(caCertificate);
  if (caCertHashes.length > 0 && !caCertHashes.includes(pin))
    throw new JoinError(
      `couldn't validate the identity of the API Server: cluster CA found in cluster-info ConfigMap is invalid: none of the public keys "${pin}" are pinned`,
    );
  return undefined;
};

const refusedConnection = (endpoint: string, why: string): string =>
  `Get "https://${endpoint}/api/v1/namespaces/kube-public/configmaps/cluster-info?timeout=10s": ${why}`;

/**
 * The server that kubeadm uses after discovery: with a token that of cluster-info, which the token
 * signs, and with a file that of the file. Throws JoinError.
 */
const serverOf = async ({ cluster }: Reached, machine: Machine, config: JoinConfig): Promise<string> => {
  if (config.discovery.kubeConfigPath) return targetOf(machine, config).endpoint;
  const info = await cluster.get('configmaps', 'kube-public', 'cluster-info');
  const { kubeconfig = '' } = (info?.data ?? {}) as Record<string, string>;
  const [entry] = (parse(kubeconfig) as FileCluster | null)?.clusters ?? [];
  const { server } = entry?.cluster ?? {};
  if (!server) throw new JoinError('the kubeconfig in the cluster-info ConfigMap names no server');
  return server;
};

/** Retries until the cluster responds and is trusted, up to kubeadm's timeout. Throws JoinError. */
export const discover = async (machine: Machine, config: JoinConfig, clusters: Clusters): Promise<Reached> => {
  const { endpoint, authority } = targetOf(machine, config);
  const deadline = machine.command.startedAt + config.discovery.timeout;
  let message = '';
  for (;;) {
    const first = dial(endpoint, clusters, { authority, now: machine.now() });
    const why = typeof first === 'string' ? refusedConnection(endpoint, first) : await doubt(first, config, authority);
    if (typeof first !== 'string' && why === undefined) {
      const server = (await serverOf(first, machine, config)).replace(/^https:\/\//, '');
      requireCluster(
        server,
        first.cluster,
        machine,
        clusters,
        'unable to fetch the kubeadm-config ConfigMap: failed to get config map',
      );
      return first;
    }
    if (machine.now() >= deadline)
      throw new JoinError(
        `couldn't validate the identity of the API Server: failed to request the cluster-info ConfigMap: client rate limiter Wait returned an error: context deadline exceeded: ${why}`,
      );
    if (why && why !== message) machine.print(`[discovery] Failed to request cluster-info, will try again: ${why}`);
    message = why ?? '';
    await machine.until(Math.min(deadline, machine.now() + machine.scaled(delays.kubeadmRetry)));
  }
};

/** The kubelet's first request, with the token. Throws JoinError. */
export const authenticate = async ({ cluster }: Reached, machine: Machine, config: JoinConfig): Promise<void> => {
  const { discovery } = config;
  if (discovery.kubeConfigPath && !discovery.tlsToken.id) {
    const file = parse(machine.files.get(discovery.kubeConfigPath) ?? '') as FileCluster | null;
    if (file?.users?.length) return;
  }
  const secrets = await cluster.list('secrets');
  const tokens: TokenFacts[] = secrets.flatMap((secret) =>
    secret.metadata.namespace === 'kube-system' ? (tokenOf(secret) ?? []) : [],
  );
  const token = tokens.find(({ id, secret }) => id === discovery.tlsToken.id && secret === discovery.tlsToken.secret);
  if (!token?.authenticates || isExpired(token, machine.now()))
    throw new JoinError('failed to get config map: Unauthorized: the bootstrap token is invalid or has expired');
};

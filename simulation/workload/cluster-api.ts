/** The API of a workload cluster: authentication, authorization, and the server. */
import { unavailable } from '../../machinery/api/errors.ts';
import type { User } from '../../machinery/api/kind.ts';
import type { Clock, Log, Random } from '../../machinery/ports.ts';
import { type ApiServer, createServer } from '../../machinery/server/server.ts';
import { failureResponse } from '../../machinery/server/status.ts';
import { isTokenOf } from '../eks-token.ts';
import { anonymous, certificateUser, tokenUser } from './api/authentication.ts';
import { rightsBy } from './api/authorization.ts';
import { deprecatedRequests } from './api/deprecated-requests.ts';
import { withJsonBody } from './api/protobuf.ts';
import { servedBy } from './api/releases.ts';
import { tokenOf } from './cluster-info.ts';
import type { ClusterStore } from './cluster-store.ts';
import { parseVersion } from './kubeadm/version.ts';

/** Who created a cluster of EKS may do everything in it. */
const eksCreator: User = { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };

/** A client's proof of identity in PEM; a certificate is verified against the cluster's CA. */
export interface ApiPeer {
  clientCertificate?: string;
  token?: string;
}

/** One request. `version` is the version of the API server that it reached. Never rejects. */
export type ClusterFetch = (request: Request, version: string, peer: ApiPeer) => Promise<Response>;

export interface ClusterApiOptions {
  objects: ClusterStore;
  caCertificate: string;
  /** Absent where tokens of AWS prove nothing. */
  eksName?: string;
  clock: Clock;
  random: Random;
  log?: Log;
  isServing: () => boolean;
  /** Called after each request of a known user. */
  answered: (request: Request, username: string, code: number) => void;
}

const versionInfo = (gitVersion: string) => {
  const { major = 1, minor = 0 } = parseVersion(gitVersion) ?? {};
  return {
    major: String(major),
    minor: String(minor),
    gitVersion,
    gitCommit: '0000000000000000000000000000000000000000',
    gitTreeState: 'clean',
    buildDate: '2026-01-01T00:00:00Z',
    goVersion: 'go1.25.5',
    compiler: 'gc',
    platform: 'linux/amd64',
  };
};

/** Anonymous requests may only read what a joining machine needs before it trusts the cluster. */
const isForAnybody = (request: Request): boolean =>
  request.method === 'GET' &&
  new URL(request.url).pathname === '/api/v1/namespaces/kube-public/configmaps/cluster-info';

export const createClusterApi = (options: ClusterApiOptions): ClusterFetch => {
  const { objects, caCertificate, eksName, clock, random, log, isServing, answered } = options;
  const { registry, store, mirror, loaded } = objects;
  const users = new WeakMap<Request, User>();
  const servers = new Map<string, ApiServer>();
  const serverOf = (version: string): ApiServer => {
    const known = servers.get(version);
    if (known) return known;
    const server = createServer({
      kinds: servedBy(registry, version),
      store,
      clock,
      random,
      authenticate: (request) => users.get(request),
      rights: rightsBy((type) => mirror.list(type)),
      version: versionInfo(version),
      ...(log && { log }),
    });
    servers.set(version, server);
    return server;
  };

  const userOf = (request: Request, peer: ApiPeer): User | undefined => {
    if (peer.clientCertificate) return certificateUser(peer.clientCertificate, caCertificate, clock.now());
    const bearer = /^Bearer (.+)$/.exec(request.headers.get('Authorization') ?? '')?.[1] ?? peer.token;
    if (bearer === undefined) return isForAnybody(request) ? anonymous : undefined;
    if (eksName !== undefined && isTokenOf(bearer, eksName, clock.now())) return eksCreator;
    const secrets = mirror.list('secrets').filter(({ metadata }) => metadata.namespace === 'kube-system');
    return tokenUser(
      bearer,
      secrets.flatMap((secret) => tokenOf(secret) ?? []),
      clock.now(),
    );
  };

  const deprecated = deprecatedRequests();

  return async (sent, version, peer) => {
    try {
      const request = await withJsonBody(sent);
      if (request instanceof Response) return request;
      await loaded;
      await mirror.refresh(store);
      if (!isServing()) throw unavailable('etcdserver: no leader');
      const user = userOf(request, peer);
      const { pathname } = new URL(request.url);
      if (pathname === '/metrics' && user?.groups.includes('system:masters')) return deprecated.metrics();
      if (user) deprecated.note(pathname);
      if (user) users.set(request, user);
      const response = await serverOf(version).fetch(request);
      if (user) answered(request, user.username, response.status);
      return response;
    } catch (error) {
      return failureResponse(error);
    }
  };
};

/** Forwarded ports of control plane pods: etcd's JSON gateway and the API server itself. */
import type { TlsService } from '../ports.ts';
import type { ApiPeer } from './cluster-api.ts';
import type { Clusters, Reached } from './clusters.ts';
import { answerEtcd, EtcdError, type EtcdServer, streamEtcd } from './etcd.ts';
import type { ApiServerRecord, GuestRecord } from './records.ts';
import type { Roster } from './roster.ts';

/** A pod's port and the service behind it. */
export interface ForwardedPort extends TlsService {
  /** Serves an authenticated client's call of etcd's gateway, without HTTP. Throws EtcdError. */
  etcd?(path: string, body: unknown): unknown;
  /** The same for a streaming call; undefined for a path that does not stream. */
  etcdStream?(path: string): Promise<AsyncIterable<Uint8Array> | undefined>;
}

export interface Forwarder {
  /** The service on a pod's port, or the API server's refusal. */
  forward(reached: Reached, request: Request, peer: ApiPeer): Promise<ForwardedPort | Response>;
  /** The guest of a node that runs an API server; undefined while it is down. */
  guestOn(reached: Reached, node: string): { guest: GuestRecord; api: ApiServerRecord } | undefined;
}

interface ForwarderOptions {
  clusters: Clusters;
  guests: Pick<Roster, 'of'>;
}

const etcdPort = 2379;
/** The HTTP status of a gRPC status. */
const httpStatus: Record<number, number> = { 3: 400, 5: 404, 9: 400, 12: 501, 14: 503 };

const dialing = (address: string): Response =>
  Response.json(
    {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `error dialing backend: dial tcp ${address}:10250: connect: no route to host`,
      code: 500,
    },
    { status: 500 },
  );

type Gateway = Required<Pick<ForwardedPort, 'etcd' | 'etcdStream'>>;

const answerGateway = async ({ etcd, etcdStream }: Gateway, request: Request): Promise<Response> => {
  try {
    const path = new URL(request.url).pathname;
    const body: unknown = JSON.parse((await request.text()) || '{}');
    const stream = await etcdStream(path);
    if (stream) return new Response(ReadableStream.from(stream), { headers: { 'Content-Type': 'application/json' } });
    return Response.json(etcd(path, body));
  } catch (error) {
    if (!(error instanceof EtcdError)) throw error;
    const { code, message } = error;
    return Response.json({ error: message, code, message, details: [] }, { status: httpStatus[code] ?? 500 });
  }
};

const closedPort: ForwardedPort = { identity: () => undefined, fetch: async () => Response.error() };

export const createForwarder = ({ clusters, guests }: ForwarderOptions): Forwarder => {
  const etcdOf = ({ cluster }: Reached): EtcdServer => ({
    etcd: cluster.record.etcd,
    isRunning: clusters.isRunning,
    version: '3.6.6',
    revision: cluster.revision(),
    database: cluster.database,
    save: () => {
      clusters.save(cluster);
      cluster.poke();
    },
  });
  const guestOn: Forwarder['guestOn'] = ({ cluster }, node) => {
    const guest = guests
      .of(cluster.record.id)
      .find(({ kubelet, haltedAt }) => haltedAt === undefined && kubelet?.nodeName === node);
    const api = guest?.kubelet?.apiServer;
    return guest && api && { guest, api };
  };

  const forward: Forwarder['forward'] = async (reached, request, peer) => {
    const { cluster, guest: asked } = reached;
    const url = new URL(request.url);
    const answer = await cluster.fetch(request, asked.kubelet!.apiServer!.version, peer);
    if (!answer.ok) return answer;
    const [, , , , namespace, , pod = ''] = url.pathname.split('/');
    const [, component, node = ''] = /^(etcd|kube-apiserver)-(.+)$/.exec(pod) ?? [];
    const there = namespace === 'kube-system' ? guestOn(reached, node) : undefined;
    if (!there) return dialing(node);
    const { guest, api } = there;
    const port = Number(url.searchParams.get('ports'));
    if (component === 'etcd' && port === etcdPort && api.etcd) {
      const identity = { ...api.etcd, clientAuthorities: cluster.record.etcd.caCertificate };
      const { instanceId } = guest.instance;
      const gateway: Gateway = {
        etcd: (path, body) => answerEtcd(etcdOf(reached), instanceId, path, body),
        etcdStream: (path) => streamEtcd(etcdOf(reached), instanceId, path),
      };
      return {
        identity: () => identity,
        fetch: async (call, { clientCertificate }) =>
          clientCertificate ? answerGateway(gateway, call) : Response.error(),
        ...gateway,
      };
    }
    if (component === 'kube-apiserver' && port === api.port && clusters.runsApiServer(guest)) {
      const { certificate, key, version } = api;
      return {
        identity: () => ({ certificate, key, clientAuthorities: cluster.record.caCertificate }),
        fetch: (call, caller) => cluster.fetch(call, version, caller),
      };
    }
    return closedPort;
  };

  return { forward, guestOn };
};

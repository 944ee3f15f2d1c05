/** etcd's membership in the cluster's record: voters, leader, and quorum. */
import { snapshotLines } from './database/stream.ts';
import type { ClusterRecord, EtcdMemberRecord } from './records.ts';

type Membership = ClusterRecord['etcd'];
/** Whether the machine of a member runs. */
export type IsRunning = (instanceId: string) => boolean;

const voters = ({ members }: Membership) => members.filter((member) => !member.isLearner);

export const hasQuorum = (etcd: Membership, isRunning: IsRunning): boolean => {
  const voting = voters(etcd);
  return voting.length > 0 && voting.filter((m) => isRunning(m.instanceId)).length >= Math.floor(voting.length / 2) + 1;
};

/** The recorded leader while it runs; then the running voter with the lowest id. */
export const leaderOf = (etcd: Membership, isRunning: IsRunning): EtcdMemberRecord | undefined => {
  if (!hasQuorum(etcd, isRunning)) return undefined;
  const running = voters(etcd).filter((member) => isRunning(member.instanceId));
  return running.find((member) => member.id === etcd.leader) ?? running.sort((a, b) => (a.id < b.id ? -1 : 1))[0];
};

/** A refused call, with the gRPC status that the JSON gateway returns. */
export class EtcdError extends Error {
  override readonly name = 'EtcdError';
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Ids are decimal text in JSON, and hexadecimal here. */
export const decimal = (hex: string): string => BigInt(`0x${hex}`).toString();
const hexadecimal = (id: unknown): string => {
  try {
    return BigInt(String(id)).toString(16).padStart(16, '0');
  } catch {
    throw new EtcdError(3, `json: cannot unmarshal ${JSON.stringify(id)} into Go value of type uint64`);
  }
};

const memberJson = ({ id, name, peerURL, clientURL, isLearner }: EtcdMemberRecord) => ({
  ID: decimal(id),
  name,
  peerURLs: [peerURL],
  clientURLs: [clientURL],
  ...(isLearner && { isLearner: true }),
});

export interface EtcdServer {
  etcd: Membership;
  isRunning: IsRunning;
  /** Saves the change; returns once it is durable. */
  save(): void;
  version: string;
  revision: number;
  /** The database file of a member. */
  database(): Promise<Uint8Array>;
}

/** Serves a path of etcd's JSON gateway as the member on `instanceId`. Throws EtcdError. */
export const answerEtcd = (server: EtcdServer, instanceId: string, path: string, body: unknown): unknown => {
  const { etcd, isRunning } = server;
  const self = etcd.members.find((member) => member.instanceId === instanceId);
  if (!self) throw new EtcdError(14, 'etcdserver: server stopped');
  const leader = leaderOf(etcd, isRunning);
  const header = {
    cluster_id: decimal(etcd.clusterId),
    member_id: decimal(self.id),
    revision: String(server.revision),
    raft_term: '2',
  };
  if (self.isLearner && path !== '/v3/maintenance/status')
    throw new EtcdError(9, 'etcdserver: rpc not supported for learner');
  const linearizable = () => {
    if (!leader) throw new EtcdError(14, 'etcdserver: request timed out');
  };
  const input = (body ?? {}) as Record<string, unknown>;
  switch (path) {
    case '/v3/cluster/member/list':
      if (input.linearizable === true) linearizable();
      return { header, members: etcd.members.map(memberJson) };
    case '/v3/maintenance/status':
      return {
        header,
        version: server.version,
        dbSize: '4194304',
        leader: leader ? decimal(leader.id) : '0',
        raftIndex: '1',
        raftTerm: '2',
        ...(leader === undefined && { errors: ['etcdserver: no leader'] }),
        ...(self.isLearner && { isLearner: true }),
      };
    case '/v3/maintenance/alarm':
      linearizable();
      return {
        header,
        alarms: etcd.alarms.map(({ memberID, type }) => ({ memberID: decimal(memberID), alarm: type })),
      };
    case '/v3/maintenance/transfer-leadership': {
      const target = etcd.members.find((member) => member.id === hexadecimal(input.targetID));
      linearizable();
      if (leader !== self) throw new EtcdError(9, 'etcdserver: not leader');
      if (!target || target.isLearner) throw new EtcdError(9, 'etcdserver: bad leader transferee');
      if (!isRunning(target.instanceId))
        throw new EtcdError(14, 'etcdserver: request timed out, leader transfer took too long');
      etcd.leader = target.id;
      server.save();
      return { header };
    }
    case '/v3/cluster/member/remove': {
      linearizable();
      const gone = etcd.members.find((member) => member.id === hexadecimal(input.ID));
      if (!gone) throw new EtcdError(5, 'etcdserver: member not found');
      const left = { ...etcd, members: etcd.members.filter((member) => member !== gone) };
      if (!gone.isLearner && !hasQuorum(left, isRunning))
        throw new EtcdError(14, 'etcdserver: re-configuration failed due to not enough started members');
      etcd.members = left.members;
      etcd.alarms = etcd.alarms.filter(({ memberID }) => memberID !== gone.id);
      if (etcd.leader === gone.id) delete etcd.leader;
      server.save();
      return { header, members: etcd.members.map(memberJson) };
    }
    default:
      throw new EtcdError(12, 'Not Found');
  }
};

const snapshotPath = '/v3/maintenance/snapshot';

/** A streaming call of the gateway; undefined for a path that does not stream. Throws EtcdError. */
export const streamEtcd = async (
  server: EtcdServer,
  instanceId: string,
  path: string,
): Promise<AsyncIterable<Uint8Array> | undefined> => {
  if (path !== snapshotPath) return undefined;
  // A learner refuses what the gateway does not list, and a stopped member everything.
  if (server.etcd.members.find((member) => member.instanceId === instanceId)?.isLearner)
    throw new EtcdError(9, 'etcdserver: rpc not supported for learner');
  answerEtcd(server, instanceId, '/v3/maintenance/status', {});
  return snapshotLines(await server.database(), server.version.replace(/\d+$/, '0'));
};

/** etcd's JSON gateway, through any node that answers. */
import type { Connection, Transport } from '../../kinds/ports/transport.ts';
import { type EtcdAccess, type EtcdMemberStatus, type EtcdStatus, WorkloadError } from '../../kinds/ports/workload.ts';

interface MemberJson {
  ID: string;
  name?: string;
  peerURLs?: string[];
  clientURLs?: string[];
  isLearner?: boolean;
}

/** The gateway writes 64-bit ids in decimal; tools show them in hexadecimal. */
const hexadecimal = (id: string): string => BigInt(id).toString(16);
const decimal = (id: string): string => BigInt(`0x${id}`).toString();

type Member = <T>(path: string, body?: unknown) => Promise<T>;

/** The first complete answer of a member; rejects with the last node's error. */
const ask = async <T>(
  transport: Transport,
  connection: Connection,
  { nodes, caCertificate, clientCertificate, clientKey }: EtcdAccess,
  question: (member: Member) => Promise<T>,
): Promise<T> => {
  let last: unknown;
  for (const node of nodes) {
    const etcd = { connection, node, caCertificate, clientCertificate, clientKey };
    try {
      return await question(
        async <A>(path: string, body: unknown = {}) => (await transport.etcd(etcd, path, body)) as A,
      );
    } catch (error) {
      last = error;
    }
  }
  throw last ?? new WorkloadError('Unreachable', 'no node runs an etcd member');
};

export const readEtcd = (transport: Transport, connection: Connection, access: EtcdAccess): Promise<EtcdStatus> =>
  ask(transport, connection, access, async (member) => {
    // Linearizable reads, because a partitioned member would answer with stale data.
    const agreed = { linearizable: true };
    const { members = [] } = await member<{ members?: MemberJson[] }>('/v3/cluster/member/list', agreed);
    const status = await member<{ leader?: string }>('/v3/maintenance/status');
    const alarmed = await member<{ alarms?: { memberID: string; alarm: string }[] }>('/v3/maintenance/alarm', {
      action: 'GET',
    });
    return {
      members: members.map(({ ID, name = '', peerURLs = [], clientURLs = [], isLearner = false }) => ({
        id: hexadecimal(ID),
        name,
        peerURLs,
        clientURLs,
        isLearner,
      })),
      ...(status.leader && status.leader !== '0' && { leader: hexadecimal(status.leader) }),
      alarms: (alarmed.alarms ?? []).map(({ memberID, alarm }) => ({ memberID: hexadecimal(memberID), type: alarm })),
    };
  });

interface StatusJson {
  header: { member_id: string; revision?: string };
  version: string;
  dbSize?: string;
  dbSizeQuota?: string;
}

export const readMember = (
  transport: Transport,
  connection: Connection,
  access: EtcdAccess,
): Promise<EtcdMemberStatus> =>
  ask(transport, connection, access, async (member) => {
    const { header, version, dbSize = '0', dbSizeQuota } = await member<StatusJson>('/v3/maintenance/status');
    return {
      id: hexadecimal(header.member_id),
      version,
      revision: Number(header.revision ?? 0),
      dbSize: Number(dbSize),
      ...(dbSizeQuota && { quota: Number(dbSizeQuota) }),
    };
  });

/** Only the leader can transfer leadership, so ask it. */
export const moveLeader = async (
  transport: Transport,
  connection: Connection,
  access: EtcdAccess,
  to: string,
): Promise<void> => {
  const { members, leader } = await readEtcd(transport, connection, access);
  if (leader === to) return;
  const node = members.find(({ id }) => id === leader)?.name;
  if (!node) throw new WorkloadError('Unreachable', 'etcdserver: no leader');
  const path = '/v3/maintenance/transfer-leadership';
  await ask(transport, connection, { ...access, nodes: [node] }, (member) => member(path, { targetID: decimal(to) }));
};

/** A member that does not exist counts as removed. */
export const removeMember = async (
  transport: Transport,
  connection: Connection,
  access: EtcdAccess,
  memberID: string,
): Promise<void> => {
  const { members } = await readEtcd(transport, connection, access);
  const member = members.find(({ id }) => id === memberID);
  if (!member) return;
  // A member that removes itself may be gone before it answers.
  const nodes = [
    ...access.nodes.filter((node) => node !== member.name),
    ...access.nodes.filter((node) => node === member.name),
  ];
  try {
    const path = '/v3/cluster/member/remove';
    await ask(transport, connection, { ...access, nodes }, (one) => one(path, { ID: decimal(memberID) }));
  } catch (error) {
    // If the answer of a removal was lost, the member is already gone.
    const left = await readEtcd(transport, connection, access);
    if (left.members.some(({ id }) => id === memberID)) throw error;
  }
};

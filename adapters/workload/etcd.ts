/** etcd's JSON gateway, asked through whichever node answers. */
import type { Connection, Transport } from '../../kinds/ports/transport.ts';
import { type EtcdAccess, type EtcdStatus, WorkloadError } from '../../kinds/ports/workload.ts';

interface MemberJson {
  ID: string;
  name?: string;
  peerURLs?: string[];
  clientURLs?: string[];
  isLearner?: boolean;
}

/** The gateway writes 64-bit ids as decimal text; tools of the field show them in hexadecimal. */
const hexadecimal = (id: string): string => BigInt(id).toString(16);
const decimal = (id: string): string => BigInt(`0x${id}`).toString();

/** The first answer of the nodes, in their order; rejects with the last node's error. */
const ask = async <T>(
  transport: Transport,
  connection: Connection,
  access: EtcdAccess,
  path: string,
  body: unknown = {},
): Promise<T> => {
  let last: unknown;
  for (const node of access.nodes) {
    try {
      const { caCertificate, clientCertificate, clientKey } = access;
      return (await transport.etcd({ connection, node, caCertificate, clientCertificate, clientKey }, path, body)) as T;
    } catch (error) {
      last = error;
    }
  }
  throw last ?? new WorkloadError('Unreachable', 'no node runs an etcd member');
};

export const readEtcd = async (
  transport: Transport,
  connection: Connection,
  access: EtcdAccess,
): Promise<EtcdStatus> => {
  const { members = [] } = await ask<{ members?: MemberJson[] }>(
    transport,
    connection,
    access,
    '/v3/cluster/member/list',
  );
  const status = await ask<{ leader?: string }>(transport, connection, access, '/v3/maintenance/status');
  const alarmed = await ask<{ alarms?: { memberID: string; alarm: string }[] }>(
    transport,
    connection,
    access,
    '/v3/maintenance/alarm',
    { action: 'GET' },
  );
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
};

/** Only the leader hands leadership over, so it is the one that is asked. */
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
  await ask(transport, connection, { ...access, nodes: [node] }, path, { targetID: decimal(to) });
};

/** A member that is not there any more is removed. */
export const removeMember = async (
  transport: Transport,
  connection: Connection,
  access: EtcdAccess,
  memberID: string,
): Promise<void> => {
  const { members } = await readEtcd(transport, connection, access);
  const member = members.find(({ id }) => id === memberID);
  if (!member) return;
  // A member that is asked to remove itself may be gone before it answers.
  const nodes = [
    ...access.nodes.filter((node) => node !== member.name),
    ...access.nodes.filter((node) => node === member.name),
  ];
  try {
    await ask(transport, connection, { ...access, nodes }, '/v3/cluster/member/remove', { ID: decimal(memberID) });
  } catch (error) {
    // One that did it, and whose answer was lost, leaves the next one nothing to remove.
    const left = await readEtcd(transport, connection, access);
    if (left.members.some(({ id }) => id === memberID)) throw error;
  }
};

import { describe, expect, it } from 'vitest';
import type { Transport } from '../../kinds/ports/transport.ts';
import { WorkloadError } from '../../kinds/ports/workload.ts';
import { readEtcd } from './etcd.ts';

const connection = { server: 'https://api.example.com' };
const proof = { kubeconfig: '', caCertificate: '', clientCertificate: '', clientKey: '' };

const members = (...names: string[]) => names.map((name, i) => ({ ID: String(i + 1), name }));

/** Nodes a, b and c; `cutOff` is partitioned and still lists a member that the others have removed. */
const etcdOf = (cutOff: string) => {
  const asked: string[] = [];
  const transport: Transport = {
    fetch: () => Promise.reject(new Error('not asked for')),
    certificate: () => Promise.reject(new Error('not asked for')),
    etcdStream: () => Promise.reject(new Error('not asked for')),
    fetchOn: () => Promise.reject(new Error('not asked for')),
    etcd: async ({ node }, path, body) => {
      const call = path.slice(path.lastIndexOf('/') + 1);
      asked.push(`${node} ${call}`);
      const isPartitioned = node === cutOff;
      const agrees =
        call === 'alarm' || (call === 'list' && (body as { linearizable?: boolean }).linearizable === true);
      if (isPartitioned && agrees) throw new WorkloadError('Unreachable', 'etcdserver: request timed out');
      if (call === 'list') return { members: isPartitioned ? members('a', 'b', 'c', 'gone') : members('a', 'b', 'c') };
      return call === 'status' ? { leader: isPartitioned ? '0' : '2' } : { alarms: [] };
    },
  };
  return { asked, read: () => readEtcd(transport, connection, { ...proof, nodes: ['a', 'b', 'c'] }) };
};

describe('the etcd member list', () => {
  it('is the majority’s view, not that of a partitioned member', async () => {
    const status = await etcdOf('a').read();
    expect(status.members.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(status.leader).toBe('2');
  });

  it('comes from a single member alone, and asks a silent member once', async () => {
    const etcd = etcdOf('a');
    await etcd.read();
    expect(etcd.asked).toEqual(['a list', 'b list', 'b status', 'b alarm']);
  });
});

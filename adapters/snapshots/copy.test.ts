/** What a copy of a snapshot for another cluster keeps from that cluster's API server. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Exclusion } from '../../kinds/ports/snapshots.ts';
import { boltFile, type Entry } from '../../simulation/workload/database/bolt.ts';
import { copyOf } from './copy.ts';
import { keysIn } from './keys.fixture.ts';
import { memoryScratch } from './scratch.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const field = (number: number, content: Buffer): Buffer => {
  const length: number[] = [];
  let rest = content.length;
  for (; rest > 127; rest >>= 7) length.push((rest & 127) | 128);
  return Buffer.concat([Buffer.from([number * 8 + 2, ...length, rest]), content]);
};
const revision = (main: number, deletes = false): Buffer => {
  const made = Buffer.alloc(17);
  made.writeBigUInt64BE(BigInt(main));
  made.write('_', 8);
  return deletes ? Buffer.concat([made, bytes('t')]) : made;
};

type Write = readonly [key: string, value?: string];
/** A write without a value deletes the key. */
const fileOf = (writes: readonly Write[]) => {
  const entries = writes.map(([key, value], i): Entry => {
    const message = [field(1, bytes(key)), ...(value === undefined ? [] : [field(5, bytes(value))])];
    return [revision(i + 2, value === undefined), Buffer.concat(message)];
  });
  const database = boltFile({ key: entries, meta: [[bytes('consistent_index'), Buffer.alloc(8)]] });
  return Buffer.concat([database, createHash('sha256').update(database).digest()]);
};

const copied = async (writes: readonly Write[], without: Exclusion[]) => {
  const file = fileOf(writes);
  const scratch = await memoryScratch(ReadableStream.from([file]));
  const { content, summary } = copyOf(scratch, without);
  const parts: Uint8Array[] = [];
  for await (const part of content) parts.push(part);
  const made = Buffer.concat(parts);
  return { file, made, keys: keysIn(made), ...summary() };
};

const nodes: Exclusion = { what: 'Nodes', keys: ['minions'] };
const balanced: Exclusion = { what: 'Services', keys: ['services/specs'], values: ['"\x0cLoadBalancer'] };

describe('a copy for another cluster', () => {
  it('keeps objects from the API server under another key, in every revision', async () => {
    const writes: Write[] = [
      ['/registry/minions/a', 'first'],
      ['/registry/configmaps/default/stays', 'text'],
      ['/registry/minions/b', 'x'],
      ['/registry/minions/a', 'second'],
      ['/registry/minions/b'],
      ['compact_rev_key', '7'],
    ];
    const { file, made, keys, size, checksum, copy } = await copied(writes, [nodes]);
    expect(keys).toEqual([
      '/detached/minions/a',
      '/registry/configmaps/default/stays',
      '/detached/minions/b',
      '/detached/minions/a',
      '/detached/minions/b',
      'compact_rev_key',
    ]);
    expect(copy.detached).toEqual([{ what: 'Nodes', count: 1, names: ['a'] }]);
    expect([made.length, size]).toEqual([file.length, file.length]);
    expect(checksum).toBe(`sha256:${createHash('sha256').update(made.subarray(0, -32)).digest('hex')}`);
  });

  it('judges an object by its newest value', async () => {
    const service = (type: string) => `k8s\0"${String.fromCharCode(type.length)}${type}`;
    const writes: Write[] = [
      ['/registry/services/specs/a/was', service('LoadBalancer')],
      ['/registry/services/specs/a/is', service('ClusterIP')],
      ['/registry/services/specs/a/was', service('ClusterIP')],
      ['/registry/services/specs/a/is', service('LoadBalancer')],
      ['/registry/services/specs/a/gone', service('LoadBalancer')],
      ['/registry/services/specs/a/gone'],
    ];
    const { keys, copy } = await copied(writes, [balanced]);
    expect(keys.filter((key) => key.startsWith('/detached/'))).toEqual(Array(2).fill('/detached/services/specs/a/is'));
    expect(copy.detached).toEqual([{ what: 'Services', count: 1, names: ['a/is'] }]);
  });

  it('reports keys of encryption, and what it could not search', async () => {
    const token: Exclusion = { what: 'tokens', keys: ['secrets'], values: ['token'], mayStay: true };
    const writes: Write[] = [
      ['/registry/secrets/a/old', 'k8s:enc:aescbc:v1:old:....'],
      ['/registry/secrets/a/old', 'k8s:enc:secretbox:v1:key1:....'],
      ['/registry/secrets/a/clear', 'a token'],
      ['/registry/services/specs/a/b', 'k8s:enc:kms:v2:vault:....'],
    ];
    const { copy } = await copied(writes, [token, balanced]);
    expect(copy).toMatchObject({ encryption: ['kms:v2:vault', 'secretbox:v1:key1'], unsearched: ['Services'] });
    expect(copy.detached).toEqual([{ what: 'tokens', count: 1, names: ['a/clear'] }]);
  });

  it('reports the networks of the cluster', async () => {
    const config =
      'networking:\n  dnsDomain: cluster.local\n  podSubnet: 192.168.0.0/16\n  serviceSubnet: 10.96.0.0/12\n';
    const { copy } = await copied([['/registry/configmaps/kube-system/kubeadm-config', config]], []);
    expect(copy).toMatchObject({
      dnsDomain: 'cluster.local',
      podSubnet: '192.168.0.0/16',
      serviceSubnet: '10.96.0.0/12',
    });
  });

  it('renames keys in any place of a large file', async () => {
    const many = Array.from({ length: 3000 }, (_, i): Write => [`/registry/minions/n${i}`, 'y'.repeat(i % 1500)]);
    const { keys } = await copied(many, [nodes]);
    expect(keys.every((key) => key.startsWith('/detached/minions/n'))).toBe(true);
  });
});

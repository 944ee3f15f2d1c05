import { describe, expect, it } from 'vitest';
import type { Kind } from '../api/kind.ts';
import { kindsOf } from './kinds.ts';
import type { Ports } from './ports.ts';
import { createReader } from './reader.ts';

const nothing = async () => {
  throw new Error('the store is not asked');
};
const store = {
  digests: nothing,
  get: nothing,
  tombstone: nothing,
  list: nothing,
  listCluster: nothing,
  listOwned: nothing,
};
const open = (ports: Ports = {}) => createReader({ store, kinds: kindsOf([]), ports, now: 0 });
const toy = { kind: 'Toy', plural: 'toys', namespaced: true, role: 'InfrastructureCluster' };

describe('the reader of a pass', () => {
  it('treats an object of an unknown kind as absent', async () => {
    const { reader, fetch } = open();
    const key = { namespace: 'default', name: 'c' };
    expect(reader.get('DockerCluster', key)).toEqual({ state: 'absent' });
    expect(reader.tombstone('DockerCluster', key)).toEqual({ state: 'absent' });
    expect(reader.list('DockerMachine', { namespace: 'default' })).toEqual({ state: 'found', value: [] });
    expect(await fetch()).toBe(false);
  });

  it('reports a reference to a kind that is not served, once, and after a look at users’ kinds', async () => {
    const { reader, fetch, unserved } = open();
    const key = { namespace: 'default', name: 'c' };
    const of = { group: 'infrastructure.example.com', role: 'InfrastructureCluster' };
    const text = 'DockerCluster (infrastructure.example.com) is not served here';
    expect(reader.get('DockerCluster', key, of)).toEqual({ state: 'unread' });
    expect(unserved()).toEqual([]);
    await fetch();
    for (let time = 0; time < 2; time++)
      expect(reader.get('DockerCluster', key, of)).toEqual({ state: 'absent', because: text });
    expect(unserved()).toEqual([text]);
  });

  it('reads the kind whose group the reference names', async () => {
    const at = (group: string) => ({ ...toy, group }) as Kind;
    const types: string[] = [];
    const get = async (type: string) => void types.push(type);
    const [own, others] = ['infrastructure.example.com', 'other.example.com'] as const;
    const { reader, fetch } = createReader({
      store: { ...store, get: get as never },
      kinds: kindsOf([at(own), at(others)]),
      ports: {},
      now: 0,
    });
    const key = { namespace: 'default', name: 'c' };
    for (const group of [own, others, own]) reader.get('Toy', key, { group, role: 'InfrastructureCluster' });
    reader.get('Toy', key);
    await fetch();
    expect(types).toEqual([`toys.${own}`, `toys.${others}`]);
    const third = { group: 'third.example.com', role: 'InfrastructureCluster' };
    reader.get('Toy', key, third);
    await fetch();
    expect(reader.get('Toy', key, third)).toEqual({
      state: 'absent',
      because: 'Toy (third.example.com) is not served here; served are Toy, Toy',
    });
  });

  it('fails for a port that its worker lacks', async () => {
    const { reader, fetch, failure } = open();
    reader.ask('cloud', 'DescribeVpcs', {});
    expect(await fetch()).toBe(true);
    expect(reader.ask('cloud', 'DescribeVpcs', {})).toMatchObject({ state: 'unreadable' });
    expect(failure()?.failure).toMatchObject({ port: 'cloud', operation: 'DescribeVpcs' });
  });

  it('deduplicates equal requests only, however long their inputs are', async () => {
    const asked: unknown[] = [];
    const { reader, fetch } = open({ workload: { read: async (_, input) => asked.push(input) } });
    const [a, b] = ['a', 'b'].map((letter) => letter.repeat(5000)) as [string, string];
    const inputs = [
      { kubeconfig: a, kind: 'Node' },
      { kubeconfig: b, kind: 'Node' },
      { kubeconfig: a, kind: 'Pod' },
      { kind: 'Node' },
      { kind: 'Node kubeconfig=0' },
      { kubeconfig: a, other: b },
      { kubeconfig: b, other: a },
      [a],
      a,
    ];
    for (let time = 0; time < 2; time++) for (const input of inputs) reader.ask('workload', 'get', input);
    expect(await fetch()).toBe(true);
    expect(asked).toEqual(inputs);
    expect(inputs.map((input) => reader.ask('workload', 'get', input))).toEqual(
      inputs.map((_, index) => ({ state: 'found', value: index + 1 })),
    );
    expect(await fetch()).toBe(false);
  });
});

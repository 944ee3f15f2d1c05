import { describe, expect, it } from 'vitest';
import { kindsOf } from './kinds.ts';
import { createReader } from './reader.ts';

const nothing = async () => {
  throw new Error('the store is not asked');
};
const open = () =>
  createReader({
    store: { get: nothing, list: nothing, listCluster: nothing, listOwned: nothing },
    kinds: kindsOf([]),
    ports: {},
    now: 0,
  });

describe('the reader of a pass', () => {
  it('finds nothing of a kind that a reference only claims to exist', async () => {
    const { reader, fetch } = open();
    expect(reader.get('DockerCluster', { namespace: 'default', name: 'c' })).toEqual({ state: 'absent' });
    expect(await fetch()).toBe(false);
  });

  it('cannot read through a port that its worker does not have', async () => {
    const { reader, fetch, failure } = open();
    reader.ask('cloud', 'DescribeVpcs', {});
    expect(await fetch()).toBe(true);
    expect(reader.ask('cloud', 'DescribeVpcs', {})).toMatchObject({ state: 'unreadable' });
    expect(failure()).toMatchObject({ port: 'cloud', operation: 'DescribeVpcs' });
  });
});

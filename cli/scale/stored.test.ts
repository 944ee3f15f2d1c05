import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { packed } from '../../kinds/autoscaling/plan/packed.ts';
import { inputs, pending, pool } from '../../kinds/autoscaling/plan/plan.fixture.ts';
import { digestOf } from '../../kinds/common/digest.ts';
import { aCluster, openServer } from '../server.fixture.ts';
import { readPresent } from './stored.ts';

const now = Date.parse('2026-11-27T12:00:00Z');
const given = inputs({ pods: pending(2), pools: [pool('workers')] });
const request = `${new Date(now).toISOString()} present`;

let server: Awaited<ReturnType<typeof openServer>>;
beforeEach(async () => {
  server = await openServer();
});

/** The inputs as read when the control plane has answered so. */
const read = async (download: object, hash = digestOf(given as never)) => {
  await server.put({
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'ScalingPlan',
    metadata: { namespace: 'default', name: 'c' },
    spec: { clusterName: 'c' },
    status: { download },
  });
  await server.put({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'default', name: 'c-decision-download' },
    data: { url: Buffer.from('/link').toString('base64'), inputs: Buffer.from(hash).toString('base64') },
  });
  const content = gzipSync(JSON.stringify({ inputs: packed(given) }));
  const client = {
    ...server.client,
    bytes: async function* () {
      yield content;
    },
  };
  return readPresent(client, 'c', 'default', { now, timeout: 0.001 });
};

describe('the present inputs of the autoscaler', () => {
  it('are those that the control plane stores', async () => {
    expect(digestOf((await read({ request })) as never)).toBe(digestOf(given as never));
    expect((await server.get('ScalingPlan', 'c')).metadata.annotations).toEqual({ 'capstan.dev/download': request });
  });

  it.each<{ rule: string; download: object; hash?: string; says: string }>([
    {
      rule: 'it cannot reach the cluster',
      download: { request, message: 'The cluster cannot be read: no route' },
      says: 'the inputs cannot be read: The cluster cannot be read: no route',
    },
    { rule: 'it does not answer', download: {}, says: 'the autoscaler has offered no inputs after 0.001 s' },
    { rule: 'it could not store them', download: { request }, hash: 'other', says: 'could not be stored: try again' },
  ])('are absent while $rule', async ({ download, hash, says }) => {
    await expect(read(download, hash)).rejects.toThrow(says);
  });

  it('are of clusters with a pool', async () => {
    await expect(readPresent(server.client, 'c', 'default')).rejects.toThrow('"c" not found in namespace default');
    await server.put(aCluster());
    await expect(readPresent(server.client, 'c', 'default')).rejects.toThrow('no pool of cluster c opted in');
  });
});

import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Inputs, plan } from '../../kinds/autoscaling/plan/index.ts';
import { packed } from '../../kinds/autoscaling/plan/packed.ts';
import { idOf, inputs, pending, pool } from '../../kinds/autoscaling/plan/plan.fixture.ts';
import { digestOf } from '../../kinds/common/digest.ts';
import { aCluster, openServer } from '../server.fixture.ts';
import { type ReplayOptions, replay } from './replay.ts';

const now = Date.parse('2026-11-27T12:00:00Z');
const given = inputs({ pods: pending(9), pools: [pool('workers')] });
const hash = digestOf(given as never);
const times = ['2026-11-27T11:00:00Z', '2026-11-27T10:00:00Z'] as const;
const decisions = [
  { time: times[0], inputs: hash, message: 'workers 0 -> 3', place: 1 },
  { time: times[1], inputs: 'feedfeedfeedfeed', message: 'workers 0 -> 1', place: 0 },
];

let server: Awaited<ReturnType<typeof openServer>>;
beforeEach(async () => {
  server = await openServer();
});

type Given = {
  kept?: object[];
  download?: object;
  stored?: Inputs;
  recorded?: object;
  options?: Partial<ReplayOptions>;
};

/** What is printed when the autoscaler has answered with a link to these inputs. */
const replayed = async ({ kept = decisions, download = {}, stored = given, recorded = {}, options }: Given) => {
  const request = `${new Date(now).toISOString()} ${options?.decision === times[1] ? 'feedfeedfeedfeed' : hash}`;
  await server.put({
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'ScalingPlan',
    metadata: { namespace: 'default', name: 'c' },
    spec: { clusterName: 'c' },
    status: { decisions: kept, download: { request, ...download } },
  });
  await server.put({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'default', name: 'c-decision-download' },
    data: { url: Buffer.from('/link').toString('base64') },
  });
  const { history: _, ...decision } = plan(stored);
  const content = gzipSync(JSON.stringify({ inputs: packed(stored), decision: { ...decision, ...recorded } }));
  const client = {
    ...server.client,
    bytes: async function* (path: string) {
      expect(path).toBe('/link');
      for (let at = 0; at < content.length; at += 100) yield content.subarray(at, at + 100);
    },
  };
  const lines: string[] = [];
  const print = (text: string) => void lines.push(text);
  await replay(client, { cluster: 'c', ...options }, { now, timeout: 0.001, print });
  return lines.join('\n');
};

describe('a replay', () => {
  it('decides the same from the same inputs, and tells why', async () => {
    const text = await replayed({});
    expect(text).toContain(`Decided at ${times[0]} from 0 nodes and 9 pods (inputs ${hash}).`);
    expect(text).toContain('This version decides the same.');
    expect(text).toContain('9 on new nodes of workers');
    expect((await server.get('ScalingPlan', 'c')).metadata.annotations).toEqual({
      'capstan.dev/download': `${new Date(now).toISOString()} ${hash}`,
    });
  });
  it.each<{ rule: string; recorded: object; says: string }>([
    {
      rule: 'another number of replicas',
      recorded: { scale: [{ pool: idOf('workers'), from: 0, to: 2, reason: 'TriggeredScaleUp' }] },
      says: 'This version decides otherwise: workers 0 -> 3, not workers 0 -> 2.',
    },
    { rule: 'nothing', recorded: { scale: [] }, says: 'decides otherwise: workers 0 -> 3, not nothing.' },
    { rule: 'other reasons', recorded: { pods: [] }, says: 'This version decides the same, for other reasons.' },
  ])('tells of a version that recorded $rule', async ({ recorded, says }) =>
    expect(await replayed({ recorded })).toContain(says));

  it.each([times[0], '2026-11-27T12:00:00+01:00', hash])('finds the decision by %s', async (decision) =>
    expect(await replayed({ options: { decision } })).toContain(`inputs ${hash}`));

  it('shows both decisions and their inputs as data', async () => {
    const data = JSON.parse(await replayed({ options: { output: 'json' } }));
    expect(data).toMatchObject({ inputs: { pools: [{ id: idOf('workers') }] }, time: times[0] });
    expect(data.recorded).toEqual(data.decided);
    expect(data.inputs).toEqual(JSON.parse(JSON.stringify(given)));
  });

  it.each<{ rule: string; of: Given; says: string }>([
    {
      rule: 'that nothing was decided',
      of: { kept: [] },
      says: 'no decision about cluster c has changed anything yet',
    },
    { rule: 'which decisions are stored', of: { options: { decision: 'x' } }, says: 'workers 0 -> 1' },
    {
      rule: 'that another decision took the place',
      of: { options: { decision: times[1] } },
      says: 'could not be kept',
    },
    { rule: 'why there is no link', of: { download: { message: 'a Secret' } }, says: 'cannot be read: a Secret' },
    { rule: 'that the controller is silent', of: { download: { request: 'old' } }, says: 'has offered no inputs' },
  ])('tells $rule', async ({ of, says }) => {
    await expect(replayed(of)).rejects.toThrow(says);
  });
  it('tells that the cluster has no pool', async () => {
    await expect(replay(server.client, { cluster: 'd' })).rejects.toThrow('"d" not found in namespace default');
    await server.put(aCluster());
    await expect(replay(server.client, { cluster: 'c' })).rejects.toThrow('no pool of cluster c opted in');
  });
});

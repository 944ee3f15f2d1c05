import { CloudWatchClient, GetMetricDataCommand, type MetricDataQuery } from '@aws-sdk/client-cloudwatch';
import { beforeEach, describe, expect, it } from 'vitest';
import { sdkError } from '../adapters/aws/service/sdk-error.fixture.ts';
import { mockedClient } from '../adapters/aws/service/sdk-mock.fixture.ts';
import type { Measures } from './aws/measures.ts';
import { measure } from './aws/measures.ts';
import { aCluster, openServer } from './server.fixture.ts';
import { readStatus, renderStatus, type Status } from './status.ts';

const now = Date.parse('2026-01-01T00:10:00Z');
const base: Status = {
  version: '1.2.3',
  serverVersion: 'v1.33.0+capstan',
  url: 'https://server',
  installation: {
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'Installation',
    metadata: { name: 'capstan' },
    status: { lastTransitionTime: '2026-01-01T00:05:00Z', orphanCount: 0 },
  },
  clusters: { total: 2, available: 1 },
};
const deployment = { clusterId: 'blue.1.eu-west-1', installation: 'blue', account: '1', region: 'eu-west-1' };
const shown = (over: Partial<Status> = {}) => renderStatus({ ...base, ...over }, now);

describe('capstan status', () => {
  it('shows what a local control plane is and since when it runs', () => {
    const text = shown({ process: { started: '2026-01-01T00:00:00Z', watches: 3 } });
    expect(text).toMatch(/^capstan +1\.2\.3 \(serves Kubernetes API v1\.33\.0\+capstan\)$/m);
    expect(text).toMatch(/^up for +10m$/m);
    expect(text).toMatch(/^watches +3 open$/m);
    expect(text).toMatch(/^orphans +0\. Every search of the account since 5m ago found the same\.$/m);
    expect(text).toMatch(/^clusters +2, 1 of them available$/m);
  });

  it('reports a freeze, and that the account has not been searched yet', () => {
    const frozen = { id: 'abcd', reason: 'ObjectsOlder' as const, message: 'The objects are older.' };
    const text = shown({ installation: { ...base.installation, status: { frozen } } });
    expect(text).toMatch(/^frozen +YES, ObjectsOlder: The objects are older\./m);
    expect(text).toMatch(/^orphans +The account has not been searched/m);
  });

  it('names owners that are missing before their resources count as orphans', () => {
    const status = { ...base.installation.status, missing: [{ uid: 'm', since: '2026-01-01T00:05:00Z' }] };
    expect(shown({ installation: { ...base.installation, status } })).toMatch(
      /^orphans +0\. 1 owner is missing since/m,
    );
  });

  it('names a restore that has not ended instead of the thaw', () => {
    const frozen = { id: 'abcd', reason: 'ObjectsOlder' as const, message: 'The objects are older.' };
    const metadata = {
      name: 'capstan',
      annotations: { 'capstan.dev/restoring': 'capstan restore --from-table t --keep-newer --yes' },
    };
    const text = shown({ installation: { ...base.installation, metadata, status: { frozen } } });
    expect(text).toMatch(/^frozen +YES, ObjectsOlder.*capstan restore --from-table t --keep-newer --yes$/m);
    expect(text).not.toContain('thaw');
  });

  it.each<{ rule: string; measures: Status['measures']; says: RegExp }>([
    {
      rule: 'names the queues with waiting messages',
      measures: { queues: [{ name: 'blue-core-hot', age: 90, waiting: 4 }], watches: 2 },
      says: /^queues +blue-core-hot: oldest message 90s old, 4 waiting\nwatches +2 open at most/m,
    },
    {
      rule: 'reports that all queues are empty',
      measures: { queues: [{ name: 'q', age: 0, waiting: 0 }], watches: 0 },
      says: /^queues +empty$/m,
    },
    {
      rule: 'does not treat a missing metric as zero',
      measures: { queues: [{ name: 'q', age: undefined, waiting: undefined }], watches: undefined },
      says: /^queues +no measurement in the last 15 minutes\nwatches +no measurement/m,
    },
    { rule: 'says why metrics are unknown', measures: { unknown: 'may not' }, says: /^queues +unknown: may not$/m },
  ])('for a deployment $rule', ({ measures, says }) => {
    const text = shown({ deployment, ...(measures && { measures }) });
    expect(text).toMatch(says);
    expect(text).toMatch(/^runs in +AWS account 1, eu-west-1, installation blue$/m);
  });

  it('reads the API', async () => {
    const server = await openServer();
    await server.put(aCluster());
    await server.put(base.installation);
    const status = await readStatus(server.client);
    expect(status).toMatchObject({ clusters: { total: 1, available: 0 }, serverVersion: expect.stringMatching(/^v1/) });
    expect(status).not.toHaveProperty('process');
  });
});

describe('metrics of a deployment', () => {
  const cloudWatch = mockedClient(CloudWatchClient);
  const client = new CloudWatchClient({ region: 'eu-west-1' });
  let asked: MetricDataQuery[];
  let found: Measures;
  beforeEach(async () => {
    cloudWatch.reset();
    cloudWatch.on(GetMetricDataCommand).callsFake(({ MetricDataQueries }: { MetricDataQueries: MetricDataQuery[] }) => {
      asked = MetricDataQueries;
      return { MetricDataResults: asked.map(({ Id }, i) => ({ Id, Values: i === 0 ? [7, 1] : [] })) };
    });
    found = await measure(deployment, now, () => client);
  });

  it('are the latest value for each queue and for the streaming function', () => {
    expect(found.queues[0]).toEqual({ name: 'blue-core-hot', age: 7, waiting: undefined });
    expect(found.queues.map(({ name }) => name)).toContain('blue-dead');
    expect(found.watches).toBeUndefined();
    expect(asked.at(-1)?.MetricStat?.Metric).toMatchObject({
      MetricName: 'ConcurrentExecutions',
      Dimensions: [{ Value: 'blue-watch' }],
    });
  });
  it('are not mistaken for missing when access is denied', async () => {
    cloudWatch.on(GetMetricDataCommand).rejects(sdkError('AccessDenied'));
    await expect(measure(deployment, now, () => client)).rejects.toThrow('cloudwatch:GetMetricData');
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { retryCluster } from './retry.ts';
import { aCluster, anOperation, named, openServer } from './server.fixture.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const value = '2026-01-01T00:00:00.000Z';

let server: Awaited<ReturnType<typeof openServer>>;
beforeEach(async () => {
  server = await openServer();
});
const retry = () => retryCluster(server.client, 'default', 'c', now);
const annotation = async () => (await server.get('Cluster', 'c')).metadata.annotations?.['capstan.dev/retry'];

describe('capstan retry cluster', () => {
  it.each([
    {
      rule: 'follows a finished operation with the next attempt',
      cluster: aCluster(named('c-create-1', { 'capstan.dev/target': 'Nothing' })),
      operation: anOperation({ phase: 'TornDown', step: 'TearDown' }),
      says: 'c-create-1 is TornDown at TearDown: the next attempt takes its place.',
    },
    {
      rule: 'replaces a running operation',
      cluster: aCluster(named('c-create-1', { 'capstan.dev/target': 'Build' })),
      operation: anOperation({ phase: 'Running', step: 'Workers' }),
      says: 'c-create-1 is Running at Workers: the next attempt takes its place.',
    },
    {
      rule: 'waits for an undo',
      cluster: aCluster(named('c-create-1', { 'capstan.dev/target': 'Nothing' })),
      operation: anOperation({ phase: 'Running', step: 'TearDown' }),
      says: 'c-create-1 is being undone: the next attempt begins when nothing of it is left.',
    },
    {
      rule: 'stays pending while the Cluster is paused',
      cluster: aCluster(named('c-create-1'), { paused: true }),
      operation: anOperation({ phase: 'Held' }),
      says: 'It is paused: the next attempt begins when it is resumed.',
    },
    ...(['Held', 'RolledBack', 'Cancelled'] as const).map((phase) => ({
      rule: `follows an upgrade that is ${phase}`,
      cluster: aCluster(named('c-upgrade-1', { 'capstan.dev/was-available': 'true' })),
      operation: anOperation({ phase, step: 'Workers' }, { type: 'upgrade' }),
      says: `c-upgrade-1 is ${phase} at Workers: the next attempt takes its place.`,
    })),
    {
      rule: 'works before the first operation',
      cluster: aCluster(),
      says: 'No operation of it has begun yet: the first one begins once all that it refers to is there.',
    },
    {
      rule: 'treats a missing operation as none',
      cluster: aCluster(named('gone')),
      says: 'No operation of it has begun yet: the first one begins once all that it refers to is there.',
    },
  ])('$rule', async ({ cluster, operation, says }) => {
    await server.put(cluster);
    if (operation) await server.put(operation);
    expect((await retry()).split('\n')).toEqual([
      `cluster/c annotated with capstan.dev/retry=${value}`,
      says,
      'See it with: kubectl get clop -n default -w',
    ]);
    expect(await annotation()).toBe(value);
  });

  it.each([
    {
      rule: 'a cluster that was available',
      cluster: aCluster({ 'capstan.dev/was-available': 'true' }),
      says: 'cluster c has been available: there is nothing to retry, and what differs from its spec is worked on anyway',
    },
    {
      rule: 'a cluster whose upgrade runs',
      cluster: aCluster(named('c-upgrade-1', { 'capstan.dev/was-available': 'true' })),
      operation: anOperation({ phase: 'Running', step: 'Workers' }, { type: 'upgrade' }),
      says: 'operation c-upgrade-1 is Running: there is nothing to retry',
    },
    {
      rule: 'a cluster whose upgrade is being cancelled',
      cluster: aCluster(named('c-upgrade-1', { 'capstan.dev/was-available': 'true' })),
      operation: anOperation({ phase: 'Running', step: 'Workers' }, { type: 'upgrade', cancel: true }),
      says: 'operation c-upgrade-1 is being cancelled: retry when that is over, which  kubectl get clop c-upgrade-1 -n default -w  shows',
    },
    {
      rule: 'a cluster whose last upgrade succeeded',
      cluster: aCluster(named('c-upgrade-1', { 'capstan.dev/was-available': 'true' })),
      operation: anOperation({ phase: 'Succeeded', step: 'Verify' }, { type: 'upgrade' }),
      says: 'cluster c has been available: there is nothing to retry, and what differs from its spec is worked on anyway',
    },
    {
      rule: 'a cluster that is being deleted',
      cluster: aCluster({}, {}, ['example.com/wait']),
      deleted: true,
      says: 'cluster c is being deleted: there is nothing to retry',
    },
  ])('refuses $rule', async ({ cluster, operation, deleted, says }) => {
    await server.put(cluster);
    if (operation) await server.put(operation);
    if (deleted) await server.remove('Cluster', 'c');
    await expect(retry()).rejects.toMatchObject({ message: says, exitCode: 1 });
    expect(await annotation()).toBeUndefined();
  });

  it('reports a cluster that does not exist', async () => {
    await expect(retry()).rejects.toMatchObject({
      message: 'clusters.cluster.x-k8s.io "c" not found in namespace default',
      exitCode: 1,
    });
  });
});

describe('capstan retry cluster --override', () => {
  it('names the next attempt and the codes', async () => {
    await server.put(aCluster(named('c-create-1', { 'capstan.dev/target': 'Nothing' })));
    await server.put(anOperation({ phase: 'TornDown', step: 'TearDown' }));
    await retryCluster(server.client, 'default', 'c', now, ['KeyPairRefused', 'QuotaExceeded']);
    expect((await server.get('Cluster', 'c')).metadata.annotations).toMatchObject({
      'capstan.dev/override-findings': 'c-create-2:KeyPairRefused,QuotaExceeded',
      'capstan.dev/retry': value,
    });
  });

  it.each([
    { code: 'quotaexceeded', says: 'no check gives a finding the code quotaexceeded; did you mean QuotaExceeded?' },
    { code: 'FlagRefusd', says: 'no check gives a finding the code FlagRefusd; did you mean FlagRefused?' },
    {
      code: 'Mistaken',
      says: 'no check gives a finding the code Mistaken; the refusal that the operation reports names its codes',
    },
  ])('refuses $code, which no check knows', async ({ code, says }) => {
    await server.put(aCluster(named('c-create-1', { 'capstan.dev/target': 'Nothing' })));
    await server.put(anOperation({ phase: 'TornDown', step: 'TearDown' }));
    await expect(retryCluster(server.client, 'default', 'c', now, ['QuotaExceeded', code])).rejects.toMatchObject({
      message: says,
      exitCode: 2,
    });
    expect((await server.get('Cluster', 'c')).metadata.annotations).not.toHaveProperty('capstan.dev/retry');
  });

  it('takes a code of another provider, which the operation reports', async () => {
    await server.put(aCluster(named('c-create-1', { 'capstan.dev/target': 'Nothing' })));
    const message =
      'no room. To go on in spite of it, once, run: capstan retry cluster c -n default --override ToyRoom';
    await server.put(anOperation({ phase: 'TornDown', step: 'TearDown', message }));
    await retryCluster(server.client, 'default', 'c', now, ['ToyRoom']);
    expect((await server.get('Cluster', 'c')).metadata.annotations).toMatchObject({
      'capstan.dev/override-findings': 'c-create-2:ToyRoom',
    });
  });
});

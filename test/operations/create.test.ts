import { afterEach, describe, expect, it } from 'vitest';
import { expectWhole } from '../system/checks.ts';
import { type ClusterUnderTest, createCluster, failedFor } from './cluster-under-test.ts';

let cluster: ClusterUnderTest;
afterEach(() => cluster.world.end());

const mutating = (cluster: ClusterUnderTest) => Object.values(cluster.world.calls(true)).reduce((sum, n) => sum + n, 0);

describe('a create', () => {
  it('completes its steps in order, and is idle afterwards', async () => {
    cluster = await createCluster();
    await cluster.apply();
    await cluster.settle();
    await cluster.world.until('recorded', () => cluster.phase() === 'Succeeded', 5);
    expectWhole(cluster.world);
    const { status } = cluster.operation()!;
    expect(status?.steps?.map(({ name, verdict }) => `${name} ${verdict}`)).toEqual(
      [
        'Preflight',
        'Network',
        'LoadBalancer',
        'FirstControlPlaneMachine',
        'ControlPlane',
        'Workers',
        'AddOns',
        'Available',
      ].map((step) => `${step} Succeeded`),
    );
    // The installation records the region ten minutes after its first AWSCluster.
    await cluster.world.pass(10);
    const written: string[] = [];
    cluster.world.onCommit(({ type, name }) => {
      if (type !== 'events') written.push(`${type} ${name}`);
    });
    await cluster.world.pass(120);
    expect(written).toEqual([]);
    expect(cluster.operations()).toHaveLength(1);
  });

  it('refused by its preflight makes no mutating call', async () => {
    cluster = await createCluster();
    cluster.world.system.account.remove('instance-type', 't3.large');
    await cluster.apply();
    await cluster.world.until('torn down', () => cluster.phase() === 'TornDown', 30);
    await cluster.world.pass(1);
    expect(mutating(cluster)).toBe(0);
    expect(failedFor(cluster)).toMatch(/t3\.large/);
    expect(cluster.made()).toEqual([]);
    cluster.world.system.account.restore('instance-type', 't3.large');
    await cluster.annotate({ 'capstan.dev/retry': '1' });
    await cluster.settle();
    expectWhole(cluster.world);
  });
});

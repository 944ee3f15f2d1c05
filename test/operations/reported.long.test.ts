import { afterEach, describe, expect, it } from 'vitest';
import type { Condition, KubeObject, LegacyCondition } from '../../machinery/api/object.ts';
import { type ClusterUnderTest, clusterName, createCluster } from './cluster-under-test.ts';

let cluster: ClusterUnderTest;
afterEach(() => cluster.world.end());

interface Reported {
  at: number;
  object: KubeObject;
}
type Status = {
  message?: string;
  controlPlane?: object;
  conditions?: (Condition & LegacyCondition)[];
  deprecated?: { v1beta1?: { conditions?: LegacyCondition[] } };
};
const statusOf = ({ object }: Reported) => (object.status ?? {}) as Status;
const nameOf = ({ object }: Reported) => `${object.kind} ${object.metadata.name}`;

/** A fault-free life, and all that its watchers read meanwhile. Reads of the account lag as on AWS. */
const live = async (seed: number) => {
  cluster = await createCluster({ seed, behaviour: {} });
  const { world } = cluster;
  const reported: Reported[] = [];
  world.onCommit(({ object }) => object && reported.push({ at: world.now(), object }));
  await cluster.apply();
  await cluster.settle();
  const created = world.now();
  await world.remove('Cluster', clusterName);
  await world.until('gone', () => world.find('Cluster', clusterName) === undefined, 60);
  return { reported, created };
};

describe('while nothing is wrong', () => {
  it.each([1, 2])('reports no failure (seed %i)', async (seed) => {
    const { reported, created } = await live(seed);
    const of = (kind: string) => reported.filter(({ object }) => object.kind === kind);

    // A control plane that scales up waits for its newest machine, and reports that as Cluster API does.
    const warnings = of('Event')
      .map(({ object }) => object as KubeObject & { type?: string; reason?: string; message?: string })
      .filter(({ type, reason }) => type === 'Warning' && reason !== 'ControlPlaneUnhealthy');
    expect(warnings.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([]);

    const alarms = of('AWSCluster').flatMap((one) =>
      (statusOf(one).conditions ?? []).filter(({ status, severity }) => status !== 'True' && severity !== 'Info'),
    );
    expect(alarms).toEqual([]);

    const operations = of('ClusterOperation').map((one) => statusOf(one).message ?? '');
    expect(operations.filter((message) => /Waiting for an operation|\d of \d completed/.test(message))).toEqual([]);

    const begun = of('ClusterOperation').find(
      ({ object }) => (object.status as { phase?: string })?.phase === 'Running',
    );
    const stale = reported
      .filter((one) => one.at > begun!.at + 61_000 && one.object.kind !== 'Event')
      .filter((one) => JSON.stringify(statusOf(one)).includes('Waiting for an operation'));
    expect([...new Set(stale.map(nameOf))]).toEqual([]);

    const sets = of('ClusterResourceSet').map((one) => JSON.stringify(statusOf(one)));
    expect(sets.filter((status) => status.includes('Waiting for an operation'))).toEqual([]);

    const planes = of('KubeadmControlPlane').filter(({ at }) => at < created);
    expect(planes.filter((one) => JSON.stringify(statusOf(one)).includes('Secrets are missing'))).toEqual([]);

    const last = of('Cluster').at(-1)!;
    expect(statusOf(last)).not.toHaveProperty('controlPlane');
  });
});

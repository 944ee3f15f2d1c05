import { afterEach, describe, expect, it } from 'vitest';
import type { Condition, KubeObject, LegacyCondition } from '../../machinery/api/object.ts';
import { clusterName, type Scene, setScene } from './scene.ts';

let scene: Scene;
afterEach(() => scene.world.end());

interface Told {
  at: number;
  object: KubeObject;
}
type Status = {
  message?: string;
  controlPlane?: object;
  conditions?: (Condition & LegacyCondition)[];
  deprecated?: { v1beta1?: { conditions?: LegacyCondition[] } };
};
const statusOf = ({ object }: Told) => (object.status ?? {}) as Status;
const nameOf = ({ object }: Told) => `${object.kind} ${object.metadata.name}`;

/** A fault-free life, and all that its watchers read meanwhile. Reads of the account lag as on AWS. */
const live = async (seed: number) => {
  scene = await setScene({ seed, behaviour: {} });
  const { world } = scene;
  const told: Told[] = [];
  world.onCommit(({ object }) => object && told.push({ at: world.now(), object }));
  await scene.apply();
  await scene.settle();
  const created = world.now();
  await world.remove('Cluster', clusterName);
  await world.until('gone', () => world.find('Cluster', clusterName) === undefined, 60);
  return { told, created };
};

describe('while nothing is wrong', () => {
  it.each([1, 2])('reports no failure (seed %i)', async (seed) => {
    const { told, created } = await live(seed);
    const of = (kind: string) => told.filter(({ object }) => object.kind === kind);

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
    const late = told
      .filter((one) => one.at > begun!.at + 61_000 && one.object.kind !== 'Event')
      .filter((one) => JSON.stringify(statusOf(one)).includes('Waiting for an operation'));
    expect([...new Set(late.map(nameOf))]).toEqual([]);

    const sets = of('ClusterResourceSet').map((one) => JSON.stringify(statusOf(one)));
    expect(sets.filter((status) => status.includes('Waiting for an operation'))).toEqual([]);

    const planes = of('KubeadmControlPlane').filter(({ at }) => at < created);
    expect(planes.filter((one) => JSON.stringify(statusOf(one)).includes('Secrets are missing'))).toEqual([]);

    const last = of('Cluster').at(-1)!;
    expect(statusOf(last)).not.toHaveProperty('controlPlane');
  });
});

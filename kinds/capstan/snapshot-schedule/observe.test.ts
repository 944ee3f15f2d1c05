import { describe, expect, it } from 'vitest';
import type { Admission } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Read, Reader } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import type { ControlPlaneProvider } from '../../core/contract/control-plane.ts';
import { installation } from '../installation/index.ts';
import { observe } from './observe.ts';

const providers = [
  {
    group: 'planes.example',
    kind: 'Plane',
    managesEtcd: ({ spec }: KubeObject) => (spec as { external?: boolean }).external !== true,
  },
] as unknown as ControlPlaneProvider[];

const cluster = (annotations: Record<string, string> = {}, metadata: object = {}): Cluster =>
  ({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: {
      namespace: 'default',
      name: 'demo',
      annotations: { 'capstan.dev/was-available': 'true', ...annotations },
      ...metadata,
    },
    spec: { controlPlaneRef: { apiGroup: 'planes.example', kind: 'Plane', name: 'demo' } },
  }) as unknown as Cluster;

const readerOf = (spec: object, controlPlane: object = {}): Reader =>
  ({
    get: (kind: string): Read<unknown> => ({
      state: 'found',
      value: kind === 'Plane' ? { apiVersion: 'planes.example/v1', kind, spec: controlPlane } : { spec },
    }),
    list: (): Read<unknown[]> => ({ state: 'found', value: [] }),
  }) as unknown as Reader;

const start = Date.parse('2026-11-29T00:00:00Z');
const planOf = (of: Cluster, spec: object, controlPlane?: object) => {
  const { plan } = observe(of, readerOf(spec, controlPlane), providers);
  return plan && { hours: (plan.schedule.next(start) - start) / 3600_000, keep: plan.keep };
};
const daily = { snapshotSchedule: '24h', snapshotKeep: 7 };
const schedule = 'capstan.dev/snapshot-schedule';

describe('the schedule of a cluster', () => {
  it.each([
    { rule: 'is that of the installation', of: cluster(), plan: { hours: 24, keep: 7 } },
    { rule: 'is its own', of: cluster({ [schedule]: '6h' }), plan: { hours: 6, keep: 28 } },
    {
      rule: 'is kept as its own annotation says',
      of: cluster({ 'capstan.dev/snapshot-keep': '3' }),
      plan: { hours: 24, keep: 3 },
    },
    { rule: 'is none with off', of: cluster({ [schedule]: 'off' }), plan: undefined },
    { rule: 'is none before it was available', of: cluster({ 'capstan.dev/was-available': '' }), plan: undefined },
    {
      rule: 'is none in its deletion',
      of: cluster({}, { deletionTimestamp: '2026-11-29T00:00:00Z' }),
      plan: undefined,
    },
  ])('$rule', ({ of, plan }) => expect(planOf(of, daily)).toEqual(plan));

  it('is awaited before the cluster was available', () => {
    const isAwaited = (annotations: Record<string, string>) =>
      observe(cluster({ 'capstan.dev/was-available': '', ...annotations }), readerOf(daily), providers).isAwaited;
    expect(isAwaited({})).toBe(true);
    expect(isAwaited({ [schedule]: '6h' })).toBe(false);
    expect(isAwaited({ [schedule]: 'off' })).toBeUndefined();
  });

  it('is none where the installation has none', () => {
    expect(planOf(cluster(), {})).toBeUndefined();
    expect(planOf(cluster(), { snapshotSchedule: 'off' })).toBeUndefined();
  });

  it('is none for an external etcd, unless a user asks', () => {
    expect(planOf(cluster(), daily, { external: true })).toBeUndefined();
    expect(planOf(cluster({ [schedule]: '6h' }), daily, { external: true })).toEqual({ hours: 6, keep: 28 });
  });
});

it('refuses an installation with a schedule that is none', () => {
  const object = { apiVersion: 'capstan.dev/v1alpha1', kind: 'Installation', metadata: { name: 'capstan' } };
  const admission: Admission = { operation: 'create', user: { username: 'u', groups: [] }, dryRun: false };
  const faults = (snapshotSchedule: string) =>
    installation.validate!({ ...object, spec: { snapshotSchedule } }, admission);
  expect(faults('daily')).toMatchObject([{ field: 'spec.snapshotSchedule' }]);
  expect([...faults('24h'), ...faults('off')]).toEqual([]);
});

import { describe, expect, it } from 'vitest';
import type { Admission } from '../../../machinery/api/kind.ts';
import type { EtcdSnapshot, EtcdSnapshotSpec } from './schema.ts';
import { defaultDeadline, defaultEtcdSnapshot, upgradeTtl, validateEtcdSnapshot } from './validate.ts';

const snapshotOf = (spec: Partial<EtcdSnapshotSpec>): EtcdSnapshot => ({
  apiVersion: 'capstan.dev/v1alpha1',
  kind: 'EtcdSnapshot',
  metadata: { namespace: 'default', name: 'before' },
  spec: { clusterName: 'demo', ...spec },
});
const stored = snapshotOf({ reason: 'Manual', activeDeadlineSeconds: 60 });
const update: Admission = { operation: 'update', old: stored, user: { username: 'dev', groups: [] }, dryRun: false };

describe('the defaults of an EtcdSnapshot', () => {
  it('label it with its cluster', () =>
    expect(defaultEtcdSnapshot(snapshotOf({})).metadata.labels).toEqual({ 'cluster.x-k8s.io/cluster-name': 'demo' }));

  it.each<{ rule: string; spec: Partial<EtcdSnapshotSpec>; gives: Partial<EtcdSnapshotSpec> }>([
    {
      rule: 'keep a manual snapshot',
      spec: {},
      gives: { reason: 'Manual', activeDeadlineSeconds: defaultDeadline },
    },
    {
      rule: 'keep what the client set',
      spec: { reason: 'Schedule', activeDeadlineSeconds: 5, ttlSecondsAfterFinished: 0 },
      gives: { reason: 'Schedule', activeDeadlineSeconds: 5, ttlSecondsAfterFinished: 0 },
    },
    {
      rule: 'expire the snapshot of an upgrade',
      spec: { reason: 'Upgrade' },
      gives: { reason: 'Upgrade', activeDeadlineSeconds: defaultDeadline, ttlSecondsAfterFinished: upgradeTtl },
    },
  ])('$rule', ({ spec, gives }) =>
    expect(defaultEtcdSnapshot(snapshotOf(spec)).spec).toEqual({ clusterName: 'demo', ...gives }));
});

describe('an update of an EtcdSnapshot', () => {
  it.each<{ rule: string; change: Partial<EtcdSnapshotSpec>; refused: string[] }>([
    { rule: 'may change the retention', change: { ttlSecondsAfterFinished: 60 }, refused: [] },
    { rule: 'must not change the cluster', change: { clusterName: 'other' }, refused: ['spec.clusterName'] },
    {
      rule: 'must not change the request',
      change: { reason: 'Upgrade', activeDeadlineSeconds: 61 },
      refused: ['spec.reason', 'spec.activeDeadlineSeconds'],
    },
  ])('$rule', ({ change, refused }) => {
    const faults = validateEtcdSnapshot(snapshotOf({ ...stored.spec, ...change }), update);
    expect(faults.map(({ field }) => field)).toEqual(refused);
    expect(faults.every(({ detail }) => detail === 'field is immutable')).toBe(true);
  });
});

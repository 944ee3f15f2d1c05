/** What clusters that do not answer cost the probes of the others, by the prober's own decisions. */
import { expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Context, Plan } from '../../../machinery/api/reconcile.ts';
import type { WorkloadSnapshot } from '../../ports/workload.ts';
import type { WorkloadSnapshotObject } from './index.ts';
import { reconcile } from './prober.ts';
import { nextSnapshot, type Probe } from './snapshot.ts';

const start = Date.parse('2026-01-01T00:00:00Z');
const [clusters, unreachable, workers] = [200, 60, 10];
/** Milliseconds of a pass: the transport's timeout, and what a probe takes as a rule. */
const duration = { down: 10_000, up: 300 };
const hours = 3;

const cluster = (id: number): KubeObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { name: `c${id}`, namespace: 'default', uid: `c${id}`, creationTimestamp: '2025-01-01T00:00:00Z' },
  status: {
    conditions: [{ type: 'Available', status: 'True', reason: 'A', lastTransitionTime: new Date(start).toISOString() }],
  },
});
const contextAt = (now: number): Context => ({
  now,
  random: { suffix: () => 'x', pick: ([first]) => first!, token: () => 't' },
  lastFailure: undefined,
  attempts: 0,
  installation: 'here',
  config: {},
  awaits: [],
});
const up: Probe = { version: 'v1.36.0', initialized: true, nodes: [], pods: [] };

interface Due {
  id: number;
  at: number;
  slow: boolean;
}

/** The longest wait of a probe of a cluster that answers, in seconds, after the first minutes. */
const longestWait = (hasLanes: boolean): { first: number; later: number } => {
  const snapshots = new Map<number, WorkloadSnapshot>();
  for (let id = 0; id < clusters; id++) snapshots.set(id, nextSnapshot(undefined, up, start));
  const lanes = [false, true].map(() => Array.from({ length: workers }, () => start));
  const queue: Due[] = Array.from({ length: clusters }, (_, id) => ({ id, at: start + id * 300, slow: false }));
  const waits = { first: 0, later: 0 };
  const probe = ({ id }: Due, now: number): Plan => {
    const before = snapshots.get(id)!;
    const answer: Probe = id < unreachable ? { reason: 'timeout' } : up;
    const object = cluster(id);
    const { apiVersion, kind, metadata } = object;
    const previous = {
      apiVersion: 'capstan.dev/v1alpha1',
      kind: 'WorkloadSnapshot',
      metadata: {
        name: metadata.name,
        ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid! }],
      },
      spec: before,
    } as WorkloadSnapshotObject;
    const observed = { cluster: object, isTornDown: false, machines: [], probe: answer };
    snapshots.set(id, nextSnapshot(before, answer, now));
    return reconcile({ ...observed, previous: { state: 'found', value: previous } }, contextAt(now));
  };
  for (;;) {
    queue.sort((a, b) => b.at - a.at);
    const due = queue.pop()!;
    if (due.at > start + hours * 3_600_000) return waits;
    const lane = lanes[Number(hasLanes && due.slow)]!;
    const worker = lane.indexOf(Math.min(...lane));
    const begins = Math.max(due.at, lane[worker]!);
    const isDown = due.id < unreachable;
    const span = due.at < start + 300_000 ? 'first' : 'later';
    if (!isDown) waits[span] = Math.max(waits[span], (begins - due.at) / 1000);
    const ends = begins + (isDown ? duration.down : duration.up);
    lane[worker] = ends;
    const { requeueAfter = 0, slow = false } = probe(due, ends);
    queue.push({ id: due.id, at: ends + requeueAfter * 1000, slow });
  }
};

it('60 unreachable clusters of 200 keep the probe of no other waiting', () => {
  const [lanes, one] = [longestWait(true), longestWait(false)];
  // Nothing is known of a cluster before its first probe has failed.
  expect(lanes.first).toBeLessThan(60);
  expect(lanes.later).toBe(0);
  expect(one.later).toBeGreaterThan(20);
});

/** What clusters that do not answer cost the probes of the others, by the prober's own decisions. */
import { expect, it } from 'vitest';
import { defaultConnectTimeout } from '../../adapters/workload/https-transport.ts';
import { concurrencyOf } from '../../cdk/concurrency.ts';
import type { WorkloadSnapshotObject } from '../../kinds/core/workload-snapshot/index.ts';
import { reconcile } from '../../kinds/core/workload-snapshot/prober.ts';
import { nextSnapshot, type Probe } from '../../kinds/core/workload-snapshot/snapshot.ts';
import type { WorkloadSnapshot } from '../../kinds/ports/workload.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { Context, Plan } from '../../machinery/api/reconcile.ts';

const start = Date.parse('2026-01-01T00:00:00Z');
const [clusters, unreachable] = [200, 60];
const workers = concurrencyOf({ accountConcurrency: 1000 }).perQueue.workload;
/** Milliseconds of a pass: without an answer, and as a rule. */
const duration = { down: defaultConnectTimeout, up: 300 };
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
}

/** The longest wait of a probe of a cluster that answers, in seconds. */
const longestWait = (): number => {
  const snapshots = new Map<number, WorkloadSnapshot>();
  for (let id = 0; id < clusters; id++) snapshots.set(id, nextSnapshot(undefined, up, start));
  const lane = Array.from({ length: workers }, () => start);
  const queue: Due[] = Array.from({ length: clusters }, (_, id) => ({ id, at: start + id * 300 }));
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
  let longest = 0;
  for (;;) {
    queue.sort((a, b) => b.at - a.at);
    const due = queue.pop()!;
    if (due.at > start + hours * 3_600_000) return longest;
    const worker = lane.indexOf(Math.min(...lane));
    const begins = Math.max(due.at, lane[worker]!);
    const isDown = due.id < unreachable;
    if (!isDown) longest = Math.max(longest, (begins - due.at) / 1000);
    const ends = begins + (isDown ? duration.down : duration.up);
    lane[worker] = ends;
    const { requeueAfter = 0 } = probe(due, ends);
    queue.push({ id: due.id, at: ends + requeueAfter * 1000 });
  }
};

it('60 unreachable clusters of 200 keep the probe of no other waiting', () => expect(longestWait()).toBe(0));

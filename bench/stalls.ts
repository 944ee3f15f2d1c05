/**
 * How long many pending pods keep the process of a laptop busy without a pause: `node bench/stalls.ts
 * [pods] [nodes]`. Thirty owners' pods wait; then nodes for all of them are there.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { systemClock } from '../adapters/memory/clock.ts';
import { planInSteps } from '../kinds/autoscaling/plan/index.ts';
import { amount, inputs, pool } from '../kinds/autoscaling/plan/plan.fixture.ts';
import type { KubeObject } from '../machinery/api/object.ts';
import { decidingInSteps } from '../machinery/controller/fault.ts';
import { scheduler } from '../simulation/workload/controllers/scheduler/index.ts';
import { Plan, type World } from '../simulation/workload/world.ts';

const [pods = 3000, nodes = Math.ceil(pods / 20)] = process.argv.slice(2).map(Number);
const owners = 30;

const podsOf = (count: number): KubeObject[] =>
  Array.from({ length: count }, (_, at) => {
    const owner = `web-${at % owners}`;
    const requests = { cpu: `${100 + (at % owners) * 10}m`, memory: '128Mi' };
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: `pod-${at}`,
        namespace: 'default',
        uid: `uid-${at}`,
        creationTimestamp: '2026-11-30T00:00:00Z',
        labels: { app: owner },
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: owner, controller: true }],
      },
      spec: {
        schedulerName: 'default-scheduler',
        containers: [{ name: 'app', image: 'app:1', resources: { requests } }],
      },
      status: { phase: 'Pending' },
    };
  });
const nodesOf = (count: number): KubeObject[] =>
  Array.from({ length: count }, (_, at) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: `node-${at}`, labels: { 'kubernetes.io/hostname': `node-${at}` } },
    spec: {},
    status: {
      allocatable: { cpu: '16', memory: '64Gi', pods: '110' },
      conditions: [{ type: 'Ready', status: 'True' as const }],
    },
  }));

const measured = async (what: string, work: () => Promise<void> | void): Promise<void> => {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  await new Promise((resolve) => setTimeout(resolve, 50));
  delay.enable();
  await new Promise((resolve) => setTimeout(resolve, 20));
  const before = process.cpuUsage();
  await work();
  await new Promise((resolve) => setTimeout(resolve, 20));
  const { user, system } = process.cpuUsage(before);
  delay.disable();
  console.log(
    `${what}: longest stall ${(delay.max / 1e6).toFixed(0)} ms, of ${((user + system) / 1000).toFixed(0)} ms CPU`,
  );
};

const world = (objects: Record<string, KubeObject[]>): World =>
  ({ now: Date.now(), list: (type: string) => objects[type] ?? [], pause: systemClock.yield }) as unknown as World;

const waiting = podsOf(pods);
await measured(`${pods} pods without a node`, () => scheduler(world({ pods: waiting, nodes: nodesOf(3) }), new Plan()));
await measured(`${pods} pods, ${nodes} new nodes`, () =>
  scheduler(world({ pods: waiting, nodes: nodesOf(nodes) }), new Plan()),
);
const shapes = Array.from({ length: owners }, (_, at) => ({
  labels: { app: `web-${at}` },
  requests: amount(0.1 + at / 100),
}));
const given = inputs({
  pods: waiting.map(({ metadata: { name } }, at) => ({
    namespace: 'default',
    name,
    owner: { kind: 'ReplicaSet', name: `web-${at % owners}` },
    shape: shapes[at % owners]!,
    createdAt: 0,
    unschedulable: true,
  })),
  pools: [pool('a', { max: 1000 })],
});
await measured(`a decision for ${pods} pods`, async () => {
  await decidingInSteps(planInSteps(given), systemClock.yield);
});

import { expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Action, type Context, type Read, typedReader } from '../../../machinery/api/reconcile.ts';
import type { Machine } from '../machine/schema.ts';
import { observe } from './observe.ts';
import { reconcile } from './reconcile.ts';
import type { MachineHealthCheck } from './schema.ts';

const now = Date.parse('2026-01-01T01:00:00Z');
const ago = (seconds: number) => new Date(now - seconds * 1000).toISOString();
const context = { now, config: {} } as Context;
const core = 'cluster.x-k8s.io/v1beta2';
const since = ago(3600);
const isTrue = (type: string) => ({ type, status: 'True', lastTransitionTime: since });

const cluster = {
  apiVersion: core,
  kind: 'Cluster',
  metadata: { name: 'demo', namespace: 'default', uid: 'c' },
  status: { conditions: [isTrue('InfrastructureReady'), isTrue('ControlPlaneInitialized')] },
};
const check = {
  apiVersion: core,
  kind: 'MachineHealthCheck',
  metadata: { name: 'workers', namespace: 'default' },
  spec: {
    clusterName: 'demo',
    selector: { matchLabels: { pool: 'a' } },
    checks: { unhealthyNodeConditions: [{ type: 'Ready', status: 'Unknown', timeoutSeconds: 120 }] },
  },
} as unknown as MachineHealthCheck;
const machine = (name: string, nodeName?: string) =>
  ({
    apiVersion: core,
    kind: 'Machine',
    metadata: { name, namespace: 'default', labels: { pool: 'a' }, creationTimestamp: ago(60) },
    spec: { clusterName: 'demo' },
    status: nodeName ? { nodeRef: { name: nodeName } } : {},
  }) as unknown as Machine;
const ready = (status: 'True' | 'Unknown', seconds: number) => [
  { type: 'Ready', status, lastTransitionTime: ago(seconds) },
];
const node = (...now: Parameters<typeof ready>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1' },
  status: { conditions: ready(...now) },
});
const snapshot = {
  kind: 'WorkloadSnapshot',
  metadata: { name: 'demo', ownerReferences: [{ uid: 'c' }] },
  spec: {
    reachable: true,
    nodes: [{ name: 'n1', conditions: ready('Unknown', 200) }],
  },
};
const kubeconfig: Read<unknown> = { state: 'found', value: { data: { value: 'a3ViZWNvbmZpZw==' } } };

/** The plan for a Machine whose Node was last seen unhealthy, beside one whose Node is expected in nine minutes. */
const planWith = (live: Read<unknown>, secret: Read<unknown> = kubeconfig) => {
  const answers: Record<string, unknown> = { Cluster: cluster, WorkloadSnapshot: snapshot };
  const reader = typedReader({
    get: (kind) => (kind === 'Secret' ? secret : { state: 'found', value: answers[kind] }) as never,
    list: () => ({ state: 'found', value: [machine('ill', 'n1'), machine('new')] }),
    tombstone: () => ({ state: 'absent' }),
    facts: () => ({ state: 'found', value: [] }),
    ask: () => live as never,
  });
  return reconcile(observe(check, reader, context), context);
};

const markOf = (action: Action): string => {
  const { name, patch } = action as Extract<Action, { do: 'patch' }>;
  return `${name} ${(patch as Machine).status?.conditions?.[0]?.reason}`;
};

it.each<{ rule: string; live: Read<unknown>; secret?: Read<unknown>; marks: string[]; requeueAfter: number }>([
  {
    rule: 'reports a Machine unhealthy whose Node is unhealthy',
    live: { state: 'found', value: node('Unknown', 200) },
    marks: ['ill UnhealthyNode'],
    requeueAfter: 541,
  },
  {
    rule: 'reports a Machine healthy whose Node recovered since',
    live: { state: 'found', value: node('True', 1) },
    marks: ['ill HealthCheckSucceeded'],
    requeueAfter: 541,
  },
  {
    rule: 'reads an unreadable Node again soon, whatever other Machines wait for',
    live: { state: 'unreadable', reason: 'timeout' },
    marks: [],
    requeueAfter: 15,
  },
  {
    rule: 'reads the Node again soon while there is no kubeconfig',
    live: { state: 'unread' },
    secret: { state: 'absent' },
    marks: [],
    requeueAfter: 15,
  },
  {
    rule: 'reads the Node again soon while the kubeconfig is unreadable',
    live: { state: 'unread' },
    secret: { state: 'unreadable', reason: 'throttled' },
    marks: [],
    requeueAfter: 15,
  },
])('$rule', ({ live, secret, marks, requeueAfter }) => {
  const plan = planWith(live, secret);
  expect(plan.actions?.map(markOf)).toEqual(marks);
  expect(plan.requeueAfter).toBe(requeueAfter);
});

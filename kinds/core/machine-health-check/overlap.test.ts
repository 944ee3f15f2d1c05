import { expect, it } from 'vitest';
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { WorkloadNode } from '../../ports/workload.ts';
import type { Cluster } from '../cluster/schema.ts';
import type { Machine } from '../machine/schema.ts';
import { contradicts, isOverruled } from './overlap.ts';
import type { MachineHealthCheck } from './schema.ts';
import { type Verdict, verdictOf } from './verdict.ts';

const now = Date.parse('2026-01-01T12:00:00Z');
const since = (type: string, status: string, seconds: number) => ({
  type,
  status,
  reason: 'Because',
  message: '',
  lastTransitionTime: timestamp(now - seconds * 1000),
});
const cluster = {
  metadata: { name: 'demo', namespace: 'default' },
  status: { conditions: [since('InfrastructureReady', 'True', 900), since('ControlPlaneInitialized', 'True', 900)] },
} as Cluster;
const machine = {
  metadata: { name: 'm', namespace: 'default', labels: { tier: 'web' } },
  spec: { clusterName: 'demo' },
  status: { nodeRef: { name: 'n' } },
} as unknown as Machine;
const node = { name: 'n', conditions: [since('Ready', 'False', 400)] } as unknown as WorkloadNode;
const target = { machine, node };

interface Of {
  tier?: string;
  annotations?: Record<string, string>;
  deletionTimestamp?: string;
}
/** Finds the Machine unhealthy after the timeout; not at all without one. */
const checkOf = (name: string, timeoutSeconds?: number, { tier = 'web', ...metadata }: Of = {}) =>
  ({
    metadata: { name, namespace: 'default', ...metadata },
    spec: {
      clusterName: 'demo',
      selector: { matchLabels: { tier } },
      checks: {
        ...(timeoutSeconds !== undefined && {
          unhealthyNodeConditions: [{ type: 'Ready', status: 'False', timeoutSeconds }],
        }),
      },
    },
  }) as unknown as MachineHealthCheck;

const lenient = checkOf('b');
const strict = checkOf('b', 200);
it.each([
  { rule: 'a healthy finding', check: lenient, other: checkOf('a', 300), isOverruled: true },
  { rule: 'a healthy finding, in any order', check: lenient, other: checkOf('c', 300), isOverruled: true },
  { rule: 'an unhealthy finding of a later check', check: strict, other: checkOf('a', 300), isOverruled: true },
  { rule: 'none of an earlier check', check: strict, other: checkOf('c', 300), isOverruled: false },
  { rule: 'none of its own', check: strict, other: strict, isOverruled: false },
  { rule: 'none while it still waits', check: lenient, other: checkOf('a', 500), isOverruled: false },
  { rule: 'none while it is paused', check: lenient, isOverruled: false, of: { 'cluster.x-k8s.io/paused': '' } },
  { rule: 'none of Machines that it does not select', check: lenient, other: checkOf('a', 300, { tier: 'db' }) },
  {
    rule: 'none in its deletion',
    check: lenient,
    other: checkOf('a', 300, { deletionTimestamp: timestamp(now) }),
  },
])('an unhealthy finding overrules $rule', ({ check, of, isOverruled: expected = false, ...given }) => {
  const other = given.other ?? checkOf('a', 300, { annotations: of });
  const verdict = verdictOf(target, check, cluster, now);
  expect(isOverruled(verdict, target, check, [check, other], { cluster, now })).toBe(expected);
});

const unhealthy = (reason: string): Verdict => ({
  health: 'unhealthy',
  condition: { type: 'HealthCheckSucceeded', status: 'False', reason, message: 'ill' },
});
it.each<{ rule: string; status: string; verdict: Verdict; contradicted: boolean }>([
  { rule: 'a healthy verdict', status: 'False', verdict: { health: 'healthy' }, contradicted: true },
  { rule: 'another reason', status: 'False', verdict: unhealthy('NodeDeleted'), contradicted: true },
  { rule: 'not the same finding', status: 'False', verdict: unhealthy('UnhealthyNode'), contradicted: false },
  { rule: 'not a verdict that waits', status: 'False', verdict: { health: 'pending' }, contradicted: false },
  { rule: 'not if it is healthy', status: 'True', verdict: unhealthy('UnhealthyNode'), contradicted: false },
])('what a Machine reports is contradicted by $rule', ({ status, verdict, contradicted }) => {
  const conditions = [{ type: 'HealthCheckSucceeded', status, reason: 'UnhealthyNode', message: 'ill' }];
  expect(contradicts(verdict, { ...machine, status: { conditions } } as Machine)).toBe(contradicted);
});

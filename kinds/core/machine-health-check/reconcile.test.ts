import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Action, Context, Read } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../cluster/schema.ts';
import type { Machine } from '../machine/schema.ts';
import type { Judged } from './observe.ts';
import { reconcile } from './reconcile.ts';
import type { MachineHealthCheck } from './schema.ts';
import type { Verdict } from './verdict.ts';

const core = 'cluster.x-k8s.io/v1beta2';
const cluster = {
  apiVersion: core,
  kind: 'Cluster',
  metadata: { name: 'demo', namespace: 'default', uid: 'c' },
} as Cluster;
const checkWith = (remediation: NonNullable<MachineHealthCheck['spec']>['remediation']) =>
  ({
    apiVersion: core,
    kind: 'MachineHealthCheck',
    metadata: { name: 'workers', namespace: 'default' },
    spec: { clusterName: 'demo', selector: {}, remediation },
  }) as MachineHealthCheck;
const templateRef = { apiVersion: 'x.example/v1', kind: 'RebootTemplate', name: 'reboot' };
const reboot: KubeObject = {
  apiVersion: 'x.example/v1',
  kind: 'RebootTemplate',
  metadata: { name: 'reboot', namespace: 'default' },
  spec: { template: { spec: { times: 1 } } },
};

type Conditions = Record<string, [status: string, reason: string, message?: string]>;
const machineWith = (name: string, conditions: Conditions = {}, isGoing = false) =>
  ({
    apiVersion: core,
    kind: 'Machine',
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-${name}`,
      resourceVersion: '1',
      ...(isGoing && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    },
    spec: { clusterName: 'demo' },
    status: {
      conditions: Object.entries(conditions).map(([type, [status, reason, message = '']]) => ({
        type,
        status,
        reason,
        message,
      })),
    },
  }) as unknown as Machine;

const healthy: Verdict = { health: 'healthy' };
const unhealthy: Verdict = {
  health: 'unhealthy',
  condition: { type: 'HealthCheckSucceeded', status: 'False', reason: 'UnhealthyNode', message: 'ill' },
};
const well: Conditions = { HealthCheckSucceeded: ['True', 'HealthCheckSucceeded'] };
const ill: Conditions = { HealthCheckSucceeded: ['False', 'UnhealthyNode', 'ill'] };
const absent = { state: 'absent' } as const;
const found = (value: KubeObject): Read<KubeObject> => ({ state: 'found', value });

const summaryOf = (action: Action): string => {
  switch (action.do) {
    case 'patch': {
      const { conditions } = (action.patch as { status: { conditions: KubeObject['status'][] } }).status as {
        conditions: { type: string; status: string; reason: string }[];
      };
      return `${action.name}: ${conditions.map(({ type, status, reason }) => `${type}=${status}/${reason}`).join(' ')}`;
    }
    case 'create':
      return `create ${action.object.kind} ${action.object.metadata.name}`;
    case 'delete':
      return `delete ${action.kind} ${action.name}`;
    default:
      return action.do;
  }
};
const decide = (judged: Judged[], check = checkWith(undefined), template?: Read<KubeObject>) =>
  reconcile(
    { check, cluster, judged, machines: judged.map(({ machine }) => machine), zones: new Map(), template },
    {} as Context,
  );

describe('a checked Machine', () => {
  it.each<{
    rule: string;
    machine: Machine;
    verdict: Verdict;
    check?: MachineHealthCheck;
    isOverruled?: boolean;
    request?: Read<KubeObject>;
    template?: Read<KubeObject>;
    actions: string[];
  }>([
    {
      rule: 'is reported healthy',
      machine: machineWith('a'),
      verdict: healthy,
      actions: ['a: HealthCheckSucceeded=True/HealthCheckSucceeded'],
    },
    {
      rule: 'is unchanged while its state does not change',
      machine: machineWith('a', well),
      verdict: healthy,
      actions: [],
    },
    {
      rule: 'is unchanged while it is neither healthy nor unhealthy',
      machine: machineWith('a', ill),
      verdict: { health: 'pending' },
      actions: [],
    },
    {
      rule: 'stays unhealthy while another check finds it unhealthy',
      machine: machineWith('a', ill),
      verdict: healthy,
      isOverruled: true,
      actions: [],
    },
    {
      rule: 'is marked with the finding of another check',
      machine: machineWith('a', { HealthCheckSucceeded: ['False', 'NodeDeleted'] }),
      verdict: unhealthy,
      isOverruled: true,
      actions: ['a: HealthCheckSucceeded=False/NodeDeleted OwnerRemediated=False/WaitingForRemediation'],
    },
    {
      rule: 'is marked for remediation by its owner',
      machine: machineWith('a', well),
      verdict: unhealthy,
      actions: ['a: HealthCheckSucceeded=False/UnhealthyNode OwnerRemediated=False/WaitingForRemediation'],
    },
    {
      rule: 'is marked once',
      machine: machineWith('a', { ...ill, OwnerRemediated: ['False', 'RemediationDeferred', 'later'] }),
      verdict: unhealthy,
      actions: [],
    },
    {
      rule: 'is marked again after a remediation',
      machine: machineWith('a', { ...ill, OwnerRemediated: ['True', 'Remediated'] }),
      verdict: unhealthy,
      actions: ['a: HealthCheckSucceeded=False/UnhealthyNode OwnerRemediated=False/WaitingForRemediation'],
    },
    {
      rule: 'is not marked in deletion',
      machine: machineWith('a', {}, true),
      verdict: unhealthy,
      actions: ['a: HealthCheckSucceeded=False/UnhealthyNode'],
    },
    {
      rule: 'is not marked while too many Machines are unhealthy',
      machine: machineWith('a', well),
      verdict: unhealthy,
      check: checkWith({ triggerIf: { unhealthyLessThanOrEqualTo: 0 } }),
      actions: ['a: HealthCheckSucceeded=False/UnhealthyNode OwnerRemediated=Unknown/TooManyUnhealthy'],
    },
    {
      rule: 'no longer reports why its remediation is deferred once it is healthy',
      machine: machineWith('a', { ...ill, OwnerRemediated: ['Unknown', 'TooManyUnhealthy', 'many'] }),
      verdict: healthy,
      actions: ['a: HealthCheckSucceeded=True/HealthCheckSucceeded'],
    },
    {
      rule: 'is marked once its remediation is not deferred any more',
      machine: machineWith('a', { ...ill, OwnerRemediated: ['Unknown', 'TooManyUnhealthy', 'many'] }),
      verdict: unhealthy,
      actions: ['a: HealthCheckSucceeded=False/UnhealthyNode OwnerRemediated=False/WaitingForRemediation'],
    },
    {
      rule: 'is remediated by an external controller',
      machine: machineWith('a', well),
      verdict: unhealthy,
      check: checkWith({ templateRef }),
      request: absent,
      template: found(reboot),
      actions: [
        'a: HealthCheckSucceeded=False/UnhealthyNode ExternallyRemediated=False/WaitingForRemediation',
        'create Reboot a',
      ],
    },
    {
      rule: 'waits for the external controller',
      machine: machineWith('a', ill),
      verdict: unhealthy,
      check: checkWith({ templateRef }),
      request: found({ ...reboot, kind: 'Reboot', metadata: { name: 'a', namespace: 'default', uid: 'r' } }),
      template: found(reboot),
      actions: [],
    },
    {
      rule: 'names a missing remediation template',
      machine: machineWith('a', ill),
      verdict: unhealthy,
      check: checkWith({ templateRef }),
      request: absent,
      template: absent,
      actions: ['a: HealthCheckSucceeded=False/UnhealthyNode ExternallyRemediated=False/RemediationTemplateNotFound'],
    },
    {
      rule: 'has its remediation request deleted once it is healthy',
      machine: machineWith('a', { ...well, ExternallyRemediated: ['False', 'WaitingForRemediation'] }),
      verdict: healthy,
      check: checkWith({ templateRef }),
      request: found({ ...reboot, kind: 'Reboot', metadata: { name: 'a', namespace: 'default', uid: 'r' } }),
      actions: ['delete Reboot a'],
    },
  ])('$rule', ({ machine, verdict, isOverruled = false, check, request, template, actions }) => {
    const plan = decide([{ machine, verdict, isOverruled, ...(request && { request }) }], check, template);
    expect(plan.actions?.map(summaryOf)).toEqual(actions);
  });
});

it('counts its Machines, and requeues for the first timeout', () => {
  const plan = decide([
    { machine: machineWith('b', well), verdict: healthy },
    { machine: machineWith('a', ill), verdict: unhealthy },
    { machine: machineWith('c'), verdict: { health: 'pending', nextCheck: 61.5 } },
    { machine: machineWith('d'), verdict: { health: 'pending' } },
  ]);
  expect(plan.status).toMatchObject({
    expectedMachines: 4,
    currentHealthy: 1,
    remediationsAllowed: 1,
    targets: ['a', 'b', 'c', 'd'],
    conditions: [{ type: 'RemediationAllowed', status: 'True' }],
  });
  expect(plan.requeueAfter).toBe(62);
});

it('reports why remediation is restricted, only while a Machine is unhealthy', () => {
  const check = checkWith({ triggerIf: { unhealthyLessThanOrEqualTo: 0 } });
  const restricted = decide([{ machine: machineWith('a', ill), verdict: unhealthy }], check);
  expect(restricted.status?.conditions).toMatchObject([{ status: 'False', reason: 'TooManyUnhealthy' }]);
  expect(restricted.events).toMatchObject([{ type: 'Warning', reason: 'RemediationRestricted' }]);
  const starting = decide([{ machine: machineWith('a'), verdict: { health: 'pending' } }], check);
  expect(starting.status?.conditions).toMatchObject([{ status: 'False', reason: 'TooManyUnhealthy' }]);
  expect(starting.events).toEqual([]);
});

it('is owned by its Cluster, and judges nothing while the workload cluster does not answer', () => {
  const plan = reconcile(
    { check: checkWith(undefined), cluster, judged: undefined, machines: [], zones: new Map(), template: undefined },
    {} as Context,
  );
  expect(plan).toEqual({
    intent: {
      metadata: {
        labels: { 'cluster.x-k8s.io/cluster-name': 'demo' },
        ownerReferences: [{ apiVersion: core, kind: 'Cluster', name: 'demo', uid: 'c' }],
      },
    },
  });
});

it('records on a Machine that it was marked, as upstream does', () => {
  const plan = decide([{ machine: machineWith('a'), verdict: unhealthy }]);
  expect(plan.events).toMatchObject([
    { type: 'Normal', reason: 'MachineMarkedUnhealthy', about: { kind: 'Machine', metadata: { name: 'a' } } },
  ]);
});

it('reports why the owners of Machines do not remediate them, and rechecks', () => {
  const held = (name: string) =>
    machineWith(name, { ...ill, OwnerRemediated: ['False', 'RemediationHeld', '4 remediations in a row'] });
  const plan = decide(
    [held('b'), held('a'), machineWith('c', ill)].map((machine) => ({ machine, verdict: unhealthy })),
  );
  expect(plan.status?.conditions).toMatchObject([
    { type: 'RemediationAllowed', status: 'True' },
    {
      type: 'RemediationDeferred',
      status: 'True',
      reason: 'RemediationHeld',
      message: '* a, b: 4 remediations in a row',
    },
  ]);
  expect(plan.events).toMatchObject([{ type: 'Warning', reason: 'RemediationDeferred' }]);
  expect(plan.requeueAfter).toBe(60);
});

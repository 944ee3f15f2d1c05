import { expect, it } from 'vitest';
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { Condition } from '../../../machinery/api/object.ts';
import type { WorkloadNode } from '../../ports/workload.ts';
import type { Cluster } from '../cluster/schema.ts';
import type { Machine } from '../machine/schema.ts';
import type { MachineHealthCheck } from './schema.ts';
import { verdictOf } from './verdict.ts';

const now = Date.parse('2026-01-01T12:00:00Z');
const ago = (seconds: number) => timestamp(now - seconds * 1000);
const condition = (type: string, status: string, seconds: number, reason = 'Because') =>
  ({ type, status, reason, message: '', lastTransitionTime: ago(seconds) }) as Condition;

const clusterWith = (...conditions: Condition[]) =>
  ({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: { name: 'demo', namespace: 'default' },
    status: { conditions },
  }) as Cluster;
const built = clusterWith(
  condition('InfrastructureReady', 'True', 5000),
  condition('ControlPlaneInitialized', 'True', 4000),
);
const machine = (of: Partial<Machine['metadata']> = {}, status: Machine['status'] = {}) =>
  ({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Machine',
    metadata: { name: 'm', namespace: 'default', creationTimestamp: ago(3000), ...of },
    spec: { clusterName: 'demo' },
    status,
  }) as Machine;
const joined = (conditions: Condition[] = []) => machine({}, { nodeRef: { name: 'n' }, conditions });
const node = (...conditions: Condition[]) => ({ name: 'n', conditions }) as unknown as WorkloadNode;
const ready = node(condition('Ready', 'True', 1000));

const check = (checks: NonNullable<MachineHealthCheck['spec']>['checks'] = {}) =>
  ({ spec: { clusterName: 'demo', selector: {}, checks } }) as MachineHealthCheck;
const standard = check({
  nodeStartupTimeoutSeconds: 600,
  unhealthyNodeConditions: [
    { type: 'Ready', status: 'False', timeoutSeconds: 300 },
    { type: 'Ready', status: 'Unknown', timeoutSeconds: 300 },
  ],
  unhealthyMachineConditions: [{ type: 'BootstrapConfigReady', status: 'False', timeoutSeconds: 60 }],
});

const failed = (reason: string, message: string) => ({
  health: 'unhealthy',
  condition: { type: 'HealthCheckSucceeded', status: 'False', reason, message: `Health check failed:${message}` },
});

const hostFailing = (seconds: number) =>
  joined([condition('HostHealthy', 'False', seconds, 'SystemStatusCheckFailed')]);
const ownTimeout = check({
  unhealthyMachineConditions: [{ type: 'HostHealthy', status: 'False', timeoutSeconds: 3600 }],
});

it.each([
  {
    rule: 'a host whose checks fail, as it may recover by itself',
    target: { machine: hostFailing(600), node: ready },
    verdict: { health: 'pending', nextCheck: 1 },
  },
  {
    rule: 'a host whose checks fail for more than ten minutes',
    target: { machine: hostFailing(601), node: ready },
    verdict: failed(
      'UnhealthyMachine',
      '\n  * Condition HostHealthy on Machine is reporting status False with reason SystemStatusCheckFailed for more than 10m0s',
    ),
  },
  {
    rule: 'a host whose checks fail for less than the check permits',
    target: { machine: hostFailing(601), node: ready },
    of: ownTimeout,
    verdict: { health: 'pending', nextCheck: 3000 },
  },
  {
    rule: 'a host that is going to be retired',
    target: { machine: joined([condition('HostRetirementScheduled', 'True', 1, 'InstanceStop')]), node: ready },
    verdict: failed(
      'UnhealthyMachine',
      '\n  * Condition HostRetirementScheduled on Machine is reporting status True with reason InstanceStop for more than 0s',
    ),
  },
  {
    rule: 'a host that its provider takes away',
    target: { machine: joined([condition('HostInterrupted', 'True', 1, 'SpotInterruption')]), node: ready },
    verdict: failed(
      'UnhealthyMachine',
      '\n  * Condition HostInterrupted on Machine is reporting status True with reason SpotInterruption for more than 0s',
    ),
  },
  {
    rule: 'a host that its provider might take away',
    target: { machine: joined([condition('HostAtRisk', 'True', 1, 'RebalanceRecommendation')]), node: ready },
    verdict: { health: 'healthy' },
  },
  {
    rule: 'a host that is going to be rebooted',
    target: { machine: joined([condition('HostMaintenanceScheduled', 'True', 1, 'SystemReboot')]), node: ready },
    verdict: { health: 'healthy' },
  },
  { rule: 'a healthy Node', target: { machine: joined(), node: ready }, verdict: { health: 'healthy' } },
  {
    rule: 'a Node that is not ready beyond the timeout',
    target: { machine: joined(), node: node(condition('Ready', 'False', 301, 'KubeletDown')) },
    verdict: failed(
      'UnhealthyNode',
      '\n  * Condition Ready on Node is reporting status False with reason KubeletDown for more than 5m0s',
    ),
  },
  {
    rule: 'a Node that is not ready for exactly the timeout',
    target: { machine: joined(), node: node(condition('Ready', 'False', 300)) },
    verdict: { health: 'pending', nextCheck: 1 },
  },
  {
    rule: 'a Node that has just become not ready',
    target: { machine: joined(), node: node(condition('Ready', 'Unknown', 100)) },
    verdict: { health: 'pending', nextCheck: 201 },
  },
  {
    rule: 'a condition with another status',
    target: {
      machine: joined(),
      node: node(condition('Ready', 'True', 5000), condition('DiskPressure', 'True', 5000)),
    },
    verdict: { health: 'healthy' },
  },
  {
    rule: 'a Machine condition beside a Node',
    target: { machine: joined([condition('BootstrapConfigReady', 'False', 61)]), node: ready },
    verdict: failed(
      'UnhealthyMachine',
      '\n  * Condition BootstrapConfigReady on Machine is reporting status False with reason Because for more than 1m0s',
    ),
  },
  {
    rule: 'both conditions, under the reason of the Machine',
    target: {
      machine: joined([condition('BootstrapConfigReady', 'False', 61)]),
      node: node(condition('Ready', 'False', 400)),
    },
    verdict: failed(
      'UnhealthyMachine',
      '\n  * Condition BootstrapConfigReady on Machine is reporting status False with reason Because for more than 1m0s' +
        '\n  * Condition Ready on Node is reporting status False with reason Because for more than 5m0s',
    ),
  },
  {
    rule: 'a Machine without a Node after the startup timeout',
    target: { machine: machine() },
    verdict: failed('NodeStartupTimeout', '\n  * Node failed to report startup in 10m0s'),
  },
  {
    rule: 'a Machine whose infrastructure became ready late',
    target: { machine: machine({}, { conditions: [condition('InfrastructureReady', 'True', 400)] }) },
    verdict: { health: 'pending', nextCheck: 201 },
  },
  {
    rule: 'a cluster that was initialized late',
    target: { machine: machine() },
    cluster: clusterWith(
      condition('InfrastructureReady', 'True', 500),
      condition('ControlPlaneInitialized', 'True', 90),
    ),
    verdict: { health: 'pending', nextCheck: 511 },
  },
  {
    rule: 'no startup timeout',
    target: { machine: machine() },
    of: check({ nodeStartupTimeoutSeconds: 0 }),
    verdict: { health: 'pending' },
  },
  {
    rule: 'the default startup timeout',
    target: { machine: machine({ creationTimestamp: ago(601) }) },
    of: check(),
    cluster: clusterWith(
      condition('InfrastructureReady', 'True', 9000),
      condition('ControlPlaneInitialized', 'True', 9000),
    ),
    verdict: failed('NodeStartupTimeout', '\n  * Node failed to report startup in 10m0s'),
  },
  {
    rule: 'a Node that the Machine controller found deleted',
    target: { machine: joined([condition('NodeReady', 'False', 10, 'NodeDeleted')]) },
    verdict: failed('NodeDeleted', '\n  * Node n has been deleted'),
  },
  {
    rule: 'a Node that the observed Nodes lack',
    target: { machine: joined([condition('NodeReady', 'True', 10)]) },
    verdict: { health: 'pending' },
  },
  {
    rule: 'a Machine in deletion',
    target: { machine: machine({ deletionTimestamp: ago(5) }, { nodeRef: { name: 'n' } }), node: ready },
    verdict: { health: 'pending' },
  },
  {
    rule: 'a Machine marked by a user, before the cluster is initialized',
    target: { machine: machine({ annotations: { 'cluster.x-k8s.io/remediate-machine': '' } }) },
    cluster: clusterWith(),
    verdict: failed(
      'HasRemediateAnnotation',
      ' marked for remediation via cluster.x-k8s.io/remediate-machine annotation',
    ),
  },
  {
    rule: 'a worker before the control plane is initialized',
    target: { machine: machine() },
    cluster: clusterWith(condition('InfrastructureReady', 'True', 5000)),
    verdict: { health: 'pending' },
  },
  {
    rule: 'a first control plane Machine that never started',
    target: { machine: machine({ labels: { 'cluster.x-k8s.io/control-plane': '' } }) },
    cluster: clusterWith(condition('InfrastructureReady', 'True', 5000)),
    verdict: failed('NodeStartupTimeout', '\n  * Node failed to report startup in 10m0s'),
  },
  {
    rule: 'a cluster whose infrastructure is not ready',
    target: { machine: joined(), node: node(condition('Ready', 'False', 400)) },
    cluster: clusterWith(condition('ControlPlaneInitialized', 'True', 4000)),
    verdict: { health: 'pending' },
  },
])('judges $rule', ({ target, cluster = built, of = standard, verdict }) =>
  expect(verdictOf(target, of, cluster, now)).toEqual(verdict));

it('counts a host that has ended as unhealthy at once, whatever its Node says', () => {
  const v1beta1 = { failureReason: 'UpdateError', failureMessage: 'EC2 instance i-1 was terminated' };
  const ended = machine({}, { nodeRef: { name: 'n' }, deprecated: { v1beta1 } });
  expect(verdictOf({ machine: ended, node: ready }, standard, built, now)).toEqual(
    failed('UnhealthyMachine', '\n  * The host is gone: EC2 instance i-1 was terminated'),
  );
  // A host that never joined has its startup timeout.
  expect(
    verdictOf({ machine: machine({ creationTimestamp: ago(10) }, { deprecated: { v1beta1 } }) }, check(), built, now),
  ).toMatchObject({ health: 'pending' });
});

/** Rules for MachineHealthChecks and MachineDrainRules (core/webhooks/admission of Cluster API 1.14). */
import type { UpstreamRule } from './rule.ts';

const badSelector = { matchLabels: { of: 'no value!' } };
const condition = (type: string) => ({ type, status: 'False', timeoutSeconds: 60 });

export const healthRules: UpstreamRule[] = [
  {
    kind: 'MachineHealthCheck',
    refuses: 'a selector that is none',
    with: { spec: { selector: badSelector } },
    says: 'spec.selector: Invalid value',
  },
  {
    kind: 'MachineHealthCheck',
    refuses: 'an empty selector',
    with: { spec: { selector: { matchLabels: null } } },
    says: 'spec.selector: Required value: selector must not be empty',
  },
  {
    kind: 'MachineHealthCheck',
    refuses: 'the machines of another cluster',
    with: { spec: { selector: { matchLabels: { 'cluster.x-k8s.io/cluster-name': 'other' } } } },
    says: 'cannot specify a cluster selector other than the one specified by ClusterName',
  },
  {
    kind: 'MachineHealthCheck',
    refuses: 'another cluster',
    stored: {},
    with: { spec: { clusterName: 'other' } },
    says: 'spec.clusterName: Forbidden: field is immutable',
  },
  {
    kind: 'MachineHealthCheck',
    refuses: 'a startup timeout below 30 seconds',
    with: { spec: { checks: { nodeStartupTimeoutSeconds: 29 } } },
    says: 'spec.checks.nodeStartupTimeoutSeconds: Invalid value: 29: must be at least 30s',
  },
  {
    kind: 'MachineHealthCheck',
    refuses: 'a number of machines that is none',
    with: { spec: { remediation: { triggerIf: { unhealthyLessThanOrEqualTo: 'half' } } } },
    says: 'must be either an int or a percentage',
  },
  {
    kind: 'MachineHealthCheck',
    refuses: 'a range that is none',
    with: { spec: { remediation: { triggerIf: { unhealthyInRange: '3-5' } } } },
    says: 'spec.remediation.triggerIf.unhealthyInRange: Invalid value',
  },
  {
    kind: 'MachineHealthCheck',
    refuses: 'a condition that the health check itself causes',
    with: { spec: { checks: { unhealthyMachineConditions: [condition('HealthCheckSucceeded')] } } },
    says: 'type must not be one of',
  },
  {
    kind: 'MachineDrainRule',
    refuses: 'an order of Pods that are not drained',
    with: { spec: { drain: { behavior: 'Skip', order: 1 } } },
    says: 'spec.drain.order: Invalid value: 1: order must not be set if drain behavior is "Skip" or "WaitCompleted"',
  },
  {
    kind: 'MachineDrainRule',
    refuses: 'a selector of Machines that is none',
    with: { spec: { machines: [{ selector: badSelector }] } },
    says: 'spec.machines[0].selector: Invalid value',
  },
  {
    kind: 'MachineDrainRule',
    refuses: 'a selector of Clusters that is none',
    with: { spec: { machines: [{ clusterSelector: badSelector }] } },
    says: 'spec.machines[0].clusterSelector: Invalid value',
  },
  {
    kind: 'MachineDrainRule',
    refuses: 'a selector of Pods that is none',
    with: { spec: { pods: [{ selector: badSelector }] } },
    says: 'spec.pods[0].selector: Invalid value',
  },
  {
    kind: 'MachineDrainRule',
    refuses: 'a selector of Namespaces that is none',
    with: { spec: { pods: [{ namespaceSelector: badSelector }] } },
    says: 'spec.pods[0].namespaceSelector: Invalid value',
  },
  {
    kind: 'MachineDrainRule',
    refuses: 'the same Pods twice',
    with: { spec: { pods: [{ selector: { matchLabels: { of: 'x' } } }, { selector: { matchLabels: { of: 'x' } } }] } },
    says: 'entries in pods must be unique',
  },
];

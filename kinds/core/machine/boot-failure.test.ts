import { expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { WorkloadSnapshot } from '../../ports/workload.ts';
import type { Cluster } from '../cluster/schema.ts';
import { nodeConditions } from './conditions.ts';
import type { Machine } from './schema.ts';

const cluster = {
  status: { initialization: { infrastructureProvisioned: true, controlPlaneInitialized: true } },
} as unknown as Cluster;
const host = (status: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Host',
  metadata: { name: 'h' },
  status: { conditions: [{ type: 'BootstrapExecSucceeded', status, message: 'kubeadm: no space left on device' }] },
});
const awaited = 'Waiting for a Node with spec.providerID aws:///i-1 to exist';

it.each([
  {
    rule: 'the last lines of a host that failed',
    infraMachine: host('False'),
    says: `${awaited}: kubeadm: no space left on device`,
  },
  { rule: 'nothing of a host that boots', infraMachine: undefined, says: awaited },
  { rule: 'nothing of a host that did not fail', infraMachine: host('True'), says: awaited },
])('a Machine without a Node reports $rule', ({ infraMachine, says }) => {
  const conditions = nodeConditions({
    machine: { metadata: { name: 'm' }, spec: {} } as unknown as Machine,
    cluster,
    snapshot: { reachable: true, reachableSince: '2026-01-01T00:00:00Z', nodes: [] } as unknown as WorkloadSnapshot,
    node: undefined,
    nodeName: undefined,
    providerID: 'aws:///i-1',
    infraMachine,
    now: Date.parse('2026-01-01T01:00:00Z'),
  });
  expect(new Set(conditions.map(({ message }) => message))).toEqual(new Set([says]));
});

import { expect, it } from 'vitest';
import type { WorkloadNode, WorkloadSnapshot } from '../../ports/workload.ts';
import { withoutProviderId } from './provider-id.ts';

const taint = { key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule' };
const node = (name: string, more: Partial<WorkloadNode> = {}): WorkloadNode => ({
  name,
  uid: name,
  labels: {},
  annotations: {},
  taints: [],
  unschedulable: false,
  conditions: [],
  nodeInfo: {},
  addresses: [],
  volumesAttached: [],
  ...more,
});
const addresses = [{ address: '10.0.0.1' }, { address: 'ip-10-0-0-1' }];
const awaits = (name: string) =>
  new RegExp(`^Node ${name} waits for a cloud controller manager .*node.cloudprovider.kubernetes.io/uninitialized`);

it.each<{ rule: string; nodes: WorkloadNode[]; says: RegExp | undefined }>([
  { rule: 'no Node exists', nodes: [], says: undefined },
  {
    rule: 'its own Node has the taint',
    nodes: [node('ip-10-0-0-1', { taints: [taint] })],
    says: awaits('ip-10-0-0-1'),
  },
  {
    rule: 'its own Node has the taint under another name',
    nodes: [
      node('b', { taints: [taint] }),
      node('a', { taints: [taint], addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] }),
    ],
    says: awaits('a'),
  },
  { rule: 'only another Node has the taint', nodes: [node('other', { taints: [taint] })], says: awaits('other') },
  {
    rule: 'its own Node does not expect a cloud provider',
    nodes: [node('ip-10-0-0-1')],
    says: /^Node ip-10-0-0-1 has no spec.providerID: set cloud-provider=external in nodeRegistration.kubeletExtraArgs/,
  },
  { rule: 'another Node does not expect a cloud provider', nodes: [node('other')], says: undefined },
  {
    rule: 'all other Nodes are initialised',
    nodes: [node('ip-10-0-0-1', { providerID: 'aws:///a/i-1', taints: [taint] })],
    says: undefined,
  },
])('reports why a Machine waits for its Node where $rule', ({ nodes, says }) => {
  const snapshot = { nodes } as WorkloadSnapshot;
  const message = withoutProviderId(snapshot, addresses);
  if (says) expect(message).toMatch(says);
  else expect(message).toBeUndefined();
});

import { expect, it } from 'vitest';
import { availability } from './availability.ts';
import { controlPlaneOf, type MachineSituation } from './control-plane.fixture.ts';

const taints = [{ key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule' }];
const awaits = /^Node node-b waits for a cloud controller manager to remove its taint .*uninitialized: install one/;
const etcd = /etcd members are healthy/;

it.each<{ rule: string; machines: MachineSituation[]; tainted?: true; status: string; says: RegExp[]; not?: RegExp[] }>(
  [
    {
      rule: 'the first Node waits for a cloud controller manager',
      machines: [{ name: 'b', node: false, running: 1, member: true }],
      tainted: true,
      status: 'False',
      says: [awaits],
      not: [etcd, /no Machines/],
    },
    {
      rule: 'the first Node does not match its Machine',
      machines: [{ name: 'b', node: false, running: 1, member: true }],
      status: 'False',
      says: [etcd, /no Machines/],
      not: [/cloud controller manager/],
    },
    {
      rule: 'a Node waits for a cloud controller manager beside healthy machines',
      machines: [{ name: 'a' }, { name: 'b', node: false, running: 1 }],
      tainted: true,
      status: 'True',
      says: [/^$/],
    },
    {
      rule: 'a Node waits for a cloud controller manager beside unhealthy machines',
      machines: [
        { name: 'a', healthy: false },
        { name: 'b', node: false, running: 1 },
      ],
      tainted: true,
      status: 'False',
      says: [/\* Node node-b waits/, etcd, /no Machines/],
    },
  ],
)('reports in Available that $rule', ({ machines, tainted, status, says, not = [] }) => {
  const controlPlane = controlPlaneOf({ machines });
  if (tainted) {
    const [first] = controlPlaneOf({ machines: [{ name: 'b' }] }).workload!.nodes;
    controlPlane.workload!.nodes.push({ ...first!, taints });
  }
  const condition = availability(controlPlane, { initialized: true, unheeded: [], lastFailure: undefined });
  expect(condition.status).toBe(status);
  for (const text of says) expect(condition.message).toMatch(text);
  for (const text of not) expect(condition.message).not.toMatch(text);
});

import { expect, it } from 'vitest';
import { availability } from './availability.ts';
import { controlPlaneOf, type MachineState } from './control-plane.fixture.ts';
import type { ControlPlane } from './control-plane.ts';

const taints = [{ key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule' }];
const awaits = /^Node node-b waits for a cloud controller manager to remove its taint .*uninitialized: install one/;
const etcd = /etcd members are healthy/;

it.each<{ rule: string; machines: MachineState[]; tainted?: true; status: string; says: RegExp[]; not?: RegExp[] }>([
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
])('reports in Available that $rule', ({ machines, tainted, status, says, not = [] }) => {
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

const snapshotIn = (phase: string) =>
  ({ state: 'found', value: [{ kind: 'EtcdSnapshot', metadata: { name: 's' }, status: { phase } }] }) as never;

it.each<{
  rule: string;
  ended: string[];
  reachable: boolean;
  snapshots?: ControlPlane['snapshots'] | undefined;
  says: RegExp;
}>([
  {
    rule: 'names the snapshots of a cluster that has some',
    ended: ['a', 'b'],
    reachable: false,
    snapshots: snapshotIn('Succeeded'),
    says: /Restore a snapshot/,
  },
  {
    rule: 'names the host that has the last copy of the data where no snapshot is complete',
    ended: ['a', 'b'],
    reachable: false,
    snapshots: snapshotIn('Failed'),
    says: /\. No EtcdSnapshot of the cluster is complete; a deleted one can be recovered: capstan snapshot list \S* -n default --deleted\. Else only the disks .* copy one first, as docs\/snapshots\.md says \(\S+ of Machine c\)$/,
  },
  {
    rule: 'names no host where none is left',
    ended: ['a', 'b', 'c'],
    reachable: false,
    snapshots: snapshotIn('Failed'),
    says: /--deleted$/,
  },
  {
    rule: 'names a lost quorum and its remedy',
    ended: ['a', 'b'],
    reachable: false,
    says: /etcd has lost its quorum: the hosts of 2 of 3 members have ended \(Machine a, b\)\. Restore a snapshot.*capstan snapshot restore/,
  },
  { rule: 'names no lost quorum for one of three', ended: ['a'], reachable: false, says: /^(?!.*quorum: )/ },
  {
    rule: 'names no lost quorum while the API server answers',
    ended: ['a', 'b'],
    reachable: true,
    says: /^(?!.*quorum: )/,
  },
])('$rule', ({ ended, reachable, snapshots, says }) => {
  const controlPlane = controlPlaneOf({ machines: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] });
  const v1beta1 = { failureReason: 'UpdateError', failureMessage: 'terminated' };
  for (const { machine } of controlPlane.members)
    if (ended.includes(machine.metadata.name))
      machine.status = {
        ...machine.status,
        deprecated: { v1beta1: { ...machine.status?.deprecated?.v1beta1, ...v1beta1 } },
      };
  controlPlane.workload = { ...controlPlane.workload!, reachable };
  controlPlane.snapshots = snapshots;
  const { message = '' } = availability(controlPlane, { initialized: true, unheeded: [], lastFailure: undefined });
  expect(message).toMatch(says);
});

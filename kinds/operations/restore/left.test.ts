import { expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Machine } from '../../core/machine/index.ts';
import type { ClusterOperation } from '../cluster-operation/schema.ts';
import { leftByRestore } from './left.ts';

const machine = {
  metadata: { name: 'new', annotations: { 'capstan.dev/restored-by': 'r' } },
} as unknown as Machine;
const old = { metadata: { name: 'old' } } as Machine;
const operation = (steps: Record<string, string>, before?: string, disks?: string[]) =>
  ({
    metadata: { name: 'c-restore-1', namespace: 'default', uid: 'r' },
    spec: { type: 'restore', snapshot: 's' },
    status: {
      before,
      disks,
      disksUntil: 'then',
      steps: Object.entries(steps).map(([name, verdict]) => ({ name, verdict })),
    },
  }) as unknown as ClusterOperation;
const cluster = { metadata: { name: 'c' } } as KubeObject;
const stopping = { Preflight: 'Succeeded', StopMembers: 'Running' };
const starting = { ...stopping, StopMembers: 'Succeeded', RestoreFirst: 'Running' };

it.each([
  { rule: 'nothing before it stops a Machine', of: operation({ Preflight: 'Running' }), says: [] },
  {
    rule: 'that only a restore starts the control plane again',
    of: operation(stopping, 'b'),
    says: [
      /^The control-plane Machines of before are deleted/,
      /without an API .*restore s -n default$/,
      /restore b -n default$/,
    ],
  },
  {
    rule: 'the first Machine',
    of: operation(starting),
    machines: [old, machine],
    says: [/are deleted/, /^Machine new stays: once it serves/, /was not saved/],
  },
  {
    rule: 'the disks that were copied',
    of: operation(starting, undefined, ['EBS snapshot snap-1']),
    machines: [old, machine],
    says: [
      /are deleted/,
      /^Machine new stays/,
      /is on copies of disks that are kept until then: EBS snapshot snap-1; docs/,
    ],
  },
  {
    rule: 'what joins no more',
    of: operation({ ...starting, RestoreFirst: 'Succeeded' }),
    machines: [machine],
    says: [/are deleted/, /^etcd serves the snapshot/, /was not saved/],
  },
])('a cancelled restore leaves $rule', ({ of, machines = [old], says }) =>
  expect(leftByRestore(of, cluster, machines)).toEqual(says.map((one) => expect.stringMatching(one))));

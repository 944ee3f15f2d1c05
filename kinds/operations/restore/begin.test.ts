import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { ObjectTargets } from '../../core/contract/object-targets.ts';
import type { Observed } from '../starter/observe.ts';
import { restoreBegins } from './begin.ts';

interface Given {
  /** Phase of each operation by name; a hyphen for one that has not begun. */
  operations: Record<string, string>;
  named?: string;
  targets?: ObjectTargets;
}

const restoring = { target: 'Restore' as const };
const typeOf = (name: string) => (name.includes('restore') ? 'restore' : 'upgrade');

const observedOf = ({ operations, named, targets }: Given): Observed => {
  const cluster: KubeObject = {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: {
      namespace: 'default',
      name: 'c',
      uid: 'c',
      annotations: {
        ...(named && { 'capstan.dev/operation': named }),
        ...(targets && { 'capstan.dev/object-targets': JSON.stringify(targets) }),
      },
    },
  };
  return {
    cluster,
    operations: Object.entries(operations).map(([name, phase]) => ({
      apiVersion: 'capstan.dev/v1alpha1',
      kind: 'ClusterOperation',
      metadata: {
        namespace: 'default',
        name,
        ownerReferences: [{ apiVersion: '', kind: 'Cluster', name: 'c', uid: 'c' }],
      },
      spec: { clusterName: 'c', type: typeOf(name), attempt: Number(name.split('-').at(-1)), fingerprint: '' },
      status: phase === '-' ? {} : { phase, execution: name },
    })),
  } as unknown as Observed;
};

describe('a restore', () => {
  it.each<{ rule: string; state: Given; is: ReturnType<typeof restoreBegins.begin> }>([
    {
      rule: 'that no user asks for changes nothing',
      state: { operations: { 'c-upgrade-1': 'Succeeded' } },
      is: undefined,
    },
    {
      rule: 'is named',
      state: { operations: { 'c-upgrade-1': 'Succeeded', 'c-restore-1': '-' }, named: 'c-upgrade-1' },
      is: { intent: { metadata: { annotations: { 'capstan.dev/operation': 'c-restore-1' } } } },
    },
    {
      rule: 'takes the place of a held operation',
      state: { operations: { 'c-upgrade-1': 'Held', 'c-restore-1': '-' }, named: 'c-upgrade-1' },
      is: { intent: { metadata: { annotations: { 'capstan.dev/operation': 'c-restore-1' } } } },
    },
    {
      rule: 'takes the place of a held restore',
      state: { operations: { 'c-restore-1': 'Held', 'c-restore-2': '-' }, named: 'c-restore-1' },
      is: { intent: { metadata: { annotations: { 'capstan.dev/operation': 'c-restore-2' } } } },
    },
    {
      rule: 'waits for an operation that runs',
      state: { operations: { 'c-upgrade-1': 'Running', 'c-restore-1': '-' }, named: 'c-upgrade-1' },
      is: {},
    },
    {
      rule: 'lets no other operation begin while it runs',
      state: { operations: { 'c-restore-1': 'Running' }, named: 'c-restore-1' },
      is: {},
    },
    {
      rule: 'lets no other operation begin while it is held',
      state: { operations: { 'c-restore-1': 'Held' }, named: 'c-restore-1' },
      is: {},
    },
    {
      rule: 'that succeeded without a record leaves nothing behind',
      state: {
        operations: { 'c-restore-1': 'Succeeded' },
        named: 'c-restore-1',
        targets: { 'KubeadmControlPlane/c': restoring, 'MachineDeployment/w': { target: 'RollBack', revision: 'a' } },
      },
      is: {
        intent: {
          metadata: {
            annotations: {
              'capstan.dev/object-targets': JSON.stringify({
                'MachineDeployment/w': { target: 'RollBack', revision: 'a' },
              }),
            },
          },
        },
      },
    },
    {
      rule: 'that succeeded gives way',
      state: { operations: { 'c-restore-1': 'Succeeded' }, named: 'c-restore-1' },
      is: undefined,
    },
    {
      rule: 'that was refused gives way',
      state: { operations: { 'c-restore-1': 'RolledBack' }, named: 'c-restore-1' },
      is: undefined,
    },
    {
      rule: 'that was removed half-way keeps other operations away',
      state: {
        operations: { 'c-restore-1': 'Cancelled' },
        named: 'c-restore-1',
        targets: { 'KubeadmControlPlane/c': restoring },
      },
      is: {},
    },
    {
      rule: 'that was superseded once it served, by one that was refused, leaves nothing behind',
      state: {
        operations: { 'c-restore-1': 'Cancelled', 'c-restore-2': 'RolledBack' },
        named: 'c-restore-2',
        targets: { 'KubeadmControlPlane/c': { ...restoring, restore: { step: 'Join' } as never } },
      },
      is: { intent: { metadata: { annotations: { 'capstan.dev/object-targets': null } } } },
    },
  ])('$rule', ({ state, is }) => expect(restoreBegins.begin(observedOf(state), 0)).toEqual(is));
});

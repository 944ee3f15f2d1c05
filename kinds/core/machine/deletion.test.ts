import { describe, expect, it } from 'vitest';
import type { KubeObject, ObjectMeta } from '../../../machinery/api/object.ts';
import type { Read } from '../../../machinery/api/reconcile.ts';
import type { WorkloadSnapshot } from '../../ports/workload.ts';
import {
  afterNode,
  type DeletionFacts,
  isDrainDue,
  isNodeDeletionAllowed,
  isNodeDeletionOver,
  isVolumeWaitDue,
  nodeNameOf,
  stepOf,
} from './deletion.ts';
import type { Machine } from './schema.ts';

const now = Date.parse('2026-01-01T01:00:00Z');
const ago = (seconds: number) => new Date(now - seconds * 1000).toISOString();
const found = <T>(value: T): Read<T> => ({ state: 'found', value });
const absent = { state: 'absent' } as const;
const unreadable = { state: 'unreadable', reason: 'no answer' } as const;
const going = { deletionTimestamp: ago(1) };

const object = (kind: string, metadata: Partial<ObjectMeta> = {}, status: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'a', namespace: 'default', ...metadata },
  status,
});
const machine = (more: Partial<Machine> = {}, metadata: Partial<ObjectMeta> = {}): Machine => ({
  ...(object('Machine', { ...going, ...metadata }) as Machine),
  spec: { clusterName: 'c' } as Machine['spec'],
  status: { nodeRef: { name: 'node-a' } } as Machine['status'],
  ...more,
});
const master = (metadata: Partial<ObjectMeta> = {}) =>
  object('Machine', { labels: { 'cluster.x-k8s.io/control-plane': '' }, ...metadata }) as Machine;

const facts = (more: Partial<DeletionFacts> = {}): DeletionFacts => ({
  machine: machine(),
  cluster: found(object('Cluster')) as DeletionFacts['cluster'],
  controlPlane: found(object('KubeadmControlPlane')),
  machines: found([master()]),
  infraMachine: found(object('AWSMachine')),
  bootstrapConfig: found(object('KubeadmConfig')),
  snapshot: undefined,
  isTornDown: false,
  now,
  ...more,
});

describe('the Node of a deleted machine', () => {
  const snapshot = { nodes: [{ name: 'seen', providerID: 'aws:///z/i-1' }] } as unknown as WorkloadSnapshot;
  const identified = object('AWSMachine', {}, {});
  const host = { ...identified, spec: { providerID: 'aws:///z/i-1' } };
  const nameless = machine({ status: {} });
  it.each<{ rule: string; of: Partial<DeletionFacts>; is: string | undefined }>([
    { rule: 'is the one in nodeRef', of: { snapshot }, is: 'node-a' },
    {
      rule: 'is the one with its provider ID',
      of: { machine: machine({ status: {}, spec: { providerID: 'aws:///z/i-1' } as Machine['spec'] }), snapshot },
      is: 'seen',
    },
    {
      rule: 'is the one with the provider ID of its host',
      of: { machine: nameless, infraMachine: found(host), snapshot },
      is: 'seen',
    },
    {
      rule: 'is unknown when the host is unreadable',
      of: { machine: nameless, infraMachine: unreadable, snapshot },
      is: undefined,
    },
    {
      rule: 'is unknown without a provider ID',
      of: { machine: nameless, infraMachine: found(identified), snapshot },
      is: undefined,
    },
    { rule: 'is unknown without a snapshot', of: { machine: nameless, infraMachine: found(host) }, is: undefined },
  ])('$rule', ({ of, is }) => expect(nodeNameOf(facts(of))).toBe(is));
});

describe('the Node is drained and deleted', () => {
  const external = object('AWSManagedControlPlane', {}, { externalManagedControlPlane: true });
  it.each<{ rule: string; of: Partial<DeletionFacts>; is: boolean | undefined }>([
    { rule: 'when the control plane remains', of: {}, is: true },
    { rule: 'not when the Cluster is gone', of: { cluster: absent }, is: false },
    { rule: 'unknown if the Cluster is unreadable', of: { cluster: unreadable }, is: undefined },
    {
      rule: 'not when the Cluster is in deletion',
      of: { cluster: found(object('Cluster', going)) as DeletionFacts['cluster'] },
      is: false,
    },
    { rule: 'not without a Node', of: { machine: machine({ status: {} }) }, is: false },
    {
      rule: 'not when the control plane is in deletion',
      of: { controlPlane: found(object('KubeadmControlPlane', going)) },
      is: false,
    },
    { rule: 'unknown if the control plane is unreadable', of: { controlPlane: unreadable }, is: undefined },
    {
      rule: 'if the control plane is externally managed',
      of: { controlPlane: found(external), machines: found([]) },
      is: true,
    },
    { rule: 'not without a control plane', of: { controlPlane: undefined, machines: found([]) }, is: false },
    { rule: 'when the control plane object is gone and its machines remain', of: { controlPlane: absent }, is: true },
    { rule: 'unknown if the Machines are unreadable', of: { machines: unreadable }, is: undefined },
    {
      rule: 'not when the last control plane machine is in deletion',
      of: { machines: found([master(going)]) },
      is: false,
    },
    { rule: 'not when only workers remain', of: { machines: found([object('Machine') as Machine]) }, is: false },
  ])('$rule', ({ of, is }) => expect(isNodeDeletionAllowed(facts(of))).toBe(is));
});

describe.each([
  {
    what: 'a drain',
    isDue: isDrainDue,
    exclude: 'machine.cluster.x-k8s.io/exclude-node-draining',
    limit: 'nodeDrainTimeoutSeconds',
    since: 'nodeDrainStartTime',
  },
  {
    what: 'a wait for volumes',
    isDue: isVolumeWaitDue,
    exclude: 'machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach',
    limit: 'nodeVolumeDetachTimeoutSeconds',
    since: 'waitForNodeVolumeDetachStartTime',
  },
])('$what', ({ isDue, exclude, limit, since }) => {
  const lasting = (seconds: number | undefined, begun: number | undefined) =>
    machine({
      spec: { deletion: { ...(seconds !== undefined && { [limit]: seconds }) } } as Machine['spec'],
      status: { deletion: { ...(begun !== undefined && { [since]: ago(begun) }) } } as Machine['status'],
    });
  it.each<{ rule: string; of: Partial<DeletionFacts>; is: boolean }>([
    { rule: 'is due', of: {}, is: true },
    {
      rule: 'is not due if an annotation excludes it',
      of: { machine: machine({}, { annotations: { [exclude]: '' } }) },
      is: false,
    },
    {
      rule: 'is due with unrelated annotations',
      of: { machine: machine({}, { annotations: { other: '' } }) },
      is: true,
    },
    { rule: 'is not due without a host', of: { infraMachine: absent }, is: false },
    {
      rule: 'is not due while the host is in deletion',
      of: { infraMachine: found(object('AWSMachine', going)) },
      is: false,
    },
    { rule: 'is due while the host is unreadable', of: { infraMachine: unreadable }, is: true },
    {
      rule: 'is not due when a later step has begun',
      of: {
        machine: machine({ status: { deletion: { waitForPreTerminateHookStartTime: ago(1) } } as Machine['status'] }),
      },
      is: false,
    },
    { rule: 'is due before its timeout', of: { machine: lasting(60, 59) }, is: true },
    { rule: 'is not due after its timeout', of: { machine: lasting(60, 60) }, is: false },
    { rule: 'has no timeout with 0', of: { machine: lasting(0, 9e6) }, is: true },
    { rule: 'has no timeout when none is set', of: { machine: lasting(undefined, 9e6) }, is: true },
    { rule: 'is due before it has begun', of: { machine: lasting(60, undefined) }, is: true },
  ])('$rule', ({ of, is }) => expect(isDue(facts(of))).toBe(is));
});

describe('the deletion of a Node', () => {
  const since = (seconds: number, limit?: number) =>
    machine(
      { spec: { deletion: { nodeDeletionTimeoutSeconds: limit } } as Machine['spec'] },
      { deletionTimestamp: ago(seconds) },
    );
  it.each([
    { rule: 'is retried before its timeout', of: since(9, 10), is: false },
    { rule: 'is abandoned after its timeout', of: since(10, 10), is: true },
    { rule: 'has no timeout with 0', of: since(9e6, 0), is: false },
    { rule: 'has no timeout when none is set', of: since(9e6), is: false },
  ])('$rule', ({ of, is }) => expect(isNodeDeletionOver(facts({ machine: of }))).toBe(is));
});

describe('the deletion steps', () => {
  const drainHook = 'pre-drain.delete.hook.machine.cluster.x-k8s.io/mine';
  const endHook = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/mine';
  const etcdHook = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/kcp-cleanup';
  const hooked = (...hooks: string[]) =>
    machine({}, { annotations: Object.fromEntries(hooks.map((hook) => [hook, ''])) });
  const done = { infraMachine: absent, bootstrapConfig: absent };
  const unowned = { ...hooked(etcdHook), status: {} };
  const leftBehind = { cluster: found(object('Cluster', going)) as DeletionFacts['cluster'], controlPlane: absent };
  it.each<{ rule: string; of: Partial<DeletionFacts>; is: object | undefined }>([
    {
      rule: 'begin with pre-drain hooks, in order',
      of: { machine: hooked(`${drainHook}-2`, drainHook, endHook) },
      is: { at: 'pre-drain', hooks: [drainHook, `${drainHook}-2`] },
    },
    { rule: 'continue with the Node', of: {}, is: { at: 'node', node: 'node-a' } },
    {
      rule: 'skip pre-drain hooks where nothing is drained',
      of: { machine: { ...hooked(drainHook), status: {} } },
      is: { at: 'infrastructure' },
    },
    {
      rule: 'wait for pre-drain hooks in a teardown',
      of: { machine: hooked(drainHook), isTornDown: true },
      is: { at: 'pre-drain', hooks: [drainHook] },
    },
    { rule: 'drain nothing in a teardown', of: { isTornDown: true }, is: { at: 'infrastructure' } },
    { rule: 'are unknown while it is unknown which machines remain', of: { machines: unreadable }, is: undefined },
    {
      rule: 'wait for volumes although the drain is excluded',
      of: { machine: hooked('machine.cluster.x-k8s.io/exclude-node-draining') },
      is: { at: 'node', node: 'node-a' },
    },
    {
      rule: 'drain although the wait for volumes is excluded',
      of: { machine: hooked('machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach') },
      is: { at: 'node', node: 'node-a' },
    },
    {
      rule: 'skip a Node without a drain or a wait',
      of: {
        machine: hooked(
          'machine.cluster.x-k8s.io/exclude-node-draining',
          'machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach',
        ),
      },
      is: { at: 'infrastructure' },
    },
    { rule: 'wait for the etcd hook', of: { machine: unowned }, is: { at: 'pre-terminate', hooks: [etcdHook] } },
    {
      rule: 'ignore the etcd hook in a teardown',
      of: { machine: unowned, isTornDown: true },
      is: { at: 'infrastructure' },
    },
    {
      rule: 'ignore the etcd hook when the Cluster is gone',
      of: { machine: unowned, cluster: absent },
      is: { at: 'infrastructure' },
    },
    {
      rule: 'ignore the etcd hook when the control plane left the machine behind',
      of: { machine: unowned, ...leftBehind },
      is: { at: 'infrastructure' },
    },
    {
      rule: 'wait for the etcd hook if the machine has a controller',
      of: {
        ...leftBehind,
        machine: {
          ...unowned,
          metadata: {
            ...unowned.metadata,
            ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'x', controller: true }],
          },
        },
      },
      is: { at: 'pre-terminate', hooks: [etcdHook] },
    },
    {
      rule: 'wait for the etcd hook where the Cluster remains',
      of: { machine: unowned, controlPlane: absent },
      is: { at: 'pre-terminate', hooks: [etcdHook] },
    },
    {
      rule: 'wait for other hooks in a teardown',
      of: { machine: hooked(endHook), isTornDown: true },
      is: { at: 'pre-terminate', hooks: [endHook] },
    },
    { rule: 'end with the Node', of: done, is: { at: 'end', node: 'node-a' } },
  ])('$rule', ({ of, is }) => expect(stepOf(facts(of))).toEqual(is));

  const host = (type: string) =>
    machine({
      status: {
        addresses: [
          { type: 'ExternalIP', address: '192.0.2.1' },
          { type, address: 'ip-10-0-0-1' },
        ],
      } as Machine['status'],
    });
  it.each<{ rule: string; of: Partial<DeletionFacts>; is: object }>([
    { rule: 'wait for the host', of: { infraMachine: found(object('AWSMachine')) }, is: { at: 'infrastructure' } },
    { rule: 'wait for an unreadable host', of: { infraMachine: unreadable }, is: { at: 'infrastructure' } },
    { rule: 'wait for the bootstrap config', of: { infraMachine: absent }, is: { at: 'bootstrap' } },
    {
      rule: 'do not wait for a config that never existed',
      of: { ...done, bootstrapConfig: undefined },
      is: { at: 'end', node: undefined },
    },
    {
      rule: 'end with a Node that no probe has seen',
      of: { ...done, machine: host('InternalDNS') },
      is: { at: 'end', node: 'ip-10-0-0-1' },
    },
    {
      rule: 'end without a Node at another address',
      of: { ...done, machine: host('InternalIP') },
      is: { at: 'end', node: undefined },
    },
    {
      rule: 'end without a Node in a teardown',
      of: { ...done, machine: host('InternalDNS'), isTornDown: true },
      is: { at: 'end', node: undefined },
    },
    {
      rule: 'end without a Node when the Cluster is gone',
      of: { ...done, machine: host('InternalDNS'), cluster: absent },
      is: { at: 'end', node: undefined },
    },
  ])('after that $rule', ({ of, is }) => expect(afterNode(facts(of), undefined)).toEqual(is));
});

describe('a Machine that its remediation preserves', () => {
  const remediated = (reason: string) => [{ type: 'OwnerRemediated', status: 'False', reason }];
  const preserved = (annotation: string, metadata: Partial<ObjectMeta> = {}, reason = 'MachineDeleting') =>
    machine(
      { status: { conditions: remediated(reason) } as Machine['status'] },
      {
        annotations: { 'capstan.dev/preserve': annotation },
        ...metadata,
      },
    );
  const until = (seconds: number) => ({ at: 'preserved', until: now - 1000 + seconds * 1000 });
  it.each<{ rule: string; of: Partial<DeletionFacts>; step: object }>([
    {
      rule: 'keeps its host for the time, even before its MachineSet lets go of it',
      of: { machine: preserved('1h') },
      step: until(3600),
    },
    { rule: 'keeps its host no longer', of: { machine: preserved('1s') }, step: { at: 'infrastructure' } },
    {
      rule: 'is deleted at once by a user',
      of: { machine: preserved('1h', {}, 'WaitingForRemediation') },
      step: { at: 'infrastructure' },
    },
    {
      rule: 'goes with its cluster',
      of: { machine: preserved('1h'), cluster: found(object('Cluster', going)) as DeletionFacts['cluster'] },
      step: { at: 'infrastructure' },
    },
    {
      rule: 'goes with a torn down cluster',
      of: { machine: preserved('1h'), isTornDown: true },
      step: { at: 'infrastructure' },
    },
    {
      rule: 'does not wait for a host that is already going',
      of: { machine: preserved('1h'), infraMachine: found(object('AWSMachine', going)) },
      step: { at: 'infrastructure' },
    },
    {
      rule: 'is no control plane Machine, whatever its template says',
      of: { machine: preserved('1h', { labels: { 'cluster.x-k8s.io/control-plane': '' } }) },
      step: { at: 'infrastructure' },
    },
  ])('$rule', ({ of, step }) => expect(afterNode(facts(of), undefined)).toEqual(step));
});

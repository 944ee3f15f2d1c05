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

describe('the Node of a machine that goes', () => {
  const snapshot = { nodes: [{ name: 'seen', providerID: 'aws:///z/i-1' }] } as unknown as WorkloadSnapshot;
  const identified = object('AWSMachine', {}, {});
  const host = { ...identified, spec: { providerID: 'aws:///z/i-1' } };
  const nameless = machine({ status: {} });
  it.each<{ rule: string; of: Partial<DeletionFacts>; is: string | undefined }>([
    { rule: 'is the one that is noted', of: { snapshot }, is: 'node-a' },
    {
      rule: 'is the one with its identity',
      of: { machine: machine({ status: {}, spec: { providerID: 'aws:///z/i-1' } as Machine['spec'] }), snapshot },
      is: 'seen',
    },
    {
      rule: 'is the one with the identity of its host',
      of: { machine: nameless, infraMachine: found(host), snapshot },
      is: 'seen',
    },
    {
      rule: 'is not known by a host that cannot be read',
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

describe('a Node is drained and deleted', () => {
  const external = object('AWSManagedControlPlane', {}, { externalManagedControlPlane: true });
  it.each<{ rule: string; of: Partial<DeletionFacts>; is: boolean | undefined }>([
    { rule: 'in a cluster whose control plane stays', of: {}, is: true },
    { rule: 'not in one that is gone', of: { cluster: absent }, is: false },
    { rule: 'is unknown if the Cluster is unreadable', of: { cluster: unreadable }, is: undefined },
    {
      rule: 'not in one that goes',
      of: { cluster: found(object('Cluster', going)) as DeletionFacts['cluster'] },
      is: false,
    },
    { rule: 'not when there is none', of: { machine: machine({ status: {} }) }, is: false },
    {
      rule: 'not when the control plane goes',
      of: { controlPlane: found(object('KubeadmControlPlane', going)) },
      is: false,
    },
    { rule: 'is unknown if the control plane is unreadable', of: { controlPlane: unreadable }, is: undefined },
    {
      rule: 'if the control plane is externally managed',
      of: { controlPlane: found(external), machines: found([]) },
      is: true,
    },
    { rule: 'not without a control plane', of: { controlPlane: undefined, machines: found([]) }, is: false },
    { rule: 'where it is gone, and its machines stay', of: { controlPlane: absent }, is: true },
    { rule: 'is unknown if the Machines are unreadable', of: { machines: unreadable }, is: undefined },
    {
      rule: 'not when the last machine of the control plane goes',
      of: { machines: found([master(going)]) },
      is: false,
    },
    { rule: 'not for the sake of workers', of: { machines: found([object('Machine') as Machine]) }, is: false },
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
    { rule: 'is due whatever else is noted', of: { machine: machine({}, { annotations: { other: '' } }) }, is: true },
    { rule: 'is not due without a host', of: { infraMachine: absent }, is: false },
    { rule: 'is not due while the host goes', of: { infraMachine: found(object('AWSMachine', going)) }, is: false },
    { rule: 'is due while the host is unreadable', of: { infraMachine: unreadable }, is: true },
    {
      rule: 'is not due when what comes after it has begun',
      of: {
        machine: machine({ status: { deletion: { waitForPreTerminateHookStartTime: ago(1) } } as Machine['status'] }),
      },
      is: false,
    },
    { rule: 'is due before its time is over', of: { machine: lasting(60, 59) }, is: true },
    { rule: 'is not due when its time is over', of: { machine: lasting(60, 60) }, is: false },
    { rule: 'is due for ever where 0 is said', of: { machine: lasting(0, 9e6) }, is: true },
    { rule: 'is due for ever where nothing is said', of: { machine: lasting(undefined, 9e6) }, is: true },
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
    { rule: 'goes on before its time is over', of: since(9, 10), is: false },
    { rule: 'is over then', of: since(10, 10), is: true },
    { rule: 'goes on for ever where 0 is said', of: since(9e6, 0), is: false },
    { rule: 'and where nothing is said', of: since(9e6), is: false },
  ])('$rule', ({ of, is }) => expect(isNodeDeletionOver(facts({ machine: of }))).toBe(is));
});

describe('the steps', () => {
  const drainHook = 'pre-drain.delete.hook.machine.cluster.x-k8s.io/mine';
  const endHook = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/mine';
  const etcdHook = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/kcp-cleanup';
  const hooked = (...hooks: string[]) =>
    machine({}, { annotations: Object.fromEntries(hooks.map((hook) => [hook, ''])) });
  const done = { infraMachine: absent, bootstrapConfig: absent };
  const alone = { ...hooked(etcdHook), status: {} };
  const leftBehind = { cluster: found(object('Cluster', going)) as DeletionFacts['cluster'], controlPlane: absent };
  it.each<{ rule: string; of: Partial<DeletionFacts>; is: object | undefined }>([
    {
      rule: 'begin with hooks, in order',
      of: { machine: hooked(`${drainHook}-2`, drainHook, endHook) },
      is: { at: 'pre-drain', hooks: [drainHook, `${drainHook}-2`] },
    },
    { rule: 'go on with the Node', of: {}, is: { at: 'node', node: 'node-a' } },
    {
      rule: 'wait for nothing before a drain where nothing is drained',
      of: { machine: { ...hooked(drainHook), status: {} } },
      is: { at: 'infrastructure' },
    },
    {
      rule: 'wait for those hooks in a teardown all the same',
      of: { machine: hooked(drainHook), isTornDown: true },
      is: { at: 'pre-drain', hooks: [drainHook] },
    },
    { rule: 'drain nothing in a teardown', of: { isTornDown: true }, is: { at: 'infrastructure' } },
    { rule: 'are not known while it is not known what stays', of: { machines: unreadable }, is: undefined },
    {
      rule: 'wait for volumes although nothing is drained',
      of: { machine: hooked('machine.cluster.x-k8s.io/exclude-node-draining') },
      is: { at: 'node', node: 'node-a' },
    },
    {
      rule: 'drain although volumes are not waited for',
      of: { machine: hooked('machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach') },
      is: { at: 'node', node: 'node-a' },
    },
    {
      rule: 'leave a Node that is neither drained nor waited for',
      of: {
        machine: hooked(
          'machine.cluster.x-k8s.io/exclude-node-draining',
          'machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach',
        ),
      },
      is: { at: 'infrastructure' },
    },
    { rule: 'care for etcd', of: { machine: alone }, is: { at: 'pre-terminate', hooks: [etcdHook] } },
    { rule: 'not in a teardown', of: { machine: alone, isTornDown: true }, is: { at: 'infrastructure' } },
    { rule: 'nor in a cluster that is gone', of: { machine: alone, cluster: absent }, is: { at: 'infrastructure' } },
    {
      rule: 'nor where the control plane left it behind',
      of: { machine: alone, ...leftBehind },
      is: { at: 'infrastructure' },
    },
    {
      rule: 'but if it has a controller',
      of: {
        ...leftBehind,
        machine: {
          ...alone,
          metadata: {
            ...alone.metadata,
            ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'x', controller: true }],
          },
        },
      },
      is: { at: 'pre-terminate', hooks: [etcdHook] },
    },
    {
      rule: 'and where the cluster stays',
      of: { machine: alone, controlPlane: absent },
      is: { at: 'pre-terminate', hooks: [etcdHook] },
    },
    {
      rule: 'wait for what others have to do in a teardown, too',
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
    { rule: 'wait for one that cannot be read', of: { infraMachine: unreadable }, is: { at: 'infrastructure' } },
    { rule: 'wait for what it boots with', of: { infraMachine: absent }, is: { at: 'bootstrap' } },
    {
      rule: 'wait for no config that never was',
      of: { ...done, bootstrapConfig: undefined },
      is: { at: 'end', node: undefined },
    },
    {
      rule: 'end with a Node that no probe has seen',
      of: { ...done, machine: host('InternalDNS') },
      is: { at: 'end', node: 'ip-10-0-0-1' },
    },
    {
      rule: 'end with none by another address',
      of: { ...done, machine: host('InternalIP') },
      is: { at: 'end', node: undefined },
    },
    {
      rule: 'end with none in a teardown',
      of: { ...done, machine: host('InternalDNS'), isTornDown: true },
      is: { at: 'end', node: undefined },
    },
    {
      rule: 'end with none in a cluster that is gone',
      of: { ...done, machine: host('InternalDNS'), cluster: absent },
      is: { at: 'end', node: undefined },
    },
  ])('after that $rule', ({ of, is }) => expect(afterNode(facts(of), undefined)).toEqual(is));
});

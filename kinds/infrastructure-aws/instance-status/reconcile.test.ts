import { expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Action, type Context, type Read, typedReader } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { digestOf } from '../../core/machine/digest.ts';
import type { Machine } from '../../core/machine/index.ts';
import type { InstanceStatus } from '../../ports/cloud/index.ts';
import { apiVersionFor, referenceTo } from '../../references.fixture.ts';
import { observe } from './observe.ts';
import { period, reconcile } from './reconcile.ts';

const cluster = {
  kind: 'Cluster',
  metadata: { namespace: 'default', name: 'demo', uid: 'c' },
  spec: { infrastructureRef: referenceTo('AWSCluster', 'demo') },
} as unknown as Cluster;
const check = { kind: 'MachineHealthCheck', metadata: { name: 'check' } };
const failed = {
  type: 'HostHealthy',
  status: 'False',
  reason: 'SystemStatusCheckFailed',
  message: 'EC2 reports a failed system status check of instance i-a',
};
const nodeReady = { type: 'NodeReady', status: 'True', reason: 'NodeReady' };
const machine = (name: string, ...conditions: object[]) =>
  ({
    kind: 'Machine',
    metadata: { name, namespace: 'default', uid: name, resourceVersion: '1' },
    spec: { clusterName: 'demo', infrastructureRef: referenceTo('AWSMachine', `host-${name}`) },
    status: { nodeRef: { name }, conditions: [nodeReady, ...conditions] },
  }) as unknown as Machine;
const host = (name: string, ready = true) => ({
  apiVersion: apiVersionFor('AWSMachine'),
  kind: 'AWSMachine',
  metadata: { name: `host-${name}` },
  spec: { instanceID: `i-${name}` },
  status: { ready },
});
const status = (name: string, system = 'ok'): InstanceStatus => ({
  InstanceId: `i-${name}`,
  InstanceState: { Name: 'running' },
  SystemStatus: { Status: system },
  InstanceStatus: { Status: 'ok' },
  Events: [],
});
const answers = (...InstanceStatuses: InstanceStatus[]): Read<unknown> => ({
  state: 'found',
  value: { InstanceStatuses },
});

interface Given {
  checks?: object[];
  machines: Machine[];
  hosts?: object[];
  answer?: Read<unknown>;
  of?: Cluster;
  context?: Partial<Context>;
}
const decide = ({ checks = [check], machines, hosts, answer = answers(), of = cluster, context }: Given) => {
  const lists: string[] = [];
  const asked: string[][] = [];
  const values: Record<string, object[]> = {
    MachineHealthCheck: checks,
    Machine: machines,
    AWSMachine: hosts ?? machines.map(({ metadata }) => host(metadata.name)),
  };
  const reader = typedReader({
    get: () => ({ state: 'found', value: { spec: { region: 'eu-west-1' } } as unknown as KubeObject }),
    list: (kind) => {
      lists.push(kind as string);
      return { state: 'found', value: values[kind as string] as KubeObject[] };
    },
    tombstone: () => ({ state: 'absent' }),
    facts: () => ({ state: 'found', value: machines.map(digestOf) as never }),
    ask: (_port, _operation, { input }: never) => {
      asked.push((input as { InstanceIds: string[] }).InstanceIds);
      return answer as never;
    },
  });
  const given = { config: { speed: 1 }, ...context } as Context;
  return { plan: reconcile(observe(of, reader, given), given), lists, asked };
};
const summaryOf = (action: Action): string => {
  const { name, patch } = action as Extract<Action, { do: 'patch' }>;
  const { conditions } = patch.status as { conditions: { type: string; status: string }[] };
  return `${name}: ${conditions.map(({ type, status: is }) => `${type}=${is}`).join(' ')}`;
};

it.each<{ rule: string; given: Given; actions?: string[]; events?: string[]; isIdle?: true }>([
  {
    rule: 'asks nothing about a cluster without a MachineHealthCheck',
    given: { checks: [], machines: [machine('a')] },
    isIdle: true,
  },
  { rule: 'writes nothing about healthy instances', given: { machines: [machine('a')], answer: answers(status('a')) } },
  {
    rule: 'reports a failed status check on the Machine of the instance',
    given: { machines: [machine('a'), machine('b')], answer: answers(status('a', 'impaired'), status('b')) },
    actions: ['a: NodeReady=True HostHealthy=False'],
    events: ['SystemStatusCheckFailed'],
  },
  {
    rule: 'reports a failed status check once',
    given: { machines: [machine('a', failed)], answer: answers(status('a', 'impaired')) },
  },
  {
    rule: 'removes the report of an instance that recovered',
    given: { machines: [machine('a', failed)], answer: answers(status('a')) },
    actions: ['a: NodeReady=True'],
  },
  {
    rule: 'keeps the report of an instance that EC2 says nothing about',
    given: { machines: [machine('a', failed)], hosts: [host('a', false)] },
  },
  {
    rule: 'removes all reports with the last MachineHealthCheck',
    given: { checks: [], machines: [machine('a', failed)], answer: answers(status('a', 'impaired')) },
    actions: ['a: NodeReady=True'],
    isIdle: true,
  },
  {
    rule: 'leaves the retry of a failed read to the loop',
    given: { machines: [machine('a', failed)], answer: { state: 'unreadable', reason: 'throttled' } },
    isIdle: true,
  },
  {
    rule: 'does nothing while its cluster is torn down',
    given: { machines: [machine('a')], context: { withheld: { releases: true, reason: 'TornDown', message: '' } } },
    isIdle: true,
  },
  {
    rule: 'ignores clusters of other providers',
    given: { machines: [machine('a')], of: { ...cluster, spec: {} } as Cluster },
    isIdle: true,
  },
])('$rule', ({ given, actions = [], events = [], isIdle }) => {
  const { plan } = decide(given);
  expect((plan.actions ?? []).map(summaryOf)).toEqual(actions);
  expect((plan.events ?? []).map(({ reason }) => reason)).toEqual(events);
  expect(plan.requeueAfter).toBe(isIdle ? undefined : period);
});

it('asks once for a hundred running instances, and reads no Machine while all are healthy', () => {
  const machines = Array.from({ length: 101 }, (_, n) => machine(String(1000 + n)));
  const { asked, lists } = decide({
    machines,
    hosts: [...machines.map(({ metadata }) => host(metadata.name)), host('z', false)],
  });
  expect(asked.map((ids) => ids.length)).toEqual([100, 1]);
  expect(lists).not.toContain('Machine');
});

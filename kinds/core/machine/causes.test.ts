import { expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { causesOf, graphOf } from '../../common/causes/index.ts';
import { etcdCleanupHook, hooks } from '../contract/hooks.ts';
import { machineCauses } from './causes.ts';

const cluster: KubeObject = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { name: 'demo', namespace: 'team' },
};
const theirs = `${hooks.preTerminate}/backup`;
const waitingFor = (...annotations: string[]): KubeObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Machine',
  metadata: {
    name: 'one',
    namespace: 'team',
    deletionTimestamp: '2026-01-01T00:00:00Z',
    annotations: Object.fromEntries(annotations.map((annotation) => [annotation, ''])),
  },
  spec: { clusterName: 'demo' },
  status: {
    conditions: [{ type: 'Deleting', status: 'True', reason: 'WaitingForPreTerminateHook', message: 'Waiting' }],
  },
});

it.each([
  {
    rule: 'of the control plane is not for the user to remove',
    hook: etcdCleanupHook,
    next: 'The control plane lets the Machine go as soon as etcd does not need it',
    commands: [],
  },
  {
    rule: 'of another program may have to be removed by the user',
    hook: theirs,
    next: 'The deletion goes on as soon as the program that set the hook removes it',
    commands: [`kubectl annotate machine one -n team ${theirs}-`],
  },
])('a hook $rule', ({ hook, next, commands }) => {
  const machine = waitingFor(hook);
  const [cause] = causesOf(machine, graphOf({ objects: [cluster, machine], rules: [machineCauses] }));
  expect(cause).toMatchObject({ next, commands });
  expect(cause?.advice !== undefined).toBe(commands.length > 0);
});

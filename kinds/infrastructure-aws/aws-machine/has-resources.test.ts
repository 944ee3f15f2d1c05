import { expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { hasResources } from './has-resources.ts';

const machine = (metadata: object, spec: object = {}, reason?: string): KubeObject => ({
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'AWSMachine',
  metadata: { name: 'one', uid: 'one', ...metadata },
  spec: { instanceType: 't3.large', ...spec },
  ...(reason && { status: { ready: false, conditions: [{ type: 'InstanceReady', status: 'False', reason }] } }),
});
const launched = (uid: string) => ({ annotations: { 'capstan.dev/launch': JSON.stringify({ machine: uid }) } });
const cloned = { annotations: { 'cluster.x-k8s.io/cloned-from-name': 'template' } };
const instance = { providerID: 'aws:///eu-west-1a/i-0', instanceID: 'i-0' };

it.each([
  { rule: 'that was never launched', object: machine({}), counts: false },
  { rule: 'with a recorded launch', object: machine(launched('one')), counts: true },
  { rule: 'with the recorded launch of another object', object: machine(launched('two')), counts: false },
  {
    rule: 'with a launch, whatever it reported before',
    object: machine(launched('one'), {}, 'TornDown'),
    counts: true,
  },
  { rule: 'in deletion', object: machine({ deletionTimestamp: '2026-01-01T00:00:00Z' }), counts: true },
  { rule: 'in deletion with its Machine', object: machine(cloned), counts: true },
  { rule: 'with an instance', object: machine({}, instance), counts: true },
  { rule: 'with a user-provided instance', object: machine({}, instance, 'TornDown'), counts: false },
])('a machine $rule has resources in a teardown: $counts', ({ object, counts }) =>
  expect(hasResources(object)).toBe(counts));
